// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/device_traffic.h"

#include "data/observation/signal_rows.h"

#include <algorithm>

namespace alidade::data {

Result<std::vector<SignalTable>> readDeviceTraffic(PrometheusApi& api, const Prepared& prepared,
                                                   const std::string& host, const TimeGrid& grid,
                                                   std::stop_token stop) {
    JobSelection selection;
    selection.hosts = {host};
    for (const auto& [label, name] : prepared.map.aliases) // targets that are addresses
        if (name == host)
            selection.hosts.push_back(label);
    std::ranges::sort(selection.hosts);
    const double length = std::max(grid.end() - grid.start, grid.step);
    const QueryWindows windows{length, length, length, grid.step};
    const LabelNames& labels = prepared.mapping.labels;
    std::vector<MetricRule> rules;
    std::vector<std::string> queries;
    for (const MetricRule& rule : prepared.rules) {
        if (rule.signal != Signal::efaTransmit && rule.signal != Signal::efaReceive)
            continue;
        rules.push_back(rule);
        rules.back().signal = Signal::efaRetransmitted; // bytes per second, too, but of devices
        queries.push_back(expressionOf(rules.back(), labels, windows, selection));
        rules.back().signal = rule.signal;
    }
    const std::vector<Result<Matrix>> answers = api.instants(queries, grid.end(), std::move(stop));
    std::vector<SignalTable> out;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i])
            return Error{answers[i].error()};
        MetricRule rule = rules[i];
        rule.signal = Signal::efaRetransmitted;
        const std::vector<std::string> hosts{host};
        SignalTable table =
            signalRows(*answers[i], {rule, labels, prepared.map.aliases, windows, &hosts}, Statistic::value)
                .table;
        table.signal = rules[i].signal;
        table.expression = queries[i];
        table.window = length;
        out.push_back(std::move(table));
    }
    return out;
}

} // namespace alidade::data
