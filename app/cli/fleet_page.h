// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "data/fleet/fleet_file.h"
#include "model/fleet/fleet_replay.h"

#include <string>
#include <vector>

namespace alidade::cli {

/// The answer for a person. \param replays of services that have a trace; empty: not asked for
std::string fleetText(const data::FleetFile& file, const FleetAnswer& answer,
                      const std::vector<ServiceReplay>& replays, const Terminal& terminal);

/// The same as the documented JSON.
std::string fleetJson(const data::FleetFile& file, const FleetAnswer& answer,
                      const std::vector<ServiceReplay>& replays);

} // namespace alidade::cli
