// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/timeline/timeline_data.h"

#include <vector>

namespace alidade::views {

/// Something to draw on the lane of a stage; places in pixels from the left of the time that is to be seen.
struct LaneBlock {
    double left = 0, right = 0;
    int event = -1; ///< index in TimelineData; -1: several events that are too narrow to be told apart
    /// Shares of the pixels that work of each kind covers, 0..1; of a single event one of them is 1.
    float forward = 0, backward = 0, weight = 0;
};

/// px; events narrower than this are drawn together.
inline constexpr double leastBlock = 2;

/// What is to be drawn of a stage between two times on a width: each event that is wide enough, and for the
/// others one block for each run of pixels that are filled alike. Looks only at what is to be seen, and gives
/// at most one block a pixel and one an event.
std::vector<LaneBlock> laneBlocks(const TimelineData& data, int stage, double from, double to, int pixels);

} // namespace alidade::views
