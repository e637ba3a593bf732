// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/signal.h"

#include <string>

namespace alidade {

/// A signal that was looked for and is not there, with the reason for a person: "DCGM_FI_PROF_SM_ACTIVE is
/// not exported; the graphics engine's activity is shown, which is higher".
struct MissingSignal {
    Signal signal = Signal::stepTime;
    std::string why;
    bool operator==(const MissingSignal&) const = default;
};

} // namespace alidade
