// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/provenance.h"

#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// A training framework as data: what it does unless told otherwise. Its overheads are parameters of the
/// Profile with its `stack`. No code asks for a framework by name.
struct Framework {
    std::string id; ///< "megatron-core"
    std::string name;
    std::string version; ///< the release that the entry describes
    std::string stack;   ///< key of its parameters in the profile; "fsdp/2024" falls back on "fsdp"
    /// How the software's name begins in published measurements; behind " ... " words that the notes hold
    /// too.
    std::vector<std::string> software;
    /// Default of each plan field that a scenario leaves out: field path ("plan.sharding") and its text.
    std::vector<std::pair<std::string, std::string>> defaults;
    /// The same for models with experts; stands over `defaults`.
    std::vector<std::pair<std::string, std::string>> moeDefaults;
    /// Where an overlap is switched on: path ("plan.overlap.expert") and the share that compute covers.
    std::vector<std::pair<std::string, std::string>> overlapped;
    Provenance provenance;
};

} // namespace alidade
