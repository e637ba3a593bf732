// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/metrics_page.h"

#include "app/cli/page.h"
#include "app/cli/time_text.h"
#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace alidade::cli {

namespace {

using data::Cell;
using data::Column;
using data::ColumnKind;
using data::Emphasis;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

Cell wordCell(const std::string& text, Emphasis emphasis = Emphasis::none) {
    return {text, std::nullopt, Dimension::number, std::nullopt, emphasis};
}

/// Two of the signals are instants.
std::string valueText(double value, const SignalInfo& info) {
    const bool instant = info.signal == Signal::bootTime || info.signal == Signal::lastStep;
    return instant && std::isfinite(value) ? timeText(std::round(value)) : signalText(value, info.unit);
}

Cell valueCell(double value, const SignalInfo& info) {
    return {valueText(value, info), std::isfinite(value) ? std::optional(value) : std::nullopt,
            Dimension::number, std::nullopt, Emphasis::none};
}

Column wordColumn(const char* title) { return {title, ColumnKind::text, Dimension::number, title}; }
Column valueColumn(const char* title) { return {title, ColumnKind::mixed, Dimension::number, title}; }

std::string statisticWord(Statistic statistic) {
    constexpr std::array<const char*, 6> words{"", ", mean", ", p50", ", p90", ", p95", ", p99"};
    return words.at(static_cast<std::size_t>(statistic));
}

/// "32 GPUs": rows in the words of the signal's scope.
std::string rowsText(std::size_t rows, SignalScope scope) {
    constexpr std::array<const char*, 5> one{"GPU", "device", "node", "job", "engine"};
    return formatCount(static_cast<std::int64_t>(rows)) + " " + one.at(static_cast<std::size_t>(scope)) +
           (rows == 1 ? "" : "s");
}

std::string entityText(const Entity& entity) {
    std::string text = entity.host;
    text += entity.gpu < 0 ? "" : (text.empty() ? "GPU " : ", GPU ") + std::to_string(entity.gpu);
    text += entity.part.empty() ? "" : (text.empty() ? "" : " ") + entity.part;
    return text.empty() ? "all" : text;
}

/// How many events there were: a server spreads what it counted over the windows that it was asked for, so
/// that one of them may add up to 1.17.
double wholeCount(double sum) { return sum > 0 ? std::max(1.0, std::round(sum)) : 0; }

/// The figures of a table or of one of its rows.
TableFigures figures(SignalKind kind, std::span<const double> values, const TimeGrid& grid) {
    TableFigures out{unknown, unknown, 0, unknown};
    std::size_t found = 0, rows = 0;
    double sum = 0, events = 0, lastSum = 0, lastLargest = unknown;
    for (std::size_t row = 0; grid.points > 0 && row < values.size() / grid.points; ++row) {
        const auto points = values.subspan(row * grid.points, grid.points);
        std::size_t newest = grid.points;
        double rowSum = 0;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (std::isfinite(points[i])) {
                rowSum += points[i];
                ++found;
                newest = i;
            }
        }
        sum += rowSum;
        events += wholeCount(rowSum);
        if (newest < grid.points) {
            lastSum += points[newest];
            lastLargest = std::fmax(lastLargest, points[newest]);
            out.lastTime = std::fmax(out.lastTime, grid.at(newest));
            ++rows;
        }
    }
    if (found > 0) {
        const bool code = kind == SignalKind::code;
        out.mean = code ? unknown : sum / static_cast<double>(found);
        out.last = code ? lastLargest : lastSum / static_cast<double>(rows);
        out.sum = kind == SignalKind::events ? events : sum;
    }
    return out;
}

data::Table measured(const Observation& observation) {
    data::Table table;
    table.columns = {wordColumn("Signal"), valueColumn("Rows"), valueColumn("Mean"), valueColumn("Newest"),
                     wordColumn("Metric")};
    for (const SignalTable& each : observation.tables) {
        const SignalInfo& info = signalInfo(each.signal);
        const TableFigures f = figuresOf(each, observation.grid);
        const bool events = info.kind == SignalKind::events;
        Cell mean = events ? wordCell(signalText(f.sum, info.unit) + " in all") : valueCell(f.mean, info);
        Cell last = valueCell(f.last, info);
        if (info.signal == Signal::bootTime || info.signal == Signal::lastStep)
            mean = wordCell("\u2013"); // a mean of instants says nothing
        if (each.signOnly) {           // the unit is not known
            mean = wordCell(f.mean > 0 ? "above 0" : "0");
            last = wordCell(f.last > 0 ? "above 0" : "0");
        }
        table.rows.push_back({wordCell(std::string(info.label) + statisticWord(each.statistic)),
                              wordCell(rowsText(each.rows.size(), info.scope)), std::move(mean),
                              std::move(last), wordCell(each.metric)});
    }
    return table;
}

std::string eachRow(const Observation& observation, const Terminal& terminal) {
    std::string out;
    for (const SignalTable& each : observation.tables) {
        const SignalInfo& info = signalInfo(each.signal);
        data::Table table;
        table.columns = {wordColumn("Row"), valueColumn("Mean"), valueColumn("Newest"), wordColumn("at")};
        for (std::size_t i = 0; i < each.rows.size(); ++i) {
            const TableFigures f = figures(info.kind, each.row(i, observation.grid.points), observation.grid);
            table.rows.push_back({wordCell(entityText(each.rows[i])), valueCell(f.mean, info),
                                  valueCell(f.last, info), wordCell(timeText(f.lastTime))});
        }
        out += headingText(std::string(info.label) + statisticWord(each.statistic), terminal) +
               paragraphText(each.expression, terminal, Style::quiet) + tableText(table, terminal);
    }
    return out;
}

std::string listText(const char* title, const std::vector<std::string>& lines, Style style,
                     const Terminal& terminal) {
    std::string out = lines.empty() ? "" : headingText(title, terminal);
    for (const std::string& line : lines)
        out += paragraphText(line, terminal, style);
    return out;
}

/// One line a host: a blank exporter is blank in all GPUs and metrics at once.
void addBlanks(const Observation& observation, std::vector<std::string>& notes) {
    struct Blanks {
        std::set<Signal> metrics;
        std::set<int> gpus;
        double start = std::numeric_limits<double>::infinity(), end = 0;
    };
    std::map<std::string, Blanks> hosts;
    for (const BlankSpan& blank : observation.blanks) {
        Blanks& host = hosts[blank.where.host];
        host.metrics.insert(blank.signal);
        host.gpus.insert(blank.where.gpu);
        host.start = std::min(host.start, blank.start);
        host.end = std::max(host.end, blank.end);
    }
    for (const auto& [name, host] : hosts) {
        const bool one = host.metrics.size() == 1;
        notes.push_back((one ? std::string(signalInfo(*host.metrics.begin()).label)
                             : std::to_string(host.metrics.size()) + " metrics") +
                        " of " + (name.empty() ? "the job" : name) +
                        (host.gpus.size() > 1      ? ", " + std::to_string(host.gpus.size()) + " GPUs"
                         : *host.gpus.begin() >= 0 ? ", GPU " + std::to_string(*host.gpus.begin())
                                                   : std::string()) +
                        ": blank values from " + timeText(host.start) + " to " + timeText(host.end) +
                        ", left out");
    }
}

} // namespace

TableFigures figuresOf(const SignalTable& table, const TimeGrid& grid) {
    return figures(signalInfo(table.signal).kind, table.values, grid);
}

std::string signalText(double value, std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, Dimension>, 8> dimensions{
        {{"s", Dimension::seconds},
         {"bytes", Dimension::bytes},
         {"bytes/s", Dimension::bytesPerSecond},
         {"W", Dimension::watts},
         {"ratio", Dimension::ratio},
         {"FLOP/s", Dimension::flopPerSecond},
         {"tokens", Dimension::tokens},
         {"tokens/s", Dimension::tokensPerSecond}}};
    if (!std::isfinite(value))
        return "\u2013";
    if (unit == "Hz")
        return formatQuantity(value / 1e6, Dimension::number, {.significant = 4}) + " MHz";
    const auto* const known =
        std::ranges::find(dimensions, unit, &std::pair<std::string_view, Dimension>::first);
    if (known != dimensions.end())
        return formatQuantity(value, known->second);
    const std::string number = formatQuantity(value, Dimension::number, {.trimZeros = true});
    return unit == "degC"  ? number + " °C"
           : unit == "1"   ? number
           : unit == "1/s" ? number + "/s"
                           : number + " " + std::string(unit);
}

std::string metricsText(const Observed& answer, bool series, const Terminal& terminal) {
    const Observation& observation = answer.observation;
    const TimeGrid& grid = observation.grid;
    std::string out = styled(terminal, observation.server, Style::strong) + "\n";
    out += paragraphText(answer.server.application +
                             (answer.server.version.empty() ? "" : " " + answer.server.version),
                         terminal);
    out += paragraphText(
        timeText(grid.start) + " to " + timeText(grid.end()) + ", " +
            formatCount(static_cast<std::int64_t>(grid.points)) + " points every " + durationText(grid.step) +
            (observation.scrapeInterval > 0 ? "; scraped every " + durationText(observation.scrapeInterval)
                                            : ""),
        terminal);
    const std::string hosts = formatCount(static_cast<std::int64_t>(observation.hosts.size())) +
                              (observation.hosts.size() == 1 ? " host" : " hosts");
    out += paragraphText((observation.job.empty() ? "All jobs" : "Job " + observation.job) + ", " + hosts,
                         terminal);
    if (!std::isnan(observation.newest))
        out += paragraphText("Newest sample: " + timeText(observation.newest), terminal);
    if (const std::string gaps = gapSentence(answer.noData.gaps, grid); !gaps.empty())
        out += paragraphText(gaps, terminal, Style::warning);
    if (!answer.jobs.empty()) {
        std::string jobs;
        for (const data::JobChoice& job : answer.jobs) {
            jobs += (jobs.empty() ? "" : "; ") + job.job + " (" + job.kind + ", " +
                    std::to_string(job.hosts) + (job.hosts == 1 ? " host)" : " hosts)");
        }
        out += paragraphText(
            "Jobs there: " + jobs + (observation.job.empty() ? "; choose one with --job" : ""), terminal);
    }
    if (observation.tables.empty()) {
        out += "\n" + paragraphText("Nothing that the mapping knows was measured in this time.", terminal,
                                    Style::warning);
    } else {
        out += headingText("Measured", terminal) + tableText(measured(observation), terminal);
    }
    std::vector<std::string> notes;
    for (const SignalTable& each : observation.tables)
        if (!each.note.empty() && each.statistic <= Statistic::mean)
            notes.push_back(std::string(signalInfo(each.signal).label) + ": " + each.note);
    addBlanks(observation, notes);
    std::ranges::copy(answer.mapping.notes, std::back_inserter(notes));
    std::vector<std::string> missing;
    for (const MissingSignal& each : observation.missing)
        missing.push_back(std::string(signalInfo(each.signal).label) + ": " + each.why);
    out += listText("Notes", notes, Style::plain, terminal);
    out += listText("Missing", missing, Style::plain, terminal);
    out += listText("Warnings", observation.warnings, Style::warning, terminal);
    return series ? out + eachRow(observation, terminal) : out;
}

} // namespace alidade::cli
