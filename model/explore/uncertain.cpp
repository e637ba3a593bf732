// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/explain/normal.h"
#include "model/explore/outcomes.h"
#include "model/explore/sensitivity.h"
#include "model/units/format.h"
#include "model/units/parse.h"
#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {

namespace {

constexpr std::array<std::pair<std::string_view, Shape>, 4> shapes{{{"uniform", Shape::uniform},
                                                                    {"normal", Shape::normal},
                                                                    {"lognormal", Shape::logNormal},
                                                                    {"triangular", Shape::triangular}}};

constexpr std::string_view howTo = "; write uniform(A..B), normal(M +- S), lognormal(M +- S%) or "
                                   "triangular(A..MODE..B)";

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0;;) {
        const std::size_t to = text.find(by, from);
        out.push_back(trimmed(text.substr(from, to == std::string_view::npos ? to : to - from)));
        if (to == std::string_view::npos)
            return out;
        from = to + by.size();
    }
}

/// Two parts around "+-" or "±"; one part if there is neither.
std::vector<std::string_view> splitSpread(std::string_view text) {
    const auto plain = split(text, "+-");
    return plain.size() > 1 ? plain : split(text, "±");
}

std::string valueText(const Variable& variable, double value) {
    return variable.field() ? fieldText(*variable.field(), variable.valueOf(value))
                            : editText(value, variable.dimension());
}

} // namespace

double Uncertain::quantile(double below) const {
    double out = first;
    switch (shape) {
    case Shape::uniform:
        out = first + below * (second - first);
        break;
    case Shape::normal:
        out = first + second * normalQuantile(below);
        break;
    case Shape::logNormal:
        out = first * std::exp(second * normalQuantile(below));
        break;
    case Shape::triangular: {
        const double range = third - first, rising = (second - first) / range;
        out = below < rising ? first + std::sqrt(below * range * (second - first))
                             : third - std::sqrt((1 - below) * range * (third - second));
        break;
    }
    }
    return std::clamp(out, variable.minimum(), variable.maximum());
}

Result<Uncertain> uncertainOf(std::string_view text, const Scenario& scenario) {
    const std::size_t equals = text.find('='), open = text.find('(', equals);
    if (equals == std::string_view::npos || open == std::string_view::npos || !text.ends_with(')'))
        return Error{quoted(text) + " is not VARIABLE=DISTRIBUTION" + std::string(howTo)};
    const Result<Variable> variable = Variable::named(trimmed(text.substr(0, equals)), scenario);
    if (!variable)
        return Error{variable.error()};
    if (!variable->isNumber() || (variable->field() && variable->field()->degree))
        return Error{variable->path() + " is a choice, not a number"};
    const std::string_view word = trimmed(text.substr(equals + 1, open - equals - 1));
    const auto shape = std::ranges::find(shapes, word, &std::pair<std::string_view, Shape>::first);
    if (shape == shapes.end())
        return Error{variable->path() + ": " + quoted(word) + " is not a distribution" + std::string(howTo)};
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    const bool ranged = shape->second == Shape::uniform || shape->second == Shape::triangular;
    const auto parts = ranged ? split(inside, "..") : splitSpread(inside);
    const std::size_t wanted = shape->second == Shape::triangular ? 3 : 2;
    if (parts.size() != wanted) {
        return Error{variable->path() + ": " + quoted(inside) + " does not fit " + std::string(word) +
                     std::string(howTo)};
    }
    Uncertain out{.variable = *variable, .shape = shape->second};
    std::array<double, 3> numbers{};
    for (std::size_t i = 0; i < wanted; ++i) {
        if (i == 1 && !ranged)
            continue;
        const Result<FieldValue> value = variable->parse(parts[i]);
        if (!value)
            return Error{value.error()};
        numbers[i] = numberOf(*value).value_or(0);
    }
    if (!ranged) {
        const bool isShare = parts[1].ends_with('%') || out.shape == Shape::logNormal;
        const Result<double> spread =
            parseQuantity(parts[1], isShare ? Dimension::ratio : variable->dimension());
        if (!spread || !(*spread > 0)) {
            return Error{variable->path() + ": the spread " + quoted(parts[1]) + " " +
                         (spread ? "must be above 0" : spread.error())};
        }
        numbers[1] = isShare && out.shape == Shape::normal ? *spread * numbers[0] : *spread;
        if (out.shape == Shape::logNormal && !(numbers[0] > 0))
            return Error{variable->path() + ": a log-normal needs a median above 0"};
    } else if (!(numbers[0] < numbers[wanted - 1]) || numbers[1] < numbers[0] ||
               numbers[1] > numbers[wanted - 1]) {
        return Error{variable->path() + ": " + quoted(inside) + " must ascend"};
    }
    out.first = numbers[0];
    out.second = numbers[1];
    out.third = numbers[2];
    return out;
}

std::string textOf(const Uncertain& uncertain) {
    const auto value = [&](double x) { return valueText(uncertain.variable, x); };
    const std::string name = uncertain.variable.path();
    switch (uncertain.shape) {
    case Shape::uniform:
        return name + "=uniform(" + value(uncertain.first) + ".." + value(uncertain.second) + ")";
    case Shape::normal:
        // A spread with "%" is a share of the mean: that of a share is a plain number.
        return name + "=normal(" + value(uncertain.first) + " +- " +
               (uncertain.variable.dimension() == Dimension::ratio
                    ? editText(uncertain.second, Dimension::number)
                    : value(uncertain.second)) +
               ")";
    case Shape::logNormal:
        return name + "=lognormal(" + value(uncertain.first) + " +- " +
               editText(uncertain.second, Dimension::ratio) + ")";
    case Shape::triangular:
        break;
    }
    return name + "=triangular(" + value(uncertain.first) + ".." + value(uncertain.second) + ".." +
           value(uncertain.third) + ")";
}

std::vector<Uncertain> uncertainConstants(const Scenario& scenario, const Profile& profile) {
    std::vector<Uncertain> out;
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (!isConstant(input) || !mayVary(scenario, input) || leadingInput(scenario, input) != input ||
            !originsOf(scenario)[i].used) {
            continue;
        }
        if (const double sd = constantLogSd(scenario, profile, input); sd > 0) {
            out.push_back({.variable = Variable(input),
                           .shape = Shape::logNormal,
                           .first = inputsOf(scenario)[input],
                           .second = sd});
        }
    }
    return out;
}

} // namespace alidade
