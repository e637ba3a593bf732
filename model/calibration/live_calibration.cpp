// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_calibration.h"

#include "model/base/not_measured.h"
#include "model/base/quantiles.h"
#include "model/calibration/live_kinds.h"

#include <cmath>
#include <cstdio>

namespace alidade {

namespace {

/// Hosts that the scenario's kind of work runs on; empty: not reported.
std::set<std::string> hostsOf(const Observation& observation, bool serving) {
    std::set<std::string> out;
    if (!serving) {
        out.insert(observation.hosts.begin(), observation.hosts.end());
        return out;
    }
    for (const Signal signal : {Signal::interTokenLatency, Signal::generationTokensPerSecond}) {
        for (const Statistic statistic : {Statistic::mean, Statistic::value}) {
            if (const SignalTable* table = observation.table(signal, statistic)) {
                for (const Entity& row : table->rows) {
                    const std::string& name = row.host.empty() ? row.part : row.host;
                    out.insert(name.substr(0, name.find(':')));
                }
            }
        }
    }
    return out;
}

std::string reasonsOf(const UsableTime& time) {
    std::set<std::string> reasons;
    for (const ExcludedWindow& window : time.excluded)
        reasons.insert(window.why);
    std::string out;
    for (const std::string& reason : reasons)
        out += (out.empty() ? " (" : ", ") + reason;
    return out.empty() ? out : out + ")";
}

} // namespace

Result<LiveCalibration> calibrateLive(const ScenarioSpec& spec, const Catalog& catalog,
                                      const Profile& profile, const Observation& observation,
                                      const std::vector<Finding>& findings,
                                      const std::vector<ExcludedWindow>& leftOut) {
    const Result<LiveConstants> constants = LiveConstants::of(spec, catalog, profile, sourceOf(observation));
    if (!constants)
        return Error{constants.error()};
    const bool serving = constants->scenario().isServing();
    UsableTime time = usableTime(observation, findings, hostsOf(observation, serving), !serving, leftOut);
    if (time.points() < leastPoints) {
        return Error{
            "only " + std::to_string(time.points()) + " of " + std::to_string(observation.grid.points) +
            " instants are free of faults, checkpoints and restarts" + reasonsOf(time) + "; at least " +
            std::to_string(leastPoints) + " are required; select a longer time range, or one without faults"};
    }
    Result<LiveCalibration> out = serving
                                      ? calibrateServing(*constants, observation, time)
                                      : calibrateTraining(*constants, catalog, observation, time, findings);
    if (!out)
        return out;
    LiveCalibration found = *std::move(out);
    found.source = sourceOf(observation);
    found.excluded = std::move(time.excluded);
    return found;
}

CalibratedParameter measuredFigure(std::string name, std::string label, std::string unit, double before,
                                   double after, double low, double high, std::string how) {
    CalibratedParameter out;
    out.name = std::move(name);
    out.label = std::move(label);
    out.unit = std::move(unit);
    out.before = before;
    out.after = after;
    out.low = low;
    out.high = high;
    out.logSd = low > 0 && high > low ? std::log(high / low) / (2 * quantile90) : 0;
    out.dataShare = 1;
    out.how = std::move(how);
    return out;
}

CalibratedParameter boundedFigure(std::string name, std::string label, std::string unit, double before,
                                  double low, double high, std::string how) {
    CalibratedParameter out = measuredFigure(std::move(name), std::move(label), std::move(unit), before,
                                             notMeasured, low, high, std::move(how));
    out.interval = true;
    return out;
}

std::string sourceOf(const Observation& observation) {
    return observation.server + (observation.job.empty() ? "" : ", job " + observation.job);
}

std::pair<double, double> spanOf(const UsableTime& time, const TimeGrid& grid) {
    double first = 0, last = 0;
    bool any = false;
    for (std::size_t i = 0; i < time.used.size(); ++i) {
        if (time.used[i]) {
            first = any ? first : grid.at(i);
            last = grid.at(i);
            any = true;
        }
    }
    return {first, last};
}

std::string figureText(double value, const char* unit) {
    char text[40];
    std::snprintf(text, sizeof text, "%.3g%s", value, unit);
    return text;
}

} // namespace alidade
