// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/live/live_state.h"

namespace alidade::views {

/// What is known of a node at an instant, for a card: its time over the median, its slowest GPU, temperature,
/// the step of the job, its faults.
CardContent nodeCard(const LiveResult& result, std::size_t host, std::size_t point);

} // namespace alidade::views
