// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "data/fleet/fleet_file.h"
#include "model/fleet/observed_traffic.h"

#include <string>

namespace alidade::cli {

std::string traceText(const data::TraceReading& reading, const TraceStatistics& found,
                      const Terminal& terminal);
std::string traceJson(const data::TraceReading& reading, const TraceStatistics& found);

/// The profiles of all services.
std::string fleetTrafficText(const data::FleetFile& file, const Terminal& terminal);
std::string fleetTrafficJson(const data::FleetFile& file);

std::string observedText(const ObservedTraffic& traffic, const Observation& observation,
                         const Terminal& terminal);

} // namespace alidade::cli
