// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explore_page.h"

#include "app/cli/cells.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "data/file/csv_field.h"
#include "model/base/quantiles.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;
using data::ColumnKind;

constexpr int barColumns = 24;

Json setJson(const std::vector<SweepAxis>& axes, const std::vector<FieldValue>& values) {
    Json out = Json::object();
    for (std::size_t i = 0; i < axes.size(); ++i)
        out[axes[i].variable.path()] = valueJson(values[i]);
    return out;
}

double figureOf(const SweepPoint& point, const PlanFigure* figure) {
    const SweepFigure* found = point.figure(*figure);
    return found ? found->value : std::nan("");
}

std::string percentText(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%+.1f %%", 100 * share);
    return text;
}

Json boundOrNull(const std::optional<Bound>& bound) {
    return bound ? Json(boundName(*bound)) : Json(nullptr);
}

/// Of an error band with this standard deviation of ln: "±12 %".
std::string bandText(double logSd) {
    return "±" + formatQuantity(std::exp(quantile90 * logSd) - 1, Dimension::ratio, {.significant = 2});
}

data::Cell quantityCell(double value, Dimension dimension) {
    return {formatQuantity(value, dimension), value, dimension, std::nullopt, data::Emphasis::none};
}

} // namespace

Json valueJson(const FieldValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            using T = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<T, std::monostate>) {
                return "";
            } else if constexpr (std::is_same_v<T, std::vector<std::string>> ||
                                 std::is_same_v<T, std::vector<std::int64_t>>) {
                std::string out;
                for (const auto& each : v) {
                    out += out.empty() ? "" : ", ";
                    if constexpr (std::is_same_v<T, std::vector<std::string>>)
                        out += each;
                    else
                        out += std::to_string(each);
                }
                return out;
            } else {
                return v;
            }
        },
        value);
}

std::string valueText(const Variable& variable, const FieldValue& value) {
    if (variable.field())
        return fieldText(*variable.field(), value);
    return formatQuantity(*numberOf(value), variable.dimension());
}

std::string sweepText(const Sweep& sweep, const std::vector<const PlanFigure*>& figures,
                      const Terminal& terminal) {
    data::Table table;
    for (const SweepAxis& axis : sweep.axes)
        table.columns.push_back(column(axis.variable.label().c_str(), ColumnKind::text));
    for (const PlanFigure* each : figures)
        table.columns.push_back(column(each->label.data(), ColumnKind::quantity, each->dimension));
    table.columns.push_back(column("", ColumnKind::text));
    table.columns.push_back(column("Limit", ColumnKind::text));
    double most = 0;
    for (const SweepPoint& point : sweep.points) {
        const double value = figureOf(point, figures.front());
        most = point.fits && std::isfinite(value) ? std::max(most, value) : most;
    }
    for (const SweepPoint& point : sweep.points) {
        std::vector<data::Cell> row;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i)
            row.push_back(words(valueText(sweep.axes[i].variable, point.values[i])));
        for (const PlanFigure* each : figures)
            row.push_back(quantityCell(figureOf(point, each), each->dimension));
        const double value = figureOf(point, figures.front());
        const bool drawn = point.runs && point.fits && std::isfinite(value) && most > 0;
        row.push_back(words(drawn ? bar(value / most, barColumns) : ""));
        row.push_back(words(!point.runs   ? point.why
                            : !point.fits ? "Does not fit"
                            : point.bound ? std::string(boundName(*point.bound))
                                          : ""));
        table.rows.push_back({std::move(row)});
    }
    std::string out;
    if (!sweep.complete)
        out += styled(terminal, "Partial: stopped before the last point", Style::warning) + "\n";
    out += tableText(std::move(table), terminal);
    for (const SweepKink& kink : sweep.kinks) {
        std::string at;
        for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
            at += (i == 0 ? "" : ", ") + sweep.axes[i].variable.label() + " " +
                  valueText(sweep.axes[i].variable, kink.values[i]);
        }
        out += paragraphText("At " + at + " the limit changes from " + std::string(boundName(kink.from)) +
                                 " to " + std::string(boundName(kink.to)),
                             terminal, Style::quiet);
    }
    return out;
}

std::string sweepJson(const Sweep& sweep) {
    Json fields = Json::array(), points = Json::array(), kinks = Json::array();
    for (const SweepAxis& axis : sweep.axes)
        fields.push_back(axis.variable.path());
    for (const SweepPoint& point : sweep.points) {
        Json figures = Json::object(), bands = Json::object(), shares = Json::object();
        for (const SweepFigure& each : point.figures) {
            figures[each.figure->path] = numberOrNull(each.value);
            if (each.low != each.high)
                bands[each.figure->path] = {numberOrNull(each.low), numberOrNull(each.high)};
        }
        for (const Bound bound : allBounds)
            if (const double share = point.shares[static_cast<std::size_t>(bound)]; share > 0)
                shares[boundName(bound)] = share;
        Json each = {{"set", setJson(sweep.axes, point.values)},
                     {"runs", point.runs},
                     {"fits", point.fits},
                     {"figures", std::move(figures)},
                     {"bands", std::move(bands)},
                     {"bound", point.bound ? Json(boundName(*point.bound)) : Json(nullptr)},
                     {"shares", std::move(shares)}};
        if (!point.plan.empty()) {
            Json plan = Json::object();
            for (const auto& [path, value] : point.plan)
                plan[path] = value;
            each["plan"] = std::move(plan);
        }
        if (!point.why.empty())
            each["why"] = point.why;
        points.push_back(std::move(each));
    }
    for (const SweepKink& kink : sweep.kinks) {
        kinks.push_back({{"set", setJson(sweep.axes, kink.values)},
                         {"from", boundName(kink.from)},
                         {"to", boundName(kink.to)}});
    }
    return dumped({{"alidade", 1},
                   {"fields", std::move(fields)},
                   {"points", std::move(points)},
                   {"kinks", std::move(kinks)},
                   {"complete", sweep.complete}});
}

std::string sweepCsv(const Sweep& sweep) {
    std::vector<const PlanFigure*> figures;
    for (const SweepPoint& point : sweep.points) {
        for (const SweepFigure& each : point.figures)
            if (std::ranges::find(figures, each.figure) == figures.end())
                figures.push_back(each.figure);
    }
    std::string out;
    for (const SweepAxis& axis : sweep.axes)
        out += data::csvField(axis.variable.path()) + ",";
    out += "runs,fits,bound";
    for (const PlanFigure* each : figures)
        out += "," + std::string(each->path);
    out += "\n";
    for (const SweepPoint& point : sweep.points) {
        for (const FieldValue& value : point.values) {
            const Json json = valueJson(value);
            out += (json.is_string() ? data::csvField(json.get<std::string>()) : json.dump()) + ",";
        }
        out += std::string(point.runs ? "true" : "false") + (point.fits ? ",true," : ",false,") +
               (point.bound ? std::string(boundName(*point.bound)) : "");
        for (const PlanFigure* each : figures) {
            const double value = figureOf(point, each);
            out += "," + (std::isfinite(value) ? Json(value).dump() : "");
        }
        out += "\n";
    }
    return out;
}

std::string sensitivityText(const Sensitivity& s, double step, bool ownError, const Terminal& terminal) {
    std::string out =
        paragraphText(s.figure + " is " + formatQuantity(s.value, s.dimension), terminal, Style::strong);
    data::Table table;
    const std::string percent = formatQuantity(step, Dimension::ratio);
    table.columns = {column("Input", ColumnKind::text),
                     column("Value", ColumnKind::text),
                     column((percent + " less").c_str(), ColumnKind::text),
                     column((percent + " more").c_str(), ColumnKind::text),
                     column("", ColumnKind::text),
                     column("Helps up to", ColumnKind::text)};
    if (ownError) {
        table.columns[2].title = "Low end";
        table.columns[3].title = "High end";
    }
    constexpr std::size_t mostRows = 25;
    const double widest = s.inputs.empty() ? 0 : s.inputs.front().span;
    for (const SensitivityBar& each : s.inputs) {
        if (table.rows.size() == mostRows)
            break;
        const auto change = [&](const std::optional<double>& figure) {
            return words(!figure ? "does not run" : percentText(*figure / s.value - 1));
        };
        table.rows.push_back(
            {{words(each.variable.label()),
              words(valueText(each.variable, each.variable.valueOf(each.value))), change(each.low),
              change(each.high), words(widest > 0 ? bar(each.span / widest, barColumns) : ""),
              words(each.saturatesAt ? valueText(each.variable, each.variable.valueOf(*each.saturatesAt))
                                     : "")}});
    }
    out += tableText(std::move(table), terminal);
    if (!s.ignorance.empty()) {
        out += headingText("Sources of the error band", terminal);
        data::Table causes;
        causes.columns = {
            column("Unknown", ColumnKind::text), column("Share of the variance", ColumnKind::text),
            column("What would measure it", ColumnKind::text), column("Band after", ColumnKind::text)};
        for (const Ignorance& each : s.ignorance) {
            causes.rows.push_back(
                {{words(each.label), words(formatQuantity(each.shareOfVariance, Dimension::ratio)),
                  words(each.measurement), words(bandText(each.logSdAfter))}});
        }
        out += tableText(std::move(causes), terminal);
        std::string together;
        for (const std::string& each : s.halving)
            together += (together.empty() ? "" : "; ") + each;
        out += paragraphText(s.halving.empty()
                                 ? "The band is " + bandText(s.logSd) +
                                       "; no set of these measurements would halve it, because too much of "
                                       "it comes from what the model leaves out"
                                 : "The band is " + bandText(s.logSd) + "; this would halve it: " + together,
                             terminal, Style::quiet);
    }
    return out;
}

std::string sensitivityJson(const Sensitivity& s) {
    Json inputs = Json::array(), ignorance = Json::array();
    for (const SensitivityBar& each : s.inputs) {
        const Variable::Kind kind = each.variable.kind();
        inputs.push_back({{"path", each.variable.path()},
                          {"kind", kind == Variable::Kind::field     ? "field"
                                   : kind == Variable::Kind::catalog ? "catalog"
                                                                     : "constant"},
                          {"value", each.value},
                          {"low_value", each.lowValue},
                          {"high_value", each.highValue},
                          {"low", numberOrNull(each.low)},
                          {"high", numberOrNull(each.high)},
                          {"derivative", numberOrNull(each.derivative)},
                          {"low_bound", boundOrNull(each.lowBound)},
                          {"high_bound", boundOrNull(each.highBound)},
                          {"saturates_at", numberOrNull(each.saturatesAt)}});
    }
    for (const Ignorance& each : s.ignorance) {
        ignorance.push_back({{"path", each.path},
                             {"share_of_variance", each.shareOfVariance},
                             {"measurement", each.measurement},
                             {"log_sd_after", each.logSdAfter}});
    }
    return dumped({{"alidade", 1},
                   {"of", s.figure},
                   {"value", s.value},
                   {"inputs", std::move(inputs)},
                   {"log_sd", s.logSd},
                   {"ignorance", std::move(ignorance)},
                   {"halving", s.halving}});
}

std::string solutionText(const Variable& variable, const Solution& solution, const Goal& goal,
                         const Terminal& terminal) {
    std::string out = paragraphText(
        solution.value ? variable.path() + " = " + valueText(variable, *solution.value) : "None", terminal,
        Style::strong);
    out += paragraphText(solution.why, terminal);
    if (solution.figure) {
        out += paragraphText(goal.figure + " is then " + formatQuantity(*solution.figure, goal.dimension),
                             terminal);
    }
    return out;
}

std::string solutionJson(const Variable& variable, const Solution& solution) {
    return dumped({{"alidade", 1},
                   {"path", variable.path()},
                   {"value", solution.value ? valueJson(*solution.value) : Json(nullptr)},
                   {"figure", numberOrNull(solution.figure)},
                   {"why", solution.why}});
}

} // namespace alidade::cli
