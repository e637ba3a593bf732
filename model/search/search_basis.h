// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/scenario.h"

#include <string>
#include <vector>

namespace alidade {

/// What a plan's figures rest on that a cluster may not deliver, in words: balanced routing, software as its
/// vendor tunes it, traffic that hides behind compute. \pre scenario.runs()
std::vector<std::string> restsOn(const Scenario& scenario);

} // namespace alidade
