// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/autoscaling.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double rounding = 1e-9;

/// Plays one period after another; the second one is in its steady state.
class Scaler {
public:
    Scaler(const TrafficProfile& traffic, const ReplicaFacts& replica, const ScalingPolicy& policy, int extra)
        : replica_(replica)
        , policy_(policy)
        , extra_(extra) {
        const auto steps = static_cast<std::size_t>(std::llround(traffic.period() / policy.interval));
        out_.step = traffic.period() / static_cast<double>(std::max<std::size_t>(1, steps));
        rates_.resize(std::max<std::size_t>(1, steps));
        for (std::size_t i = 0; i < rates_.size(); ++i)
            rates_[i] = traffic.rateAt((static_cast<double>(i) + 0.5) * out_.step);
        lead_ = static_cast<std::size_t>(std::ceil(replica.lead / out_.step - rounding));
        delay_ = static_cast<std::size_t>(std::ceil(policy.scaleDownDelay / out_.step - rounding));
    }

    ReplicaPlan plan() {
        wanted_.resize(rates_.size());
        for (std::size_t i = 0; i < rates_.size(); ++i)
            wanted_[i] = wantedAt(i);
        out_.serving.resize(rates_.size());
        out_.rented.resize(rates_.size());
        decide();
        countLate();
        return std::move(out_);
    }

private:
    int needed(double rate) const {
        const double count = std::ceil(rate * (1 + policy_.headroom) / replica_.rate - rounding);
        return std::max(policy_.minReplicas, static_cast<int>(count)) + extra_;
    }
    /// Decided at a step: by the rate of the step before it; by schedule, by the largest one that comes
    /// before replicas could be started later.
    int wantedAt(std::size_t step) const {
        const std::size_t n = rates_.size();
        if (policy_.kind == ScalingKind::reactive)
            return needed(rates_[(step + n - 1) % n]);
        const std::size_t ahead = policy_.kind == ScalingKind::fixed ? n - 1 : std::min(lead_, n - 1);
        double largest = 0;
        for (std::size_t i = 0; i <= ahead; ++i)
            largest = std::max(largest, rates_[(step + i) % n]);
        return needed(largest);
    }
    /// Rented: the most that was wanted within the delay. Serving: of these, those that have been rented for
    /// the lead time; the ones that leave are the ones that serve no more.
    void decide() {
        const std::size_t n = rates_.size();
        for (std::size_t i = 0; i < n; ++i) {
            int most = 0;
            for (std::size_t back = 0; back <= std::min(delay_, n - 1); ++back)
                most = std::max(most, wanted_[(i + n - back) % n]);
            out_.rented[i] = most;
        }
        for (std::size_t i = 0; i < n; ++i) {
            int least = out_.rented[i];
            for (std::size_t back = 1; back <= std::min(lead_, n - 1); ++back)
                least = std::min(least, out_.rented[(i + n - back) % n]);
            out_.serving[i] = least;
        }
    }
    void countLate() {
        double queue = 0; // requests beyond what the replicas do
        for (int period = 0; period < 2; ++period) {
            out_.requests = out_.late = out_.lateSeconds = out_.busiest = 0;
            for (std::size_t i = 0; i < rates_.size(); ++i) {
                const double count = out_.serving[i], requests = rates_[i] * out_.step;
                const double load = rates_[i] / (count * replica_.rate);
                queue = std::max(0.0, queue + requests - count * replica_.stableRate * out_.step);
                out_.requests += requests;
                out_.busiest = std::max(out_.busiest, load);
                if (load > 1 + rounding || queue > 0) {
                    out_.late += requests;
                    out_.lateSeconds += out_.step;
                }
            }
        }
    }

    const ReplicaFacts& replica_;
    const ScalingPolicy& policy_;
    int extra_;
    std::vector<double> rates_; // of each step
    std::vector<int> wanted_;
    std::size_t lead_ = 0, delay_ = 0; // steps
    ReplicaPlan out_;
};

} // namespace

int ReplicaPlan::least() const { return *std::min_element(serving.begin(), serving.end()); }
int ReplicaPlan::most() const { return *std::max_element(serving.begin(), serving.end()); }

ReplicaPlan scaleReplicas(const TrafficProfile& traffic, const ReplicaFacts& replica,
                          const ScalingPolicy& policy, int extra) {
    return Scaler(traffic, replica, policy, extra).plan();
}

} // namespace alidade
