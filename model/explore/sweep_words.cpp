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
    return variable.isInteger() ? formatCount(static_cast<std::int64_t>(x))
                                : formatQuantity(x, variable.dimension(), {.trimZeros = true});
}

} // namespace

std::string sweepHeadline(const Sweep& sweep, const PlanFigure& figure) {
    if (sweep.axes.size() != 1 || !sweep.axes.front().variable.isNumber()) {
        return {};
    }
    struct At {
        double x, y; // as ln, more of y is better
    };
    std::vector<At> curve;
    for (const SweepPoint& point : sweep.points) {
        const SweepFigure* value = point.figure(figure);
        const double x = *numberOf(point.values.front());
        if (value && point.runs && value->value > 0 && std::isfinite(value->value) && x > 0) {
            curve.push_back({std::log(x), std::log(value->value) * (figure.moreIsBetter ? 1 : -1)});
        }
    }
    std::ranges::sort(curve, {}, &At::x);
    if (curve.size() < 4) {
        return {};
    }
    const At &first = curve.front(), &last = curve.back();
    const auto slope = [](const At& a, const At& b) { return (b.y - a.y) / (b.x - a.x); };
    const Variable& variable = sweep.axes.front().variable;
    const std::string name(figure.label);
    const auto best = std::ranges::max_element(curve, {}, &At::y);
    constexpr double clear = 0.005; // below it a maximum is flat
    if (best != curve.begin() && best + 1 != curve.end() && best->y - first.y > clear &&
        best->y - last.y > clear) {
        return name + " is best at " + valueOf(variable, std::exp(best->x)) +
               " of what was tried: " + variable.label() + " of " + valueOf(variable, std::exp(last.x)) +
               " loses " + percent(1 - std::exp(last.y - best->y)) + ", of " +
               valueOf(variable, std::exp(first.x)) + " " + percent(1 - std::exp(first.y - best->y)) + ".";
    }
    for (std::size_t i = 1; i + 1 < curve.size(); ++i) {
        const At& at = curve[i];
        if (last.x - at.x > std::log(1.2) && slope(first, at) > paysFully && slope(at, last) >= 0 &&
            slope(at, last) < hardlyPays) {
            return "Beyond " + valueOf(variable, std::exp(at.x)) +
                   " more hardly pays: " + percent(std::exp(last.x - at.x) - 1) + " more " +
                   variable.label() + (figure.moreIsBetter ? " raises " : " lowers ") + name + " by " +
                   percent(std::abs(std::exp(figure.moreIsBetter ? last.y - at.y : at.y - last.y) - 1)) + ".";
        }
    }
    const double whole = std::exp(figure.moreIsBetter ? last.y - first.y : first.y - last.y) - 1;
    if (std::abs(whole) < clear) {
        return name + " hardly depends on it.";
    }
    return name + (whole > 0 ? " rises by " : " falls by ") + percent(std::abs(whole)) + " from " +
           valueOf(variable, std::exp(first.x)) + " to " + valueOf(variable, std::exp(last.x)) + ".";
}

} // namespace alidade
