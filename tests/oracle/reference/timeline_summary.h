// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/timeline.h"

namespace alidade::reference {

/// How much of a timeline is waiting.
struct PipelineSummary {
    double makespan = 0;       ///< s
    double bubble = 0;         ///< s that the busiest stage waits
    double bubbleFraction = 0; ///< 0..1 of the makespan
};

inline PipelineSummary summarize(const PipelineTimeline& timeline, int stages) {
    std::vector<double> busy(static_cast<std::size_t>(stages));
    for (const PipelineEvent& event : timeline.events) {
        // Two operations that run together take the device once.
        const bool counted = event.together && event.work != PipelineWork::forward;
        busy[static_cast<std::size_t>(event.stage)] += counted ? 0 : event.end - event.start;
    }
    const double bubble = timeline.makespan - *std::max_element(busy.begin(), busy.end());
    return {timeline.makespan, bubble, timeline.makespan > 0 ? bubble / timeline.makespan : 0};
}

} // namespace alidade::reference
