// SPDX-License-Identifier: GPL-3.0-or-later
// Which rules a server can answer, which labels its series have, and whether their values look right.
#include "data/observation/collect.h"
#include "data/observation/discover.h"
#include "model/observation/mapping_choice.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::data {
namespace {

/// Alternatives of the host label become the one that every series has, so that the server can select by it.
void settleHostLabels(MetricMapping& mapping, const std::map<std::string, std::vector<Labels>>& sample) {
    for (MetricRule& rule : mapping.rules) {
        const std::vector<std::string> names = alternatives(rule.host);
        const auto series = sample.find(rule.source);
        if (names.size() < 2 || series == sample.end() || series->second.empty())
            continue;
        for (const std::string& name : names) {
            const bool all = std::ranges::all_of(
                series->second, [&](const Labels& labels) { return !labelValue(labels, name).empty(); });
            if (all) {
                rule.host = name;
                break;
            }
        }
    }
}

/// Gauges whose unit can be told from their values.
bool canBeChecked(const MetricRule& rule) {
    return rule.kind == MetricKind::gauge && signalInfo(rule.signal).kind != SignalKind::code;
}

/// The largest value now, without blank sentinels.
std::string largestNow(const MetricRule& rule) {
    return "max(last_over_time(" + rule.metric + (rule.selector.empty() ? "" : '{' + rule.selector + '}') +
           "[300s]) < 1e14)";
}

} // namespace

Result<MetricMapping> detectMapping(PrometheusApi& api, const std::vector<MetricMapping>& presets,
                                    double start, double end, std::stop_token stop) {
    const Result<std::vector<std::string>> names = metricsOf(api, start, end, stop);
    if (!names)
        return Error{names.error()};
    MetricMapping out = chooseRules(presets, *names);

    std::map<std::string, std::vector<Labels>> sample;
    for (const MetricRule& rule : out.rules) {
        if (alternatives(rule.host).size() < 2 || sample.contains(rule.source))
            continue;
        const std::string& metric = rule.metric;
        Result<std::vector<Labels>> series = api.series({metric}, start, end, stop);
        if (!series)
            return Error{series.error()};
        sample[rule.source] = *std::move(series);
    }
    settleHostLabels(out, sample);

    std::vector<const MetricRule*> checked;
    std::vector<std::string> queries;
    for (const MetricRule& rule : out.rules) {
        if (canBeChecked(rule)) {
            checked.push_back(&rule);
            queries.push_back(largestNow(rule));
        }
    }
    const std::vector<Result<Matrix>> answers = api.instants(queries, end, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i])
            return Error{answers[i].error()};
        if (answers[i]->series.empty())
            continue;
        if (std::optional<std::string> odd = implausible(*checked[i], answers[i]->row(0).front()))
            out.notes.push_back(std::move(*odd));
    }
    return out;
}

} // namespace alidade::data
