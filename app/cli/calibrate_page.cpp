// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_page.h"

#include "app/cli/cells.h"
#include "app/cli/page.h"
#include "app/cli/time_text.h"
#include "model/units/format.h"

#include <cmath>
#include <map>

namespace alidade::cli {

namespace {

Dimension dimensionOfUnit(const std::string& unit) {
    static const std::map<std::string, Dimension, std::less<>> dimensions{
        {"s", Dimension::seconds},   {"ratio", Dimension::ratio}, {"bytes/s", Dimension::bytesPerSecond},
        {"bytes", Dimension::bytes}, {"W", Dimension::watts},     {"tokens", Dimension::tokens}};
    const auto found = dimensions.find(unit);
    return found == dimensions.end() ? Dimension::number : found->second;
}

std::string valueText(double value, const std::string& unit) {
    if (std::isnan(value))
        return "-";
    if (std::isinf(value))
        return "no bound";
    if (unit == "Hz")
        return formatQuantity(value / 1e6, Dimension::number) + " MHz";
    const Dimension dimension = dimensionOfUnit(unit);
    const bool bare = dimension == Dimension::number && unit != "1" && !unit.empty();
    return formatQuantity(value, dimension) + (bare ? " " + unit : "");
}

data::Cell number(double value, const std::string& unit) {
    return {valueText(value, unit), value, dimensionOfUnit(unit), std::nullopt, data::Emphasis::none};
}

std::string measuredText(const LiveCalibration& c, const Terminal& terminal) {
    using enum data::ColumnKind;
    data::Table table;
    table.columns = {column("Measured", text), column("Planned", mixed), column("Measured value", mixed),
                     column("Low", mixed), column("High", mixed)};
    for (const CalibratedParameter& p : c.parameters) {
        if (!p.applied) {
            table.rows.push_back(
                {words(p.label), number(p.before, p.unit),
                 p.interval ? words("only bounds", data::Emphasis::quiet) : number(p.after, p.unit),
                 number(p.low, p.unit), number(p.high, p.unit)});
        }
    }
    if (table.rows.empty())
        return {};
    std::string out = tableText(table, terminal);
    for (const CalibratedParameter& p : c.parameters)
        if (!p.applied && p.interval)
            out += paragraphText(p.label + ": " + p.how + ".", terminal, Style::quiet);
    return out;
}

std::string constantsText(const LiveCalibration& c, const Terminal& terminal) {
    using enum data::ColumnKind;
    data::Table table;
    table.columns = {column("Constant", text), column("Before", mixed),
                     column("After", mixed),   column("Low", mixed),
                     column("High", mixed),    column("From data", quantity, Dimension::ratio),
                     column("Note", text)};
    std::string kept;
    for (const CalibratedParameter& p : c.parameters) {
        if (!p.applied)
            continue;
        if (!p.changed) {
            kept += (kept.empty() ? "" : ", ") + p.name;
            continue;
        }
        table.rows.push_back({words(p.name), number(p.before, p.unit), number(p.after, p.unit),
                              number(p.low, p.unit), number(p.high, p.unit), number(p.dataShare, "ratio"),
                              words(p.how, data::Emphasis::quiet)});
    }
    std::string out = table.rows.empty() ? std::string() : tableText(table, terminal);
    if (!kept.empty())
        out += paragraphText("Unchanged: " + kept + ".", terminal, Style::quiet);
    return out;
}

std::string excludedText(const LiveCalibration& c, const Terminal& terminal) {
    struct Reason {
        int times = 0;
        double seconds = 0;
    };
    std::map<std::string, Reason> reasons;
    for (const ExcludedWindow& window : c.excluded) {
        ++reasons[window.why].times;
        reasons[window.why].seconds += window.end - window.start;
    }
    std::string out;
    for (const auto& [why, reason] : reasons) {
        out += paragraphText(why + ": " + durationText(reason.seconds) +
                                 (reason.times > 1 ? " in " + std::to_string(reason.times) + " windows" : ""),
                             terminal);
    }
    return out;
}

std::string errorText(const ErrorFigures& error) {
    return "median " + formatQuantity(error.median, Dimension::ratio) + ", mean " +
           formatQuantity(error.mean, Dimension::ratio);
}

} // namespace

std::string calibrationText(const LiveCalibration& c, const Terminal& terminal) {
    std::string out = paragraphText(c.source, terminal, Style::strong);
    if (c.end > 0) {
        out += paragraphText(timeText(c.start) + " to " + timeText(c.end) + ", " + std::to_string(c.samples) +
                                 " windows, spread " + formatQuantity(c.spread, Dimension::ratio),
                             terminal);
    } else {
        out += paragraphText(std::to_string(c.samples) + " measurements, spread " +
                                 formatQuantity(c.spread, Dimension::ratio),
                             terminal);
    }
    out += headingText("Figures of the cluster", terminal) + measuredText(c, terminal);
    out += headingText("Constants of the profile", terminal) + constantsText(c, terminal);
    if (const std::string left = excludedText(c, terminal); !left.empty())
        out += headingText("Left out", terminal) + left;
    for (const ConfoundedPair& pair : c.confounded) {
        out += paragraphText("The measurements cannot separate " + c.parameters[pair.first].name + " and " +
                                 c.parameters[pair.second].name + " apart.",
                             terminal, Style::warning);
    }
    if (!c.notes.empty()) {
        out += headingText("What these measurements do not determine", terminal);
        for (const std::string& note : c.notes)
            out += paragraphText(note, terminal);
    }
    out += headingText("Error of the " + c.quantity, terminal);
    out += paragraphText("Before: " + errorText(c.before), terminal);
    out += paragraphText("After: " + errorText(c.after), terminal);
    if (c.leftOut)
        out += paragraphText("On what was left out of the fit: " + errorText(*c.leftOut), terminal);
    return out;
}

} // namespace alidade::cli
