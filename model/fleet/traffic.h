// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/constants.h"

#include <cstddef>
#include <vector>

namespace alidade {

/// Request rate of a service over a day or a week, which repeats.
struct TrafficProfile {
    double bucket = secondsPerHour; ///< s that each rate is the mean of, > 0
    std::vector<double> rates;      ///< requests/s, >= 0; not empty

    double period() const { return bucket * static_cast<double>(rates.size()); } ///< s
    /// Requests/s at a time in s from the start of the first period: linear between the middles of the
    /// buckets, so that a period has as many requests as the buckets say.
    double rateAt(double time) const;
    double mean() const;
    double peak() const;   ///< of the buckets
    double trough() const; ///< of the buckets
};

/// A day as a person describes it: hours of much and of little traffic, and how much in the mean.
struct TrafficShape {
    double peak = 0, trough = 0; ///< requests/s of the busiest and of the quietest hour, peak >= trough >= 0
    double mean = 0;             ///< requests/s of a day; 0: half way between peak and trough
    double peakHour = 14;        ///< middle of the busiest time, 0..24
    double weekend = 1;          ///< Saturday and Sunday against the other days, > 0
    int days = 7;                ///< 1 or 7; the first is a Monday
};

/// Hourly rates of a shape: a cosine over the day, raised to the power that gives the mean.
/// \pre trough <= mean <= peak, or mean == 0
TrafficProfile trafficOf(const TrafficShape& shape);

/// The same hours for a longer time: a day as a week. \pre the period of `traffic` divides `period`
TrafficProfile repeated(const TrafficProfile& traffic, double period);

} // namespace alidade
