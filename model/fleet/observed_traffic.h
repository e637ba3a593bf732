// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/fleet/traffic.h"
#include "model/observation/observation.h"

#include <cstddef>
#include <optional>

namespace alidade {

/// What a server has measured of the traffic of a service.
struct ObservedTraffic {
    TrafficProfile rates; ///< hours of a day or, of more than a day and a half, of a week from Monday (UTC)
    std::optional<double> inputTokens, inputTokensCv, outputTokens, outputTokensCv; ///< per request
    std::optional<double> prefixCacheHit;
    std::size_t measuredHours = 0; ///< of the profile; the others have the mean of these
};

/// The rates of all engines together; hours of the same place in the period are averaged. The spread of
/// lengths is that of a log-normal distribution with the measured median and 90th percentile.
/// \returns an error if no request rate was measured
Result<ObservedTraffic> trafficOf(const Observation& observation);

} // namespace alidade
