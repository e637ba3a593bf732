// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/signal_rows.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace alidade::data {
namespace {

/// Blank values of DCGM (dcgm_structs.h): 2^47 for doubles, near 2^63 for whole numbers of 64 bits, and these
/// for those of 32 bits (DCGM_INT32_BLANK and what follows it). No figure of a GPU is as large as the former.
constexpr double blankRaw = 1e14, blank32First = 2147483632, blank32Last = 2147483647;

/// What no GPU can show, in the signal's unit: a mean (or a rate) over time that has blank values among
/// others is neither a blank nor a measurement. 0: no such limit.
double impossibleFrom(Signal signal) {
    switch (signal) {
    case Signal::smClock:
        return 1e11; // Hz
    case Signal::gpuTemperature:
    case Signal::memoryTemperature:
        return 1000; // degC
    case Signal::gpuPower:
        return 1e6; // W
    case Signal::memoryUsed:
        return 1e14; // bytes
    case Signal::nvlinkTransmit:
    case Signal::nvlinkReceive:
    case Signal::pcieTransmit:
    case Signal::pcieReceive:
        return 1e14; // bytes/s
    case Signal::eccSingleBit:
    case Signal::eccDoubleBit:
    case Signal::nvlinkErrors:
    case Signal::rowsRemappedUncorrectable:
    case Signal::rowsRemappedCorrectable:
        return 1e8; // in a step
    case Signal::powerViolation:
    case Signal::thermalViolation:
        return 2; // s per s
    default:
        return 0;
    }
}

std::string_view plainValue(const Labels& labels, std::string_view name) {
    const auto found = std::ranges::find(labels, name, &std::pair<std::string, std::string>::first);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<int> whole(std::string_view text) {
    int value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() && value >= 0 ? std::optional(value)
                                                                                 : std::nullopt;
}

std::optional<double> figure(std::string_view text) {
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// The row that a series belongs to; nullopt where a label is missing.
std::optional<Entity> entityOf(const Labels& labels, const RowRules& rules) {
    Entity out;
    const MetricRule& rule = rules.rule;
    const SignalInfo& info = signalInfo(rule.signal);
    if (info.scope == SignalScope::job)
        return out;
    if (info.scope == SignalScope::engine) {
        out.part = labelValue(labels, rules.labels.engine);
        out.host = hostName(out.part, rules.aliases);
        return out.part.empty() ? std::nullopt : std::optional(out);
    }
    out.host = hostName(labelValue(labels, rule.host.empty() ? rules.labels.host : rule.host), rules.aliases);
    if (out.host.empty())
        return std::nullopt;
    if (info.scope == SignalScope::gpu) {
        const std::optional<int> gpu = whole(labelValue(labels, rules.labels.gpu));
        if (!gpu)
            return std::nullopt;
        out.gpu = *gpu;
    } else if (info.scope == SignalScope::device) {
        out.part = labelValue(labels, rules.labels.device);
        if (out.part.empty())
            return std::nullopt;
    } else if (!rule.part.empty()) {
        out.part = labelValue(labels, rule.part);
    }
    return out;
}

/// From the answer's number to the signal's unit.
double factorOf(const MetricRule& rule, const QueryWindows& windows) {
    return signalInfo(rule.signal).kind == SignalKind::events ? rule.scale * windows.step : rule.scale;
}

bool isBlank(double raw, double value, const MetricRule& rule) {
    if (!std::isfinite(raw))
        return false;
    const bool ofGpu = signalInfo(rule.signal).scope == SignalScope::gpu;
    const bool whole32 = raw >= blank32First && raw <= blank32Last;
    const double impossible = ofGpu ? impossibleFrom(rule.signal) : 0;
    return (ofGpu && (std::fabs(raw) > blankRaw || whole32)) || (impossible > 0 && value >= impossible) ||
           (rule.largest > 0 && value > rule.largest * (1 + 1e-6));
}

/// The values of a series in the signal's unit; remembers where sentinels stood.
std::vector<double> normalized(std::span<const double> raw, const TimeGrid& grid, const Entity& where,
                               const RowRules& rules, std::vector<BlankSpan>& blanks) {
    std::vector<double> out(raw.size(), notMeasured);
    const double factor = factorOf(rules.rule, rules.windows);
    bool open = false;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        const double value = raw[i] * factor;
        const bool blank = isBlank(raw[i], value, rules.rule);
        if (blank && !open)
            blanks.push_back({rules.rule.signal, where, grid.at(i), grid.at(i)});
        else if (blank)
            blanks.back().end = grid.at(i);
        open = blank;
        if (!blank && std::isfinite(value))
            out[i] = value;
    }
    return out;
}

double combined(double a, double b, Combine how) {
    switch (how) {
    case Combine::sum:
        return a + b;
    case Combine::largest:
        return std::max(a, b);
    case Combine::smallest:
        return std::min(a, b);
    default:
        return b; // the same figure by another label set: the one that the server names later
    }
}

/// Of the codes that are present, the one that came last; an old one still echoes for a window. Zero is not a
/// code, but shows that the metric is scraped.
std::vector<double> newestCode(const std::vector<std::vector<double>>& codes, std::size_t points) {
    std::vector<double> out(points, notMeasured);
    std::vector<std::size_t> since(codes.size(), 0);
    for (std::size_t i = 0; i < points; ++i) {
        std::size_t newest = 0;
        for (std::size_t c = 0; c < codes.size(); ++c) {
            const double value = codes[c][i];
            if (std::isnan(value))
                continue;
            if (i == 0 || codes[c][i - 1] != value) // also where it was absent: NaN equals nothing
                since[c] = i + 1;
            if (std::isnan(out[i]) || (value != 0 && (out[i] == 0 || since[c] >= newest))) {
                out[i] = value;
                newest = since[c];
            }
        }
    }
    return out;
}

/// The product of the labels that carry an info's figure.
std::optional<double> figureOf(const Labels& labels, const std::vector<std::string>& names) {
    double product = 1;
    for (const std::string& name : names) {
        const std::optional<double> value = figure(plainValue(labels, name));
        if (!value)
            return std::nullopt;
        product *= *value;
    }
    return product;
}

using Series = std::vector<std::vector<double>>;

std::vector<double> together(const Series& series, const MetricRule& rule, std::size_t points) {
    if (signalInfo(rule.signal).kind == SignalKind::code)
        return newestCode(series, points);
    std::vector<double> out = series.front();
    for (std::size_t s = 1; s < series.size(); ++s) {
        for (std::size_t i = 0; i < points; ++i) {
            const double value = series[s][i];
            if (!std::isnan(value))
                out[i] = std::isnan(out[i]) ? value : combined(out[i], value, combination(rule));
        }
    }
    return out;
}

} // namespace

std::string hostName(std::string_view label, const HostAliases& aliases) {
    std::string_view host = label;
    if (label.starts_with('['))
        host = label.substr(1, label.find(']') - 1);
    else if (std::ranges::count(label, ':') <= 1) // more of them: a bare IPv6 address
        host = label.substr(0, label.find(':'));
    const auto alias = aliases.find(host);
    return alias == aliases.end() ? std::string(host) : alias->second;
}

std::string labelValue(const Labels& labels, std::string_view names) {
    for (const std::string& each : alternatives(names))
        if (const std::string_view value = plainValue(labels, each); !value.empty())
            return std::string(value);
    return {};
}

SignalRows signalRows(const Matrix& matrix, const RowRules& rules, Statistic statistic) {
    SignalRows out;
    const MetricRule& rule = rules.rule;
    out.table.signal = rule.signal;
    out.table.statistic = statistic;
    out.table.metric = rule.metric;
    out.table.note = rule.note;
    out.table.signOnly = rule.signOnly;
    std::map<Entity, Series> rows;
    for (std::size_t s = 0; s < matrix.series.size(); ++s) {
        const Labels& labels = matrix.series[s];
        const std::optional<Entity> where = entityOf(labels, rules);
        const std::optional<double> stated =
            rule.kind == MetricKind::info ? figureOf(labels, rule.figures) : std::nullopt;
        if (!where || (rule.kind == MetricKind::info && !stated)) {
            ++out.unnamed;
            continue;
        }
        if (rules.hosts != nullptr && !where->host.empty() &&
            !std::ranges::binary_search(*rules.hosts, where->host))
            continue;
        std::vector<double> values = normalized(matrix.row(s), matrix.grid, *where, rules, out.blanks);
        if (stated) // the series itself is 1
            for (double& value : values)
                value *= *stated;
        rows[*where].push_back(std::move(values));
    }
    out.table.rows.reserve(rows.size());
    out.table.values.reserve(rows.size() * matrix.grid.points);
    for (const auto& [where, series] : rows) {
        out.table.rows.push_back(where);
        const std::vector<double> row = together(series, rule, matrix.grid.points);
        out.table.values.insert(out.table.values.end(), row.begin(), row.end());
    }
    std::ranges::sort(out.blanks, {},
                      [](const BlankSpan& span) { return std::pair(span.where, span.start); });
    return out;
}

double bucketWidthOf(const SignalTable& table, const std::vector<std::string>& bounds, double scale) {
    std::vector<double> present;
    std::ranges::copy_if(table.values, std::back_inserter(present),
                         [](double x) { return std::isfinite(x); });
    std::vector<double> edges;
    for (const std::string& bound : bounds)
        if (const std::optional<double> edge = figure(bound); edge && std::isfinite(*edge))
            edges.push_back(*edge * scale);
    if (present.empty() || edges.empty())
        return 0;
    std::ranges::sort(edges);
    const auto middle = present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
    std::ranges::nth_element(present, middle);
    const auto upper = std::ranges::lower_bound(edges, *middle);
    if (upper == edges.end())
        return 0;
    return upper == edges.begin() ? *upper : *upper - *std::prev(upper);
}

} // namespace alidade::data
