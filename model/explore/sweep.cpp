// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explore/sweep.h"

#include "model/base/text.h"
#include "model/estimate/figures.h"
#include "model/units/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

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
        if (text.empty()) {
            return out;
        }
    }
    out.points = countOf(text);
    return out.points ? Result<Steps>(out) : wrong();
}

std::vector<FieldValue> valuesBetween(const Variable& variable, double from, double to, const Steps& steps) {
    std::vector<FieldValue> out;
    const auto add = [&](double x) {
        const FieldValue value = variable.valueOf(x);
        if (out.empty() || out.back() != value) {
            out.push_back(value);
        }
    };
    if (steps.step || (variable.isInteger() && !steps.points && !steps.log && to - from < 1000)) {
        const double step = steps.step.value_or(1);
        for (double i = 0; from + i * step <= to * (1 + 1e-12); ++i) {
            add(from + i * step);
        }
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
        if (!value) {
            return Error{value.error()};
        }
        out.values.push_back(*value);
        from = to + 1;
    }
    return out;
}

SweepPoint pointOf(const Explorer& explorer, const std::vector<SweepAxis>& axes,
                   std::vector<FieldValue> values) {
    SweepPoint out{.values = std::move(values), .why = {}, .figures = {}, .bound = {}};
    VariableSettings settings;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        settings.emplace_back(axes[i].variable, out.values[i]);
    }
    const Result<Estimate> estimate = explorer.with(settings);
    if (!estimate) {
        out.why = estimate.error();
        return out;
    }
    out.runs = estimate->runs;
    out.fits = estimate->fits;
    if (!out.runs) {
        const auto first = std::ranges::find(estimate->problems, Severity::error, &Problem::severity);
        out.why = first == estimate->problems.end() ? "" : first->message;
        return out;
    }
    const bool serving = estimate->scenario.workload.isServing();
    forEachFigure(*estimate, [&](const FigureT<double>& figure) {
        const PlanFigure* known = findPlanFigure(figure.path);
        if (known && known->isOf(serving)) {
            out.figures.emplace_back(known, figure.value);
        }
    });
    if (estimate->headline) {
        out.bound = estimate->headline->bottleneck;
    }
    return out;
}

/// The first value with the new limit, between two neighbours of a continuous axis.
SweepPoint closerKink(const Explorer& explorer, const std::vector<SweepAxis>& axes, const SweepPoint& before,
                      const SweepPoint& after) {
    constexpr int halvings = 12;
    const Variable& variable = axes.back().variable;
    SweepPoint best = after;
    if (variable.isInteger() || !variable.isNumber()) {
        return best;
    }
    double low = *numberOf(before.values.back()), high = *numberOf(after.values.back());
    for (int i = 0; i < halvings; ++i) {
        std::vector<FieldValue> values = after.values;
        values.back() = variable.valueOf((low + high) / 2);
        SweepPoint middle = pointOf(explorer, axes, std::move(values));
        if (!middle.bound) {
            return best;
        }
        if (*middle.bound == *before.bound) {
            low = (low + high) / 2;
        } else {
            high = (low + high) / 2;
            best = std::move(middle);
        }
    }
    return best;
}

} // namespace

Result<SweepAxis> sweepAxis(std::string_view text, const Scenario& scenario) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
        return Error{quoted(text) + " is not FIELD=A..B or FIELD=A,B,C"};
    }
    const Result<Variable> variable = Variable::named(text.substr(0, equals), scenario);
    if (!variable) {
        return Error{variable.error()};
    }
    std::string_view words = text.substr(equals + 1);
    const std::size_t dots = words.find("..");
    if (dots == std::string_view::npos) {
        return listAxis(*variable, words);
    }
    if (!variable->isNumber()) {
        return Error{variable->path() + " has words, not numbers: list them, such as " + variable->path() +
                     "=A,B"};
    }
    const std::size_t colon = words.find(':', dots);
    Steps steps;
    if (colon != std::string_view::npos) {
        const Result<Steps> read = stepsOf(trimmed(words.substr(colon + 1)), *variable);
        if (!read) {
            return Error{read.error()};
        }
        steps = *read;
        words = words.substr(0, colon);
    }
    const auto first = variable->parse(trimmed(words.substr(0, dots))),
               last = variable->parse(trimmed(words.substr(dots + 2)));
    if (!first || !last) {
        return Error{first ? last.error() : first.error()};
    }
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

Sweep sweep(const Explorer& explorer, std::vector<SweepAxis> axes, const std::stop_token& stop) {
    Sweep out{.axes = std::move(axes), .points = {}, .kinks = {}};
    std::size_t count = 1;
    for (const SweepAxis& axis : out.axes) {
        count *= axis.values.size();
    }
    const std::size_t row = out.axes.back().values.size();
    for (std::size_t i = 0; i < count; ++i) {
        if (stop.stop_requested()) {
            out.complete = false;
            break;
        }
        std::vector<FieldValue> values(out.axes.size());
        std::size_t rest = i;
        for (std::size_t k = out.axes.size(); k-- > 0;) {
            values[k] = out.axes[k].values[rest % out.axes[k].values.size()];
            rest /= out.axes[k].values.size();
        }
        out.points.push_back(pointOf(explorer, out.axes, std::move(values)));
        const SweepPoint& after = out.points.back();
        if (i % row == 0 || !after.bound) {
            continue;
        }
        const SweepPoint& before = out.points[i - 1];
        if (before.bound && *before.bound != *after.bound) {
            const SweepPoint at = closerKink(explorer, out.axes, before, after);
            out.kinks.push_back({at.values, *before.bound, *at.bound});
        }
    }
    return out;
}

} // namespace alidade
