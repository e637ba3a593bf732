// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/traffic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace alidade {

namespace {

constexpr int hoursOfDay = 24;

/// 0..1 over the hours of a day, 1 at the peak.
std::array<double, hoursOfDay> bump(double peakHour) {
    std::array<double, hoursOfDay> out{};
    for (int hour = 0; hour < hoursOfDay; ++hour) {
        const double angle = 2 * std::numbers::pi * (hour + 0.5 - peakHour) / hoursOfDay;
        out[static_cast<std::size_t>(hour)] = 0.5 * (1 + std::cos(angle));
    }
    const auto [low, high] = std::minmax_element(out.begin(), out.end());
    const double least = *low, most = *high;
    for (double& each : out) // the busiest hour is the peak, and the quietest one the trough
        each = (each - least) / (most - least);
    return out;
}

double meanOfPower(const std::array<double, hoursOfDay>& values, double power) {
    double sum = 0;
    for (const double each : values)
        sum += std::pow(each, power);
    return sum / hoursOfDay;
}

/// The power at which the mean is so much, 0..1. The mean falls with the power.
double powerFor(const std::array<double, hoursOfDay>& values, double mean) {
    double low = std::log(1e-3), high = std::log(1e3);
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        (meanOfPower(values, std::exp(middle)) > mean ? low : high) = middle;
    }
    return std::exp(0.5 * (low + high));
}

} // namespace

double TrafficProfile::rateAt(double time) const {
    const auto count = static_cast<double>(rates.size());
    double at = std::fmod(time / bucket - 0.5, count); // in buckets, from the middle of the first one
    at = at < 0 ? at + count : at;
    const auto low = std::min(static_cast<std::size_t>(at), rates.size() - 1);
    const std::size_t high = (low + 1) % rates.size();
    return rates[low] + (at - static_cast<double>(low)) * (rates[high] - rates[low]);
}

double TrafficProfile::mean() const {
    return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}
double TrafficProfile::peak() const { return *std::max_element(rates.begin(), rates.end()); }
double TrafficProfile::trough() const { return *std::min_element(rates.begin(), rates.end()); }

TrafficProfile trafficOf(const TrafficShape& shape) {
    const std::array<double, hoursOfDay> hours = bump(shape.peakHour);
    const double range = shape.peak - shape.trough;
    const double power =
        shape.mean > 0 && range > 0 ? powerFor(hours, (shape.mean - shape.trough) / range) : 1;
    TrafficProfile out;
    for (int day = 0; day < shape.days; ++day) {
        const double factor = day >= 5 ? shape.weekend : 1;
        for (const double hour : hours)
            out.rates.push_back(factor * (shape.trough + range * std::pow(hour, power)));
    }
    return out;
}

TrafficProfile repeated(const TrafficProfile& traffic, double period) {
    TrafficProfile out = traffic;
    const auto times = static_cast<int>(std::lround(period / traffic.period()));
    for (int i = 1; i < times; ++i)
        out.rates.insert(out.rates.end(), traffic.rates.begin(), traffic.rates.end());
    return out;
}

} // namespace alidade
