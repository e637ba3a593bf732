// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/schedule/pipeline_schedule.h"

#include <optional>

namespace alidade {

/// Seconds of one micro-batch on one device; the full backward is backwardInput + backwardWeight.
template <class N>
struct StageSeconds {
    N forward = 0, backwardInput = 0, backwardWeight = 0;
    N total() const { return forward + backwardInput + backwardWeight; }
};

} // namespace alidade
