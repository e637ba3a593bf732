// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/reading.h"

#include "data/observation/signal_rows.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

/// Prometheus tells of every rate of a metric whose name does not end in _total; the mapping knows better.
bool isAboutAName(const std::string& warning) {
    return warning.find("might not be a counter") != std::string::npos;
}

void missOnce(Observation& out, Signal signal, std::string why) {
    const bool told =
        std::ranges::any_of(out.missing, [&](const MissingSignal& each) { return each.signal == signal; });
    if (!told)
        out.missing.push_back({signal, std::move(why)});
}

bool anyFinite(const std::vector<double>& values) {
    return std::ranges::any_of(values, [](double x) { return std::isfinite(x); });
}

/// Engines of another make become further rows of the same table.
void addTable(SignalTable table, Observation& out) {
    const auto same = std::ranges::find_if(out.tables, [&](const SignalTable& each) {
        return each.signal == table.signal && each.statistic == table.statistic;
    });
    if (same == out.tables.end()) {
        out.tables.push_back(std::move(table));
        return;
    }
    const std::size_t points = out.grid.points;
    std::vector<std::pair<Entity, std::span<const double>>> rows;
    for (const SignalTable* each : {&*same, &table})
        for (std::size_t row = 0; row < each->rows.size(); ++row)
            rows.emplace_back(each->rows[row], each->row(row, points));
    std::ranges::stable_sort(rows, {}, &std::pair<Entity, std::span<const double>>::first);
    SignalTable merged = *same;
    merged.rows.clear();
    merged.values.clear();
    for (const auto& [where, values] : rows) {
        if (!merged.rows.empty() && merged.rows.back() == where)
            continue;
        merged.rows.push_back(where);
        merged.values.insert(merged.values.end(), values.begin(), values.end());
    }
    merged.metric += " and " + table.metric;
    merged.expression += " or " + table.expression;
    merged.window = std::max(merged.window, table.window);
    *same = std::move(merged);
}

std::string insteadText(const MetricRule& rule) {
    return rule.instead + " is not exported; " + rule.metric + " is shown: " + rule.note;
}

} // namespace

void Reading::ask(const std::vector<const MetricRule*>& rules, std::stop_token stop) {
    coverage_.ask(rules, stop);
    for (const MetricRule* rule : rules) {
        const QueryWindows windows = intervals_.windows(*rule, grid_.step);
        for (const Statistic statistic : statisticsOf(*rule))
            queries_.push_back({rule, statistic, windows,
                                expressionOf(*rule, labels_, windows, hosts_.selection, statistic)});
    }
}

void Reading::read(std::size_t first, std::size_t count, Observation& out, std::stop_token stop) {
    const std::size_t end = std::min(first + count, queries_.size());
    std::vector<std::string> asked;
    for (std::size_t i = first; i < end; ++i)
        asked.push_back(queries_[i].expression);
    requests_ += requestsTogether(asked, prepared_.sizes);
    std::vector<Result<Matrix>> answers = rangesTogether(api_, asked, grid_, prepared_.sizes, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const Query& query = queries_[first + i];
        if (answers[i]) {
            ++answered_;
            take(query, *answers[i], out);
            answers[i] = Error{std::string()}; // its memory is given back before the next one is taken
        } else {
            if (firstError_.empty())
                firstError_ = answers[i].error();
            missOnce(out, query.rule->signal, answers[i].error());
        }
    }
}

void Reading::take(const Query& query, const Matrix& matrix, Observation& out) {
    warn(query, matrix, out);
    const MetricRule& rule = *query.rule;
    const bool chosen = hosts_.selection.kind != JobSelection::Kind::everything;
    SignalRows rows =
        signalRows(matrix, {rule, labels_, map_.aliases, query.windows, chosen ? &hosts_.hosts : nullptr},
                   query.statistic);
    if (rows.unnamed > 0)
        out.warnings.push_back(std::to_string(rows.unnamed) + " series of " + rule.metric +
                               " lack a label that identifies them; the mapping's labels may be wrong");
    out.blanks.insert(out.blanks.end(), rows.blanks.begin(), rows.blanks.end());
    SignalTable& table = rows.table;
    table.expression = query.expression;
    table.window = windowOf(rule, query.windows);
    coverage_.clean(rule, table);
    if (table.rows.empty()) {
        missOnce(out, rule.signal,
                 rule.metric +
                     (chosen ? " has no series of this job in this time" : " has no series in this time"));
    } else if (!anyFinite(table.values)) {
        missOnce(out, rule.signal,
                 rule.metric + (rows.blanks.empty() ? " has no values in this time"
                                                    : " has nothing but blank values in this time"));
    } else if (settle(table, rule, out)) {
        if (!rule.instead.empty())
            missOnce(out, rule.signal, insteadText(rule));
        std::erase_if(out.missing, [&](const MissingSignal& each) { // another make of engine has it
            return each.signal == rule.signal && rule.instead.empty() &&
                   signalInfo(rule.signal).scope == SignalScope::engine;
        });
        addTable(std::move(table), out);
    }
}

bool Reading::settle(SignalTable& table, const MetricRule& rule, Observation& out) const {
    if (rule.perGpu) {
        if (hosts_.gpus == 0) {
            missOnce(out, rule.signal,
                     rule.metric + " covers one GPU, and the number of GPUs of the job is unknown");
            return false;
        }
        for (double& value : table.values)
            value *= static_cast<double>(hosts_.gpus);
    }
    // Read as nanoseconds a share is never above 1; were they microseconds, it would be a thousand times
    // larger.
    const bool ofTime = signalInfo(rule.signal).unit == "ratio" && rule.scale == 1e-9;
    if (table.signOnly && ofTime) {
        const bool certain = std::ranges::any_of(table.values, [](double x) { return x > 1.05e-3; });
        table.signOnly = !certain;
        if (certain)
            table.note = "nanoseconds: as microseconds it would be more than all the time";
    }
    return true;
}

void Reading::warn(const Query& query, const Matrix& matrix, Observation& out) const {
    const auto add = [&](std::string text) {
        if (std::ranges::find(out.warnings, text) == out.warnings.end())
            out.warnings.push_back(std::move(text));
    };
    for (const std::string& warning : matrix.warnings)
        if (!isAboutAName(warning))
            add(warning);
    if (matrix.partial)
        add("the server says that data are missing in its answer for " + query.rule->metric);
    if (!matrix.nativeHistograms.empty())
        add(query.rule->metric + " is a native histogram, which is not supported; use classic buckets");
}

std::optional<std::string> Reading::nothingAnswered() const {
    return answered_ == 0 && !queries_.empty() ? std::optional(firstError_) : std::nullopt;
}

void setBucketWidths(Observation& out, const Prepared& prepared) {
    for (const MetricRule& rule : prepared.rules) {
        const auto bounds = prepared.bounds.find(rule.metric);
        if (bounds == prepared.bounds.end())
            continue;
        for (SignalTable& table : out.tables)
            if (table.signal == rule.signal && table.statistic >= Statistic::p50)
                table.bucketWidth = bucketWidthOf(table, bounds->second, rule.scale);
    }
}

void Reading::finish(Observation& out, std::stop_token stop) {
    for (const Query& query : queries_) {
        const std::string& metric = query.rule->metric;
        if (query.statistic != Statistic::p50 || prepared_.bounds.contains(metric))
            continue;
        // Where they are not answered, the percentiles are no worse for it.
        if (Result<std::vector<std::string>> bounds =
                api_.labelValues("le", {metric + "_bucket"}, grid_.start - grid_.step, grid_.end(), stop))
            prepared_.bounds.emplace(metric, *std::move(bounds));
    }
    setBucketWidths(out, prepared_);
    std::ranges::stable_sort(out.tables, {},
                             [](const SignalTable& t) { return std::pair(t.signal, t.statistic); });
    std::ranges::stable_sort(out.missing, {}, &MissingSignal::signal);
}

} // namespace alidade::data
