// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/data_gaps.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace alidade {

/// What a host is there for, as far as its series show.
enum class HostRole : std::uint8_t { training, serving, idle };

/// Rows [begin, end) of a table.
struct RowRange {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
};

/// The rows of a host. The rows of a table are sorted, so they are together.
RowRange rowsOf(const SignalTable& table, std::string_view host);

/// How the rows of one host become one value a point.
enum class Fold : std::uint8_t { sum, mean, least, most };

/// An observation by host: who they are and what they do. Refers to the observation.
class ClusterDigest {
public:
    explicit ClusterDigest(const Observation& observation);

    const Observation& observation() const { return *observation_; }
    const TimeGrid& grid() const { return observation_->grid; }
    std::size_t points() const { return grid().points; }
    double step() const { return grid().step; }
    /// Times of which nothing is known; they are not a fault of anything.
    const DataGaps& gaps() const { return gaps_; }
    bool unobserved(std::size_t point) const { return gaps_.at(point); }
    /// At least one; as many points as this time has.
    std::size_t pointsIn(double seconds) const;

    const std::vector<std::string>& hosts() const { return hosts_; }
    HostRole role(std::size_t host) const { return roles_[host]; }
    HostRole role(std::string_view host) const;
    const std::vector<std::size_t>& training() const { return training_; } ///< indices of hosts
    bool trains(std::string_view host) const { return role(host) == HostRole::training; }

    /// The first statistic of the signal that is there; nullptr: not measured.
    const SignalTable* table(Signal signal) const;
    /// One value a point of a host; NaN where none of its rows has one. Empty: it has no rows.
    std::vector<double> folded(const SignalTable& table, std::string_view host, Fold fold) const;
    /// The same of all hosts of the job: their lower median at each point, where at least half of those that
    /// have rows are measured; `upper` for figures that are worse when they are low. Empty: no rows.
    std::vector<double> jobMedian(Signal signal, Fold fold, bool upper = false) const;

private:
    void findRoles();

    const Observation* observation_;
    DataGaps gaps_;
    std::vector<std::string> hosts_;
    std::vector<HostRole> roles_;
    std::vector<std::size_t> training_;
};

/// Median of the finite values (the lower one of two); NaN if there is none. Sorts its argument partly.
double lowerMedian(std::vector<double>& values);
/// Quantile 0..1 of the finite values, the nearest; NaN if there is none.
double quantileOf(std::vector<double> values, double quantile);

} // namespace alidade
