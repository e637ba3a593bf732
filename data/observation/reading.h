// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/prepared.h"
#include "data/prometheus/prometheus_api.h"
#include "model/observation/observation.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Of the tables of percentiles, by the median of their values.
void setBucketWidths(Observation& out, const Prepared& prepared);

/// Asks the queries of the rules, some at a time, and makes tables of the answers. What it is given must
/// outlive it.
class Reading {
public:
    Reading(PrometheusApi& api, Prepared& prepared, const TimeGrid& grid)
        : api_(api)
        , prepared_(prepared)
        , labels_(prepared.mapping.labels)
        , map_(prepared.map)
        , hosts_(prepared.hosts)
        , intervals_(prepared.intervals)
        , grid_(grid)
        , coverage_(api, labels_, map_, hosts_, intervals_, grid, prepared.filled) {}

    /// Lists the queries, and asks what their windows are filled with.
    void ask(const std::vector<const MetricRule*>& rules, std::stop_token stop);
    std::size_t size() const { return queries_.size(); }
    /// Sent so far: queries with small answers go together.
    std::size_t requests() const { return requests_; }
    /// Reads up to `count` queries from the `first` one on.
    void read(std::size_t first, std::size_t count, Observation& out, std::stop_token stop);
    /// Every query failed: what the first one said.
    std::optional<std::string> nothingAnswered() const;
    /// What the first query that failed said; empty: none did.
    const std::string& firstError() const { return firstError_; }
    /// Buckets of the percentiles; order of the tables; warnings once each.
    void finish(Observation& out, std::stop_token stop);

private:
    struct Query {
        const MetricRule* rule;
        Statistic statistic;
        QueryWindows windows;
        std::string expression;
    };
    void take(const Query& query, const Matrix& matrix, Observation& out);
    void warn(const Query& query, const Matrix& matrix, Observation& out) const;
    bool settle(SignalTable& table, const MetricRule& rule, Observation& out) const;

    PrometheusApi& api_;
    Prepared& prepared_;
    const LabelNames& labels_;
    const ClusterMap& map_;
    const JobHosts& hosts_;
    const Intervals& intervals_;
    TimeGrid grid_;
    Coverage coverage_;
    std::vector<Query> queries_;
    std::size_t answered_ = 0, requests_ = 0;
    std::string firstError_;
};

} // namespace alidade::data
