// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/collect.h"

#include <memory>

namespace alidade::data {

/// Reads a time that moves on: after the first answer only what is new is asked for, and a little before it,
/// whose samples may have been on their way: a step where the last polls found none that came late, else a
/// minute. Who runs where is asked anew every ten minutes, and whenever
/// job, step or mapping change. One thread at a time.
class ObservationFollower {
public:
    ObservationFollower();
    ~ObservationFollower();

    /// As collectObservation. An error leaves what was read before, so that the next call goes on from there.
    Result<Observation> observe(PrometheusApi& api, const MetricMapping& mapping,
                                const ObservationRequest& request, std::stop_token stop = {});
    /// What each EFA device of a host sent and received on average over the grid, as one value a row: series
    /// that are too many to be read of every host. After observe, for what that read.
    Result<std::vector<SignalTable>> deviceTraffic(PrometheusApi& api, const std::string& host,
                                                   const TimeGrid& grid, std::stop_token stop = {});
    /// The next call reads everything.
    void forget();

private:
    struct Known;
    std::unique_ptr<Known> known_;
};

/// An observation over the grid, with the values of `tail` where it has its own instants, else those of
/// `before`. All three grids have the same step and meet at whole steps.
Observation continued(Observation before, const Observation& tail, const TimeGrid& grid);

} // namespace alidade::data
