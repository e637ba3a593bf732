// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/cluster_digest.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace alidade {
namespace {

double meanOf(std::span<const double> values) {
    double sum = 0;
    std::size_t n = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++n;
        }
    }
    return n == 0 ? notMeasured : sum / static_cast<double>(n);
}

constexpr Signal engineSignals[] = {Signal::requestsRunning,           Signal::requestsPerSecond,
                                    Signal::generationTokensPerSecond, Signal::timeToFirstToken,
                                    Signal::interTokenLatency,         Signal::kvCacheUse};

} // namespace

double lowerMedian(std::vector<double>& values) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return notMeasured;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double quantileOf(std::vector<double> values, double quantile) {
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty())
        return notMeasured;
    const double at = std::round(quantile * static_cast<double>(values.size() - 1));
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

RowRange rowsOf(const SignalTable& table, std::string_view host) {
    const auto range = std::ranges::equal_range(table.rows, host, std::less<>{},
                                                [](const Entity& row) { return std::string_view(row.host); });
    return {static_cast<std::size_t>(range.begin() - table.rows.begin()),
            static_cast<std::size_t>(range.end() - table.rows.begin())};
}

ClusterDigest::ClusterDigest(const Observation& observation)
    : observation_(&observation)
    , gaps_(dataGaps(observation)) {
    std::set<std::string> hosts(observation.hosts.begin(), observation.hosts.end());
    for (const SignalTable& table : observation.tables) {
        const SignalScope scope = signalInfo(table.signal).scope;
        if (scope != SignalScope::gpu && scope != SignalScope::node)
            continue;
        for (const Entity& row : table.rows)
            if (!row.host.empty() && table.signal != Signal::targetUp)
                hosts.insert(row.host);
    }
    hosts_.assign(hosts.begin(), hosts.end());
    findRoles();
}

std::size_t ClusterDigest::pointsIn(double seconds) const {
    return static_cast<std::size_t>(std::max(1.0, std::round(seconds / step())));
}

HostRole ClusterDigest::role(std::string_view host) const {
    const auto found = std::ranges::lower_bound(hosts_, host);
    return found == hosts_.end() || *found != host ? HostRole::idle
                                                   : roles_[static_cast<std::size_t>(found - hosts_.begin())];
}

const SignalTable* ClusterDigest::table(Signal signal) const {
    for (const SignalTable& each : observation_->tables)
        if (each.signal == signal && each.statistic <= Statistic::mean && !each.rows.empty())
            return &each;
    return nullptr;
}

std::vector<double> ClusterDigest::folded(const SignalTable& table, std::string_view host, Fold fold) const {
    const RowRange rows = rowsOf(table, host);
    std::vector<double> out;
    if (rows.size() == 0)
        return out;
    out.assign(points(), notMeasured);
    std::vector<int> counts(fold == Fold::mean ? points() : 0, 0);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const std::span<const double> values = table.row(row, points());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double value = values[i];
            if (!std::isfinite(value))
                continue;
            double& into = out[i];
            if (std::isnan(into))
                into = value;
            else if (fold == Fold::least)
                into = std::min(into, value);
            else if (fold == Fold::most)
                into = std::max(into, value);
            else
                into += value;
            if (fold == Fold::mean)
                ++counts[i];
        }
    }
    for (std::size_t i = 0; i < counts.size(); ++i)
        out[i] = counts[i] > 1 ? out[i] / counts[i] : out[i];
    return out;
}

std::vector<double> ClusterDigest::jobMedian(Signal signal, Fold fold, bool upper) const {
    const SignalTable* from = table(signal);
    std::vector<std::vector<double>> series;
    for (std::size_t i = 0; from != nullptr && i < training_.size(); ++i) {
        std::vector<double> one = folded(*from, hosts_[training_[i]], fold);
        if (!one.empty())
            series.push_back(std::move(one));
    }
    std::vector<double> out(series.empty() ? 0 : points(), notMeasured);
    std::vector<double> column;
    for (std::size_t i = 0; i < out.size(); ++i) {
        column.clear();
        for (const std::vector<double>& one : series)
            if (std::isfinite(one[i]))
                column.push_back(upper ? -one[i] : one[i]);
        if (2 * column.size() >= series.size())
            out[i] = upper ? -lowerMedian(column) : lowerMedian(column);
    }
    return out;
}

/// Engines name the hosts that serve; the job's own times name those that train, or else the activity does.
void ClusterDigest::findRoles() {
    roles_.assign(hosts_.size(), HostRole::training);
    const auto give = [&](const SignalTable* from, HostRole role) {
        std::size_t given = 0;
        for (std::size_t i = 0; from != nullptr && i < from->rows.size(); ++i) {
            const auto found = std::ranges::lower_bound(hosts_, from->rows[i].host);
            if (found != hosts_.end() && *found == from->rows[i].host) {
                roles_[static_cast<std::size_t>(found - hosts_.begin())] = role;
                ++given;
            }
        }
        return given;
    };
    const SignalTable* own = table(Signal::nodeComputeTime);
    if (own != nullptr) {
        std::ranges::fill(roles_, HostRole::idle);
        if (give(own, HostRole::training) == 0) {
            std::ranges::fill(roles_, HostRole::training);
            own = nullptr;
        }
    }
    std::vector<HostRole> before = roles_;
    for (const Signal signal : engineSignals)
        give(table(signal), HostRole::serving);
    if (own != nullptr) // a host that does both trains
        for (std::size_t i = 0; i < roles_.size(); ++i)
            roles_[i] = before[i] == HostRole::training ? before[i] : roles_[i];
    for (const Signal signal : {Signal::tensorActive, Signal::gpuUtilization, Signal::gpuPower}) {
        const SignalTable* activity = own == nullptr ? table(signal) : nullptr;
        if (activity == nullptr)
            continue;
        std::vector<double> means(hosts_.size(), notMeasured);
        double most = 0;
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            if (roles_[i] == HostRole::training) {
                means[i] = meanOf(folded(*activity, hosts_[i], Fold::mean));
                most = std::isfinite(means[i]) ? std::max(most, means[i]) : most;
            }
        }
        const double least = signal == Signal::gpuPower ? 0.5 * most : 0.2 * most;
        for (std::size_t i = 0; i < hosts_.size(); ++i)
            roles_[i] = means[i] < least ? HostRole::idle : roles_[i];
        break;
    }
    for (std::size_t i = 0; i < roles_.size(); ++i)
        if (roles_[i] == HostRole::training)
            training_.push_back(i);
}

} // namespace alidade
