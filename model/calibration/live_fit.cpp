// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_kinds.h"
#include "model/explain/normal.h"
#include "model/validation/error_figures.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade {

namespace {

constexpr double leastSlope = 1e-3; ///< of ln(figure), per sd of the prior: what less moves plays no part
constexpr double sameCost = 4;      ///< of the sum of squares: a fit that is better by less says nothing new
constexpr double noGain = 0.1;      ///< of the sum of squares: a fit that gains less is at its end
constexpr double priorOnly = 0.05;  ///< data share below which only the prior speaks

MapProblem problemOf(const LiveConstants& constants, const std::vector<LivePoint>& points) {
    MapProblem problem;
    for (std::size_t j = 0; j < constants.size(); ++j)
        problem.priors.push_back(constants.prior(j));
    for (const LivePoint& point : points)
        problem.points.push_back({std::log(point.measured), point.sd, point.weight});
    problem.predict = [&points](std::size_t i, const std::vector<double>& theta) {
        return std::log(points[i].predict(theta));
    };
    return problem;
}

/// The constants of the profile.
std::vector<double> presentOf(const LiveConstants& constants) {
    std::vector<double> out;
    for (std::size_t j = 0; j < constants.size(); ++j)
        out.push_back(constants.present(j));
    return out;
}

/// What the points depend on.
std::vector<bool> felt(const LiveConstants& constants, const std::vector<LivePoint>& points) {
    const std::vector<double> at = presentOf(constants);
    std::vector<bool> out(at.size(), false);
    std::vector<double> base;
    for (const LivePoint& point : points)
        base.push_back(std::log(point.predict(at)));
    for (std::size_t j = 0; j < at.size(); ++j) {
        std::vector<double> moved = at;
        moved[j] += constants.prior(j).sd;
        for (std::size_t i = 0; i < points.size() && !out[j]; ++i)
            out[j] = std::abs(std::log(points[i].predict(moved)) - base[i]) > leastSlope;
    }
    return out;
}

ErrorFigures figuresOf(const std::vector<LivePoint>& points, const std::vector<double>& logErrors) {
    std::vector<std::pair<double, double>> errors;
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].judged) {
            errors.emplace_back(std::abs(std::expm1(logErrors[i])), 1);
            sum += errors.back().first;
        }
    }
    const auto count = static_cast<double>(errors.size());
    return errors.empty() ? ErrorFigures{} : ErrorFigures{weightedQuantile(errors, 0.5), sum / count};
}

/// Errors of each judged point by a fit without it; predictions are taken for linear about the fit to all.
std::optional<std::vector<double>> leftOutPoints(MapProblem problem, const std::vector<LivePoint>& points,
                                                 const MapFit& all, double huber) {
    const auto judged = std::ranges::count_if(points, &LivePoint::judged);
    if (judged < 2)
        return std::nullopt;
    problem.start = all.parameters;
    problem.predict = [&all](std::size_t i, const std::vector<double>& theta) {
        double out = all.predicted[i];
        for (std::size_t j = 0; j < theta.size(); ++j)
            out += all.slopes[i * theta.size() + j] * (theta[j] - all.parameters[j]);
        return out;
    };
    std::vector<double> out(points.size(), 0);
    std::vector<bool> done(points.size(), false);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (done[i] || !points[i].judged)
            continue;
        MapProblem without = problem;
        std::vector<std::size_t> left;
        for (std::size_t k = i; k < points.size(); ++k) {
            if (k == i || (points[i].group >= 0 && points[k].group == points[i].group)) {
                without.points[k].weight = 0;
                left.push_back(k);
                done[k] = true;
            }
        }
        const MapFit fit =
            fitMap(without, {.huber = huber, .mostIterations = 30, .tolerance = 1e-4, .curved = true});
        for (const std::size_t k : left)
            out[k] = problem.predict(k, fit.parameters) - problem.points[k].measured;
    }
    return out;
}

CalibratedParameter reported(const LiveConstants& constants, std::size_t j, const MapFit& fit) {
    static const double tail = normalQuantile(0.9);
    const Parameter& p = constants.parameter(j);
    CalibratedParameter out;
    out.name = p.name;
    out.unit = p.unit;
    for (std::size_t i = 0; i < inputCount; ++i)
        if (p.name == inputInfo(static_cast<Input>(i)).name)
            out.label = inputInfo(static_cast<Input>(i)).label;
    const double at = fit.parameters[j], sd = fit.sd[j];
    out.before = p.value;
    out.after = constants.toValue(j, at);
    out.logSd = sd * constants.logSlope(j, at);
    out.low = constants.toValue(j, at - tail * sd);
    out.high = constants.toValue(j, at + tail * sd);
    out.dataShare = fit.dataShare[j];
    out.applied = true;
    out.changed = !constants.isUnmoved(j, fit);
    return out;
}

/// Says of each constant what it rests on, and what it cannot be told apart from.
void explain(LiveCalibration& out, const MapFit& fit, std::size_t first) {
    for (std::size_t j = 0; j < fit.parameters.size(); ++j) {
        CalibratedParameter& p = out.parameters[first + j];
        std::size_t other = j;
        double largest = 0.3; // a correlation below it says little
        for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
            if (const double r = k == j ? 0 : std::abs(fit.correlation(j, k)); r > largest) {
                largest = r;
                other = k;
            }
        }
        if (!p.changed) {
            p.how = "unchanged: the measurements do not determine it";
        } else {
            p.how = p.dataShare > 0.5 ? "measured"
                    : p.dataShare > priorOnly
                        ? "partly measured, partly the prior"
                        : "changed along with others; the data alone do not determine it";
        }
        if (other != j)
            p.how += "; correlated with " + out.parameters[first + other].name;
    }
}

/// Says of each named figure that the fit missed by more than its measurement can err that it did.
void addMisfits(const std::vector<LivePoint>& points, const std::vector<double>& logErrors,
                LiveCalibration& out) {
    constexpr double certainly = 3; // sd
    std::map<std::string, double> missed;
    for (std::size_t i = 0; i < points.size(); ++i) {
        double& most = missed[points[i].name];
        if (std::abs(logErrors[i]) > std::max(certainly * points[i].sd, std::abs(most)))
            most = logErrors[i];
    }
    missed.erase(std::string());
    std::erase_if(missed, [](const auto& each) { return each.second == 0; });
    for (const auto& [name, error] : missed) {
        out.notes.push_back(name + ": the fitted constants give " +
                            figureText(100 * std::abs(std::expm1(error)), " %") +
                            (error > 0 ? " more" : " less") + " than was measured.");
    }
    if (!missed.empty()) {
        out.notes.emplace_back(
            "The run lies outside what the constants allow. Check that model, batch, lengths, "
            "precision, layout and GPUs of the scenario are those of the run.");
    }
}

/// An engine that cannot sustain the load at the guessed start has no latency to fit: the start moves toward
/// the profile's constants, with which every point has one.
void moveToFinite(MapProblem& problem, const std::vector<double>& present) {
    const auto predictsAll = [&problem] {
        for (std::size_t i = 0; i < problem.points.size(); ++i)
            if (!std::isfinite(problem.predict(i, problem.start)))
                return false;
        return true;
    };
    constexpr int mostSteps = 8;
    for (int step = 0; step < mostSteps && !predictsAll(); ++step)
        for (std::size_t j = 0; j < present.size(); ++j)
            problem.start[j] = step + 1 < mostSteps ? (problem.start[j] + present[j]) / 2 : present[j];
}

/// A fit from problem.start: coarse slopes lead near the optimum fast, good ones into it.
MapFit descent(MapProblem problem, double huber) {
    problem.start =
        fitMap(problem,
               {.huber = huber, .mostIterations = 100, .tolerance = 1e-3, .keepSlopes = 6, .curved = true})
            .parameters;
    return fitMap(problem, {.huber = huber, .mostIterations = 80, .tolerance = 1e-4, .curved = true});
}

/// The best of the points on the way from one fit through a better one, at doubled distances beyond it.
std::vector<double> further(const MapProblem& problem, double huber, const MapFit& from, const MapFit& to) {
    std::vector<double> best = to.parameters;
    double cost = to.cost;
    constexpr double mostLengths = 64;
    for (double lengths = 1; lengths <= mostLengths; lengths *= 2) {
        std::vector<double> there = to.parameters;
        for (std::size_t j = 0; j < there.size(); ++j)
            there[j] += lengths * (to.parameters[j] - from.parameters[j]);
        const double found = mapCost(problem, huber, there);
        if (!(found < cost)) // also where the engine cannot carry the load
            break;
        cost = found;
        best = std::move(there);
    }
    return best;
}

/// A prediction has a kink where a kernel turns from memory to compute bound. A descent creeps along it and
/// ends short of the optimum: the next one starts further along the same way, until one gains nothing.
MapFit descended(MapProblem problem, double huber) {
    constexpr int mostRounds = 12;
    MapFit fit = descent(problem, huber);
    for (int round = 1; round < mostRounds; ++round) {
        problem.start = fit.parameters;
        MapFit next = descent(problem, huber);
        const bool isEnd = fit.cost - next.cost < noGain;
        if (!isEnd) {
            problem.start = further(problem, huber, fit, next);
            next = descent(problem, huber);
        }
        fit = std::move(next);
        if (isEnd) {
            fit.converged = true;
            break;
        }
    }
    return fit;
}

/// \param isCalibrated the start is a fit to the same source: it stays unless another is really better
MapFit fitted(MapProblem problem, double huber, bool isCalibrated) {
    MapFit start;
    if (isCalibrated)
        start = fitMap(problem, {.huber = huber, .mostIterations = 0});
    MapFit fit = descended(problem, huber);
    // A valley between two kinks can hold a descent for good: slopes over longer steps see across it, and in
    // a long valley the next crossing may gain more than the last.
    constexpr int mostCrossings = 8;
    for (int crossing = 0; crossing < mostCrossings; ++crossing) {
        const double before = fit.cost;
        for (const double step : {0.3, 0.1}) { // in ln
            problem.start = fit.parameters;
            problem.start = fitMap(problem, {.huber = huber,
                                             .mostIterations = 60,
                                             .tolerance = 1e-3,
                                             .differenceStep = step,
                                             .curved = true})
                                .parameters;
            MapFit other = descended(problem, huber);
            if (other.cost < fit.cost - noGain)
                fit = std::move(other);
        }
        if (before - fit.cost < noGain)
            break;
    }
    if (isCalibrated && start.cost < fit.cost + sameCost) {
        start.converged = true;
        return start;
    }
    return fit;
}

} // namespace

void fitLive(LiveConstants constants, const std::vector<LivePoint>& points, LiveCalibration& out,
             double huber) {
    const std::vector<bool> plays = felt(constants, points);
    // Predictions take all constants: those that play no part stay where they are.
    std::vector<std::size_t> kept;
    for (std::size_t j = 0; j < plays.size(); ++j)
        if (plays[j])
            kept.push_back(j);
    const std::vector<double> present = presentOf(constants);
    std::vector<LivePoint> reduced = points;
    for (LivePoint& point : reduced) {
        point.predict = [whole = point.predict, &present, &kept](const std::vector<double>& theta) {
            std::vector<double> all = present;
            for (std::size_t j = 0; j < kept.size(); ++j)
                all[kept[j]] = theta[j];
            return whole(all);
        };
    }
    constants.restrict([&plays](std::size_t j) { return plays[j]; });
    MapProblem problem = problemOf(constants, reduced);
    for (std::size_t j = 0; j < constants.size(); ++j)
        problem.start.push_back(constants.isCalibrated() ? constants.present(j) : constants.start(j));
    const std::vector<double> unfitted = presentOf(constants);
    moveToFinite(problem, unfitted);
    const MapFit fit = fitted(problem, huber, constants.isCalibrated());

    std::vector<double> before, after;
    for (std::size_t i = 0; i < reduced.size(); ++i) {
        before.push_back(problem.predict(i, unfitted) - problem.points[i].measured);
        after.push_back(fit.predicted[i] - problem.points[i].measured);
    }
    out.before = figuresOf(points, before);
    out.after = figuresOf(points, after);
    if (const auto left = leftOutPoints(problem, reduced, fit, huber))
        out.leftOut = figuresOf(points, *left);
    const std::size_t first = out.parameters.size();
    for (std::size_t j = 0; j < constants.size(); ++j)
        out.parameters.push_back(reported(constants, j, fit));
    for (const ConfoundedPair& pair : fit.confounded)
        out.confounded.push_back({first + pair.first, first + pair.second, pair.correlation});
    explain(out, fit, first);
    addMisfits(points, after, out);
    if (!fit.converged)
        out.notes.push_back("The fit did not converge.");
    out.profile = constants.fitted(fit);
}

} // namespace alidade
