// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/prepared.h"

#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Bytes per second that each EFA device of a host sent and received, as means over the grid. Tables of a
/// point.
Result<std::vector<SignalTable>> readDeviceTraffic(PrometheusApi& api, const Prepared& prepared,
                                                   const std::string& host, const TimeGrid& grid,
                                                   std::stop_token stop);

} // namespace alidade::data
