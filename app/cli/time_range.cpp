// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/time_range.h"

#include "app/cli/session.h"
#include "app/cli/time_text.h"
#include "data/prometheus/prometheus_api.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>

namespace alidade::cli {

namespace {

constexpr double mostChosenPoints = 500;
constexpr double mostAskedPoints = 200'000;

/// Steps that a person would choose.
double stepFor(double range) {
    constexpr std::array<double, 11> steps{30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21'600, 86'400};
    const auto* const step =
        std::ranges::find_if(steps, [range](double each) { return range / each <= mostChosenPoints; });
    return step == steps.end() ? steps.back() : *step;
}

double secondsOf(const char* option, const Result<double>& value) {
    if (!value)
        throw Failure(Failure::request, std::string(option) + ": " + value.error());
    return *value;
}

} // namespace

void addTimeRangeOptions(CLI::App& command, TimeRangeOptions& options) {
    const auto add = [&command](const char* name, std::string& value, const char* type, const char* help) {
        command.add_option(name, value, help)->type_name(type)->group("Time range");
    };
    add("--start", options.start, "T", "RFC 3339, Unix seconds, or before now: -2h (default -1h)");
    add("--end", options.end, "T", "The same (default now)");
    add("--step", options.step, "S",
        "Seconds, or 30s, 5m (default: 30 s, longer where that were over 500 points)");
}

TimeGrid gridOf(const TimeRangeOptions& options, double now) {
    const double start = secondsOf("--start", timeOf(options.start, now));
    const double end = secondsOf("--end", timeOf(options.end, now));
    if (!(start < end)) {
        throw Failure(Failure::request, "--start: " + timeText(start) + " is not before the end, " +
                                            timeText(end) + "; use an earlier --start or a later --end");
    }
    const double step =
        options.step.empty() ? stepFor(end - start) : secondsOf("--step", durationOf(options.step));
    if (step < 1) {
        throw Failure(Failure::request,
                      "--step: " + options.step +
                          " is less than a second; no exporter measures so often, use 15s or more");
    }
    if ((end - start) / step > mostAskedPoints) {
        throw Failure(Failure::request, "--step: " + durationText(step) +
                                            " makes more than 200,000 points of the range; use " +
                                            durationText(stepFor(end - start)));
    }
    return data::alignedGrid(start, end, step);
}

} // namespace alidade::cli
