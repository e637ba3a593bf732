// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace alidade {

/// The part of a step that an operation belongs to.
enum class Phase : std::uint8_t { forward, backwardInput, backwardWeight, recompute, prefill, decode };

/// The word in the documented JSON: "backward_input".
constexpr std::string_view phaseName(Phase phase) {
    switch (phase) {
    case Phase::forward:
        return "forward";
    case Phase::backwardInput:
        return "backward_input";
    case Phase::backwardWeight:
        return "backward_weight";
    case Phase::recompute:
        return "recompute";
    case Phase::prefill:
        return "prefill";
    case Phase::decode:
        return "decode";
    }
    return {};
}

} // namespace alidade
