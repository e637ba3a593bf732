// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_state.h"

namespace alidade::views {

void judgeLive(LiveResult& result, const LiveJudging& by) {
    if (result.nodes.hosts.empty())
        result.nodes = relativeNodeTimes(*result.observation);
    result.findings = judgeHealth(*result.observation, by.policy, by.presets,
                                  healthContext(*result.observation, by.estimate));
    result.comparison = comparePlan(*result.observation, result.findings, by.estimate);
    completeLive(result);
}

} // namespace alidade::views
