// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/explore/sweep.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// Growth of the figure per growth of the variable, both in ln: 1 is proportional.
constexpr double paysFully = 0.4, hardlyPays = 0.15;

std::string percent(double share) { return formatQuantity(share, Dimension::ratio, {.significant = 2}); }

std::string valueOf(const Variable& variable, double x) {
    return variable.isInteger() ? formatCount(std::llround(x))
                                : formatQuantity(x, variable.dimension(), {.trimZeros = true});
}

/// A point of the curve, as ln; more of y is better.
struct At {
    double x, y;
};

/// The points that fit, by value; all that run where none fits.
std::vector<At> curveOf(const Sweep& sweep, const PlanFigure& figure) {
    const bool any = std::ranges::any_of(sweep.points, &SweepPoint::fits);
    std::vector<At> curve;
    for (const SweepPoint& point : sweep.points) {
        const SweepFigure* value = point.figure(figure);
        const double x = *numberOf(point.values.front());
        if (value && point.runs && (point.fits || !any) && value->value > 0 && std::isfinite(value->value) &&
            x > 0) {
            curve.push_back({std::log(x), std::log(value->value) * (figure.moreIsBetter ? 1 : -1)});
        }
    }
    std::ranges::sort(curve, {}, &At::x);
    return curve;
}

/// "Above 2,048 it does not fit.", if no larger value fits.
std::string edgeOf(const Sweep& sweep, const Variable& variable, double last) {
    const bool larger = std::ranges::any_of(sweep.points, [last](const SweepPoint& point) {
        return point.runs && !point.fits && std::log(*numberOf(point.values.front())) > last;
    });
    return larger ? " Above " + valueOf(variable, std::exp(last)) + " it does not fit." : std::string();
}

std::string courseOf(const std::vector<At>& curve, const Variable& variable, const PlanFigure& figure) {
    const At &first = curve.front(), &last = curve.back();
    const auto slope = [](const At& a, const At& b) { return (b.y - a.y) / (b.x - a.x); };
    const std::string name(figure.label), label(variable.label());
    const auto best = std::ranges::max_element(curve, {}, &At::y);
    constexpr double clear = 0.005; // below it a maximum is flat
    if (best != curve.begin() && best + 1 != curve.end() && best->y - first.y > clear &&
        best->y - last.y > clear) {
        const char* worse = figure.moreIsBetter ? " lower" : " higher";
        const auto off = [&](const At& at) {
            const double share = std::exp(figure.moreIsBetter ? at.y - best->y : best->y - at.y) - 1;
            return percent(std::abs(share)) + worse + " at " + valueOf(variable, std::exp(at.x));
        };
        return name + " is best at a " + label + " of " + valueOf(variable, std::exp(best->x)) + ": " +
               off(first) + ", " + off(last) + ".";
    }
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
        const At& at = curve[i];
        if (last.x - at.x > std::log(1.2) && slope(first, at) > paysFully && slope(at, last) >= 0 &&
            slope(at, last) < hardlyPays) {
            return "Beyond " + valueOf(variable, std::exp(at.x)) +
                   " more hardly pays: " + percent(std::exp(last.x - at.x) - 1) + " more " + label +
                   (figure.moreIsBetter ? " raises " : " lowers ") + name + " by " +
                   percent(std::abs(std::exp(figure.moreIsBetter ? last.y - at.y : at.y - last.y) - 1)) + ".";
        }
    }
    const double whole = std::exp(figure.moreIsBetter ? last.y - first.y : first.y - last.y) - 1;
    if (std::abs(whole) < clear)
        return name + " hardly depends on it.";
    return name + (whole > 0 ? " rises by " : " falls by ") + percent(std::abs(whole)) + " from " +
           valueOf(variable, std::exp(first.x)) + " to " + valueOf(variable, std::exp(last.x)) + ".";
}

/// "Rent of the run is best at a Start of 2027-06-04, $2.63 M, and worst at 2027-09-01: 50 % higher."
std::string choiceOf(const Sweep& sweep, const PlanFigure& figure) {
    const Variable& variable = sweep.axes.front().variable;
    std::vector<std::pair<double, std::string>> values;
    for (const SweepPoint& point : sweep.points) {
        const SweepFigure* value = point.figure(figure);
        const FieldValue& set = point.values.front();
        if (value && point.runs && point.fits && value->value > 0 && std::isfinite(value->value)) {
            values.emplace_back(value->value,
                                set == FieldValue() ? "the default" : fieldText(*variable.field(), set));
        }
    }
    if (values.size() < 2)
        return {};
    // The first of equals, so that a date is the earliest one.
    const auto least = std::ranges::min_element(values, {}, &std::pair<double, std::string>::first),
               most = std::ranges::max_element(values, {}, &std::pair<double, std::string>::first);
    const auto &best = figure.moreIsBetter ? *most : *least, &worst = figure.moreIsBetter ? *least : *most;
    const double apart = std::abs(worst.first / best.first - 1);
    constexpr double clear = 0.005;
    if (apart < clear)
        return std::string(figure.label) + " hardly depends on it.";
    return std::string(figure.label) + " is best at " + best.second + ", " +
           formatQuantity(best.first, figure.dimension) + ", and worst at " + worst.second + ": " +
           percent(apart) + (figure.moreIsBetter ? " lower." : " higher.");
}

} // namespace

std::string sweepHeadline(const Sweep& sweep, const PlanFigure& figure) {
    if (sweep.axes.size() != 1)
        return {};
    if (!sweep.axes.front().variable.isNumber())
        return choiceOf(sweep, figure);
    const std::vector<At> curve = curveOf(sweep, figure);
    constexpr std::size_t fewest = 4;
    if (curve.size() < fewest)
        return {};
    const Variable& variable = sweep.axes.front().variable;
    return courseOf(curve, variable, figure) + edgeOf(sweep, variable, curve.back().x);
}

} // namespace alidade
