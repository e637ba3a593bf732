// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/assignment.h"

#include "model/fleet/service_options.h"
#include "model/units/constants.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace alidade {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// The least that the GPU-hours of an option cost, $ of a period.
double leastDollars(const ServiceOption& option, const PoolLimits& pool) {
    const double replicas = std::accumulate(option.plan.rented.begin(), option.plan.rented.end(), 0.0);
    return replicas * option.plan.step / secondsPerHour * static_cast<double>(option.slot) /
           static_cast<double>(pool.gpus) * pool.leastPrice();
}

class Search {
public:
    Search(const std::vector<std::vector<ServiceOption>>& options, const std::vector<PoolLimits>& pools,
           const std::stop_token& stop)
        : options_(options)
        , pools_(pools)
        , stop_(stop)
        , chosen_(options.size(), 0)
        , inPool_(pools.size()) {
        order_.resize(options.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        least_.resize(options.size());
        for (std::size_t s = 0; s < options.size(); ++s)
            for (const ServiceOption& each : options[s])
                least_[s].push_back(leastDollars(each, pools[each.pool]));
        // The services that cost most first: they decide.
        std::ranges::stable_sort(order_, std::ranges::greater(),
                                 [this](std::size_t s) { return cheapest(s); });
        after_.resize(options.size() + 1, 0);
        for (std::size_t i = options.size(); i-- > 0;)
            after_[i] = after_[i + 1] + cheapest(order_[i]);
    }

    AssignmentSearch run() {
        descend(0, 0);
        return std::move(out_);
    }

private:
    using Key = std::vector<std::pair<std::size_t, std::size_t>>; // service and option, ascending

    double cheapest(std::size_t service) const { return *std::ranges::min_element(least_[service]); }

    /// Remembers what a set of options costs.
    double dollarsOf(std::size_t pool) {
        if (inPool_[pool].empty())
            return 0;
        Key key = inPool_[pool];
        std::sort(key.begin(), key.end());
        const auto [found, isNew] = known_[pool].try_emplace(std::move(key), 0.0);
        if (isNew) {
            std::vector<const ServiceOption*> options;
            for (const auto& [service, option] : found->first)
                options.push_back(&options_[service][option]);
            found->second = poolDollars(options, pools_[pool]);
        }
        return found->second;
    }

    void take(double dollars) {
        ++out_.tried;
        if (!(dollars < out_.second.dollars))
            return;
        out_.second = {chosen_, dollars};
        if (out_.second.dollars < out_.best.dollars)
            std::swap(out_.best, out_.second);
    }

    /// \param least bound of what is assigned, by its GPU-hours
    void descend(std::size_t depth, double least) {
        if (stop_.stop_requested()) {
            out_.complete = false;
            return;
        }
        double paid = 0;
        for (std::size_t pool = 0; pool < pools_.size(); ++pool)
            paid += dollarsOf(pool);
        constexpr double rounding = 1 - 1e-12; // of sums in another order
        if (!(rounding * std::max(paid, least + after_[depth]) < out_.second.dollars))
            return;
        if (depth == order_.size()) {
            take(paid);
            return;
        }
        const std::size_t service = order_[depth];
        std::vector<std::size_t> choices(options_[service].size());
        std::iota(choices.begin(), choices.end(), std::size_t{0});
        std::ranges::stable_sort(choices, {}, [&](std::size_t each) { return least_[service][each]; });
        for (const std::size_t each : choices) {
            const std::size_t pool = options_[service][each].pool;
            chosen_[service] = each;
            inPool_[pool].emplace_back(service, each);
            descend(depth + 1, least + least_[service][each]);
            inPool_[pool].pop_back();
        }
    }

    const std::vector<std::vector<ServiceOption>>& options_;
    const std::vector<PoolLimits>& pools_;
    const std::stop_token& stop_;
    std::vector<std::size_t> order_, chosen_;
    std::vector<std::vector<double>> least_; // $, of each option
    std::vector<double> after_;              // $, of the services from this depth on
    std::vector<Key> inPool_;
    std::map<std::size_t, std::map<Key, double>> known_;
    AssignmentSearch out_;
};

} // namespace

double PoolLimits::leastPrice() const {
    double out = never;
    for (const auto& price : {prices.base, prices.block, prices.onDemand})
        out = price ? std::min(out, static_cast<double>(*price) * 1e-9) : out;
    return out;
}

InstanceDemand demandOf(const std::vector<const ServiceOption*>& options, const PoolLimits& pool) {
    InstanceDemand out;
    const ReplicaPlan& first = options.front()->plan;
    out.step = first.step;
    out.counts.reserve(first.rented.size());
    for (std::size_t i = 0; i < first.rented.size(); ++i) {
        std::int64_t slots = 0;
        for (const ServiceOption* each : options)
            slots += each->slot * each->plan.rented[i];
        out.counts.push_back(static_cast<int>(machinesFor(slots, pool.gpus)) + pool.spares);
    }
    return out;
}

double poolDollars(const std::vector<const ServiceOption*>& options, const PoolLimits& pool) {
    const InstanceDemand demand = demandOf(options, pool);
    if (*std::ranges::max_element(demand.counts) > pool.maxInstances)
        return never;
    const auto split = cheapestSplit(demand, pool.prices, pool.baseInstances);
    return split ? split->dollars : never;
}

AssignmentSearch cheapestAssignments(const std::vector<std::vector<ServiceOption>>& options,
                                     const std::vector<PoolLimits>& pools, const std::stop_token& stop) {
    return Search(options, pools, stop).run();
}

} // namespace alidade
