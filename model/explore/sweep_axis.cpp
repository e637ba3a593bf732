// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/explore/date_axis.h"
#include "model/explore/sweep.h"
#include "model/units/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace alidade {

namespace {

constexpr int usualPoints = 25;

std::optional<int> countOf(std::string_view text) {
    int out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    return error == std::errc{} && end == text.data() + text.size() && out >= 2 ? std::optional(out)
                                                                                : std::nullopt;
}

/// How the values between the ends are chosen.
struct Steps {
    std::optional<int> points;
    std::optional<double> step;
    bool log = false;
};

Result<Steps> stepsOf(std::string_view text, const Variable& variable) {
    Steps out;
    const auto wrong = [&] {
        return Error{quoted(text) + " is not a number of points, 'step S' or 'log'; write FIELD=A..B:20, "
                                    "FIELD=A..B:step 4 or FIELD=A..B:log 20"};
    };
    if (text.starts_with("step")) {
        const auto value = variable.parse(trimmed(text.substr(4)));
        out.step = value ? numberOf(*value) : std::nullopt;
        return out.step && *out.step > 0 ? Result<Steps>(out) : wrong();
    }
    if (text.starts_with("log")) {
        out.log = true;
        text = trimmed(text.substr(3));
        if (text.empty())
            return out;
    }
    out.points = countOf(text);
    return out.points ? Result<Steps>(out) : wrong();
}

std::vector<FieldValue> valuesBetween(const Variable& variable, double from, double to, const Steps& steps) {
    std::vector<FieldValue> out;
    const auto add = [&](double x) {
        const FieldValue value = variable.valueOf(x);
        if (out.empty() || out.back() != value)
            out.push_back(value);
    };
    if (steps.step || (variable.isInteger() && !steps.points && !steps.log && to - from < 1000)) {
        const double step = steps.step.value_or(1);
        for (double i = 0; from + i * step <= to * (1 + 1e-12); ++i)
            add(from + i * step);
        return out;
    }
    const int points = steps.points.value_or(usualPoints);
    for (int i = 0; i < points; ++i) {
        const double share = static_cast<double>(i) / (points - 1);
        add(i + 1 == points ? to
            : steps.log     ? from * std::pow(to / from, share)
                            : from + share * (to - from));
    }
    return out;
}

/// A list: commas separate values, or "|" where a value is a list itself.
Result<SweepAxis> listAxis(const Variable& variable, std::string_view words) {
    const bool ofLists = variable.field() && (variable.field()->kind == FieldKind::wordList ||
                                              variable.field()->kind == FieldKind::integerList);
    SweepAxis out{variable, {}};
    for (std::size_t from = 0; from <= words.size();) {
        const std::size_t to = std::min(words.find(ofLists ? '|' : ',', from), words.size());
        const auto value = variable.parse(trimmed(words.substr(from, to - from)));
        if (!value)
            return Error{value.error()};
        out.values.push_back(*value);
        from = to + 1;
    }
    return out;
}

/// The roundest whole number near `ideal` with which the scenario runs; nullopt: none does.
std::optional<std::int64_t> legalNear(const Explorer& explorer, const Variable& variable, double ideal,
                                      double reach) {
    constexpr std::size_t mostTries = 48;
    const auto low = static_cast<std::int64_t>(std::ceil(std::max(ideal - reach, variable.minimum())));
    const auto high = static_cast<std::int64_t>(std::floor(std::min(ideal + reach, variable.maximum())));
    std::vector<std::int64_t> tries;
    // Multiples of powers of two, the largest first: batches, machines and lengths come in such numbers.
    for (std::int64_t unit = std::int64_t{1} << 40; unit > 0 && tries.size() < mostTries; unit /= 2) {
        for (std::int64_t n = (low + unit - 1) / unit * unit; n <= high && tries.size() < mostTries;
             n += unit) {
            if (n > 0 && std::ranges::find(tries, n) == tries.end())
                tries.push_back(n);
        }
    }
    for (const std::int64_t n : tries) {
        const Result<Scenario> there = explorer.scenarioWith({{variable, FieldValue(n)}});
        if (there && there->runs())
            return n;
    }
    return std::nullopt;
}

/// A step of one, two or five tenths, units, tens, ... that divides a range into at most `points` parts.
double roundStep(double range, int points) {
    const double least = range / points, decade = std::pow(10, std::floor(std::log10(least)));
    for (const double each : {1.0, 2.0, 2.5, 5.0})
        if (decade * each >= least * (1 - 1e-9))
            return decade * each;
    return decade * 10;
}

void addInOrder(std::vector<FieldValue>& values, const FieldValue& value) {
    if (std::ranges::find(values, value) == values.end()) {
        values.push_back(value);
        std::ranges::sort(values, {}, [](const FieldValue& v) { return numberOf(v).value_or(0); });
    }
}

} // namespace

SweepAxis usualAxis(const Variable& variable, const Scenario& present, const Explorer& explorer, int points) {
    SweepAxis out{variable, {}};
    const Field* field = variable.field();
    const ScenarioSpec spec = explorer.specWith({});
    if (field && field->degree) {
        for (const std::int64_t n : legalDegrees(*field, spec, explorer.catalog()))
            out.values.emplace_back(n);
    } else if (variable.isDate()) {
        out.values = usualDates(variable, present, explorer.catalog());
        return out;
    } else if (!variable.isNumber()) {
        const Result<FreeField> all = freeField(spec, explorer.catalog(), variable.path(), {});
        for (const SearchChoice& each : all ? all->choices : std::vector<SearchChoice>{})
            if (each.sets.size() == 1 && each.sets.front().first == field)
                out.values.push_back(each.sets.front().second);
        return out;
    }
    const std::optional<double> now = numberOf(variable.value(present));
    if (!now || !(*now > 0))
        return out;
    if (out.values.empty()) {
        const double low = std::max(variable.minimum(), *now / 8),
                     high = std::min(variable.maximum(), *now * 2);
        if (variable.isInteger()) {
            const double step = std::max(1.0, (high - low) / (points - 1));
            for (int i = 0; i < points && low + i * step <= high * (1 + 1e-9); ++i)
                if (const auto n = legalNear(explorer, variable, low + i * step, step / 2))
                    addInOrder(out.values, FieldValue(*n));
        } else if (high > low) {
            const double step = roundStep(high - low, points - 1);
            for (double i = std::ceil(low / step * (1 - 1e-12)); i * step <= high * (1 + 1e-9); ++i)
                if (i * step > 0)
                    addInOrder(out.values, FieldValue(i * step));
        }
    }
    addInOrder(out.values, variable.valueOf(*now));
    return out;
}

Result<SweepAxis> sweepAxis(std::string_view text, const Scenario& scenario) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos)
        return Error{quoted(text) + " is not FIELD=A..B or FIELD=A,B,C"};
    const Result<Variable> variable = Variable::named(text.substr(0, equals), scenario);
    if (!variable)
        return Error{variable.error()};
    std::string_view words = text.substr(equals + 1);
    const std::size_t dots = words.find("..");
    if (dots == std::string_view::npos)
        return listAxis(*variable, words);
    if (variable->isDate()) {
        Result<std::vector<FieldValue>> dates = datesBetween(words);
        return dates ? Result<SweepAxis>({*variable, *std::move(dates)})
                     : Error{variable->path() + ": " + dates.error()};
    }
    if (!variable->isNumber()) {
        return Error{variable->path() + " has words, not numbers: list them, such as " + variable->path() +
                     "=A,B"};
    }
    const std::size_t colon = words.find(':', dots);
    Steps steps;
    if (colon != std::string_view::npos) {
        const Result<Steps> read = stepsOf(trimmed(words.substr(colon + 1)), *variable);
        if (!read)
            return Error{read.error()};
        steps = *read;
        words = words.substr(0, colon);
    }
    const auto first = variable->parse(trimmed(words.substr(0, dots))),
               last = variable->parse(trimmed(words.substr(dots + 2)));
    if (!first || !last)
        return Error{first ? last.error() : first.error()};
    const double from = numberOf(*first).value_or(0), to = numberOf(*last).value_or(0);
    if (!(from < to) || (steps.log && !(from > 0))) {
        return Error{variable->path() + ": " + quoted(words) + " must ascend" +
                     (steps.log ? " from a value above 0" : "")};
    }
    if (steps.step && (to - from) / *steps.step > static_cast<double>(mostSweepPoints)) {
        return Error{variable->path() + ": more than " +
                     formatCount(static_cast<std::int64_t>(mostSweepPoints)) + " steps; take a larger one"};
    }
    return SweepAxis{*variable, valuesBetween(*variable, from, to, steps)};
}

} // namespace alidade
