// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/preview.h"

#include "data/observation/intervals.h"
#include "data/observation/signal_rows.h"
#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace alidade::data {
namespace {

std::string threeDigits(double value) {
    std::array<char, 32> text{};
    return {text.data(),
            std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr};
}

/// "between 1.29e+09 and 1.755e+09 Hz".
std::string spanText(double low, double high, std::string_view unit) {
    const std::string what = unit == "1" || unit == "ratio" ? std::string() : ' ' + std::string(unit);
    return low == high ? "now " + threeDigits(low) + what
                       : "now between " + threeDigits(low) + " and " + threeDigits(high) + what;
}

void judge(RulePreview& out, const MetricRule& rule, const Matrix& matrix, std::size_t unnamed,
           std::size_t blanks) {
    double largestRaw = -INFINITY, low = INFINITY, high = -INFINITY;
    for (const double raw : matrix.values)
        if (std::isfinite(raw) && std::fabs(raw) < 1e14)
            largestRaw = std::max(largestRaw, raw);
    for (const RulePreview::Value& each : out.values) {
        low = std::min(low, each.value);
        high = std::max(high, each.value);
    }
    out.odd = true;
    if (matrix.series.empty())
        out.check = "no series now: the name, the selector or the time is wrong, or it is not exported";
    else if (unnamed == matrix.series.size())
        out.check = "no series has the labels that identify rows; check the labels of the mapping";
    else if (std::optional<std::string> wrong = implausible(rule, largestRaw);
             wrong && std::isfinite(largestRaw))
        out.check = *wrong;
    else if (out.values.empty())
        out.check = blanks > 0 ? "nothing but blank values now" : "no values now";
    else {
        out.odd = false;
        out.check = spanText(low, high, signalInfo(rule.signal).unit);
    }
    if (!out.odd && unnamed > 0)
        out.check += "; " + std::to_string(unnamed) + " series lack a label and are left out";
}

} // namespace

Result<RulePreview> previewRule(PrometheusApi& api, const MetricRule& rule, const LabelNames& labels,
                                double time, std::size_t most, std::stop_token stop) {
    if (rule.metric.empty())
        return Error{"the rule names no metric"};
    const TimeGrid now{time, 60, 1};
    const Result<Intervals> intervals = findIntervals(api, {&rule}, {}, now, 0, stop);
    if (!intervals)
        return Error{intervals.error()};
    // An editor shows what is new now: a window no longer than a rate needs.
    QueryWindows windows = intervals->windows(rule, 1);
    RulePreview out;
    const Statistic statistic = statisticsOf(rule).front();
    out.expression = expressionOf(rule, labels, windows, {}, statistic);
    const std::vector<Result<Matrix>> answer = api.instants({out.expression}, time, stop);
    if (!answer.front())
        return Error{answer.front().error()};
    const SignalRows rows = signalRows(*answer.front(), {rule, labels, {}, windows}, statistic);
    const double factor =
        signalInfo(rule.signal).kind == SignalKind::events ? rule.scale * windows.step : rule.scale;
    for (std::size_t i = 0; i < rows.table.rows.size(); ++i)
        if (std::isfinite(rows.table.values[i]))
            out.values.push_back({rows.table.rows[i], rows.table.values[i], rows.table.values[i] / factor});
    out.rows = rows.table.rows.size();
    judge(out, rule, *answer.front(), rows.unnamed, rows.blanks.size());
    if (out.values.size() > most)
        out.values.resize(most);
    return out;
}

} // namespace alidade::data
