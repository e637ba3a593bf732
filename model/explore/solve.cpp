// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/solve.h"

#include "model/estimate/figures.h"
#include "model/units/format.h"
#include "model/units/parse.h"
#include "model/units/text.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double mostFactor = 1000;      ///< how far from the present value is looked
constexpr int gridPoints = 200;          ///< on each side
constexpr std::int64_t mostTries = 4000; ///< of whole numbers

std::string textOf(const Variable& variable, const FieldValue& value) {
    const double number = *numberOf(value);
    return variable.isInteger() ? std::to_string(std::get<std::int64_t>(value))
                                : formatQuantity(number, variable.dimension());
}

/// The values that are looked at, ascending; the present one is among them.
std::vector<double> candidates(const Variable& variable, double present) {
    std::vector<double> out{present};
    const double low = std::max(variable.minimum(), present / mostFactor);
    const double high = std::min(variable.maximum(), present > 0 ? present * mostFactor : mostFactor);
    if (variable.isInteger()) {
        // All of them, or multiples of a power of two where they are too many: machines come in such numbers.
        for (std::int64_t unit = 1;; unit *= 2) {
            const auto first = static_cast<std::int64_t>(std::ceil(low / static_cast<double>(unit)));
            const auto last = static_cast<std::int64_t>(std::floor(high / static_cast<double>(unit)));
            // Near the present value no step may be coarser than a hundredth of it.
            if (last - first < mostTries || static_cast<double>(unit) * 100 > present) {
                for (std::int64_t n = first; n <= std::min(last, first + mostTries); ++n)
                    out.push_back(static_cast<double>(n * unit));
                break;
            }
        }
    } else {
        for (int i = 1; i <= gridPoints; ++i) {
            const double share = static_cast<double>(i) / gridPoints;
            if (variable.dimension() == Dimension::ratio || low <= 0) {
                out.push_back(present + share * (high - present));
                out.push_back(present - share * (present - low));
            } else {
                out.push_back(present * std::pow(high / present, share));
                out.push_back(present * std::pow(low / present, share));
            }
        }
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

} // namespace

Result<Goal> goalOf(std::string_view text, const Estimate& estimate) {
    const std::size_t sign = text.find_first_of("<>");
    if (sign == std::string_view::npos || sign + 1 >= text.size() || text[sign + 1] != '=') {
        return Error{quoted(text) +
                     " is not FIGURE<=VALUE or FIGURE>=VALUE, such as training.run_time_s<=30 d"};
    }
    Goal out;
    out.figure = text.substr(0, sign);
    out.figure.erase(out.figure.find_last_not_of(' ') + 1);
    out.atMost = text[sign] == '<';
    const auto figure = findFigure(estimate, out.figure);
    if (!figure)
        return Error{noSuchFigure(estimate, out.figure)};
    out.dimension = figure->dimension;
    const Result<double> value = parseQuantity(text.substr(sign + 2), out.dimension);
    if (!value)
        return Error{out.figure + ": " + value.error()};
    out.value = *value;
    return out;
}

Solution solve(const Explorer& explorer, const Variable& variable, double present, const Goal& goal,
               const std::stop_token& stop) {
    const auto figureAt = [&](double x) {
        return explorer.figure(goal.figure, {{variable, variable.valueOf(x)}});
    };
    const auto reaches = [&](const std::optional<double>& figure) {
        return figure && (goal.atMost ? *figure <= goal.value : *figure >= goal.value);
    };
    const std::string wanted =
        goal.figure + (goal.atMost ? " <= " : " >= ") + formatQuantity(goal.value, goal.dimension);
    const std::vector<double> grid = candidates(variable, present);
    const auto here = static_cast<std::ptrdiff_t>(std::ranges::find(grid, present) - grid.begin());
    const bool holds = reaches(figureAt(present));

    // Outwards in both directions, to the first value whose outcome differs from the present one. Where the
    // scenario does not run there is no outcome: such values are passed over.
    struct Crossing {
        double inside, outside; ///< with the outcome of the present value, and with the other one
    };
    std::optional<Crossing> nearest;
    const auto distance = [present](double x) {
        return present > 0 && x > 0 ? std::abs(std::log(x / present)) : std::abs(x - present);
    };
    for (const std::ptrdiff_t step : {std::ptrdiff_t{1}, std::ptrdiff_t{-1}}) {
        double inside = present;
        for (std::ptrdiff_t i = here + step; i >= 0 && i < static_cast<std::ptrdiff_t>(grid.size());
             i += step) {
            if (stop.stop_requested())
                return {std::nullopt, "Stopped before a value was found", std::nullopt};
            const double x = grid[static_cast<std::size_t>(i)];
            if (nearest && distance(x) >= distance(nearest->outside))
                break;
            const auto figure = figureAt(x);
            if (!figure)
                continue;
            if (reaches(figure) != holds) {
                nearest = {inside, x};
                break;
            }
            inside = x;
        }
    }
    if (!nearest) {
        const std::string range = textOf(variable, variable.valueOf(grid.front())) + " to " +
                                  textOf(variable, variable.valueOf(grid.back()));
        if (!holds)
            return {std::nullopt, "No value from " + range + " reaches " + wanted, std::nullopt};
        return {variable.valueOf(present), wanted + " holds for every value from " + range + " that runs",
                figureAt(present)};
    }
    double good = holds ? nearest->inside : nearest->outside,
           bad = holds ? nearest->outside : nearest->inside;
    constexpr double precision = 1e-9;
    while (!variable.isInteger() && std::abs(good - bad) > precision * std::abs(good)) {
        const double middle = (good + bad) / 2;
        const auto figure = figureAt(middle);
        if (!figure || middle == good || middle == bad)
            break;
        (reaches(figure) ? good : bad) = middle;
    }
    const FieldValue value = variable.valueOf(good);
    return {value,
            holds ? "The present value reaches " + wanted + "; " + textOf(variable, value) +
                        " is the last one that does, " + (good < present ? "downwards" : "upwards")
                  : textOf(variable, value) + " is the nearest value that reaches " + wanted,
            figureAt(good)};
}

} // namespace alidade
