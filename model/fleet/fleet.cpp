// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/fleet.h"

#include "model/base/text.h"
#include "model/estimate/evaluate_serving.h"
#include "model/estimate/load_curve.h"
#include "model/fleet/assignment.h"
#include "model/fleet/fleet_bill.h"
#include "model/fleet/service_options.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/scenario.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace alidade {

namespace {

using Options = std::vector<std::vector<ServiceOption>>;

class Planner {
public:
    Planner(const Fleet& fleet, const Catalog& catalog, const Profile& profile, const std::stop_token& stop,
            const std::function<void(double)>& progress)
        : fleet_(fleet)
        , catalog_(catalog)
        , profile_(profile)
        , stop_(stop)
        , progress_(progress) {}

    Result<FleetAnswer> answer() {
        if (const std::string wrong = check(); !wrong.empty())
            return Error{wrong};
        for (const FleetPool& pool : fleet_.pools) {
            std::string& missing = missingPrices_.emplace_back();
            out_.prices.push_back(pricesOf(fleet_.services.front().spec, pool, catalog_, profile_, missing));
            if (!missing.empty())
                out_.notes.push_back(pool.name + ": " + missing);
            limits_.push_back(limitsOf(pool, out_.prices.back(), catalog_));
        }
        findOptions();
        for (std::size_t s = 0; s < options_.size(); ++s)
            if (options_[s].empty() && out_.whyNot.empty())
                out_.whyNot = "No pool can serve " + fleet_.services[s].name + " within its targets";
        if (out_.whyNot.empty())
            search();
        for (std::size_t s = 0; s < parked_.size(); ++s) {
            for (const ServiceOption& each : parked_[s]) {
                out_.rejected.push_back({.service = s,
                                         .pool = each.pool,
                                         .layout = each.layout,
                                         .reason = RejectionReason::dominated,
                                         .detail = betterThan(s, each)});
            }
        }
        out_.complete = !stop_.stop_requested();
        return std::move(out_);
    }

private:
    std::string check() const {
        for (std::size_t i = 0; i < fleet_.pools.size(); ++i) {
            if (gpusOfMachine(catalog_, fleet_.pools[i].machine) < 1) {
                const std::string& id = fleet_.pools[i].machine;
                const std::string near = nearestName(id, machines());
                return "/fleet/pools/" + std::to_string(i) + "/instance: there is no machine '" + id +
                       "' in the catalog; " +
                       (near.empty() ? "use the id of an instance type or UltraServer"
                                     : "did you mean '" + near + "'?");
            }
        }
        for (std::size_t i = 0; i < fleet_.pools.size(); ++i) {
            const std::string& id = fleet_.pools[i].storage;
            if (std::ranges::find(catalog_.storage, id, &StorageTier::id) == catalog_.storage.end()) {
                std::vector<std::string> known;
                for (const StorageTier& each : catalog_.storage)
                    known.push_back(each.id);
                const std::string near = nearestName(id, known);
                return "/fleet/pools/" + std::to_string(i) + "/storage: there is no storage '" + id +
                       "' in the catalog; " +
                       (near.empty() ? "use the id of a file system or of S3"
                                     : "did you mean '" + near + "'?");
            }
        }
        for (std::size_t i = 0; i < fleet_.services.size(); ++i) {
            const ScenarioSpec& spec = fleet_.services[i].spec;
            const std::string place = "/fleet/services/" + std::to_string(i) + "/scenario";
            if (!spec.workload.isServing())
                return place + ": is not a serving scenario; a fleet serves requests";
            const auto resolved =
                resolve(replicaOn(fleet_.services[i], fleet_.pools.front(), catalog_, 0), catalog_, profile_);
            if (!resolved)
                return place + resolved.error();
        }
        return {};
    }

    std::vector<std::string> machines() const {
        std::vector<std::string> out;
        for (const Instance& each : catalog_.instances)
            out.push_back(each.id);
        for (const UltraServer& each : catalog_.ultraservers)
            out.push_back(each.id);
        return out;
    }

    void show(double share) const {
        if (progress_)
            progress_(share);
    }

    void findOptions() {
        options_.resize(fleet_.services.size());
        parked_.resize(fleet_.services.size());
        const std::size_t all = fleet_.services.size() * fleet_.pools.size();
        for (std::size_t at = 0; at < all && !stop_.stop_requested(); ++at) {
            const std::size_t service = at / fleet_.pools.size(), pool = at % fleet_.pools.size();
            show(0.5 * static_cast<double>(at) / static_cast<double>(all));
            if (mayUse(fleet_.services[service], fleet_.pools[pool]))
                addOptions(service, pool);
        }
    }

    static bool mayUse(const FleetService& service, const FleetPool& pool) {
        return service.pools.empty() || std::ranges::find(service.pools, pool.name) != service.pools.end();
    }

    void addOptions(std::size_t service, std::size_t pool) {
        for (const int degree :
             degreesToTry(fleet_.services[service], gpusOfMachine(catalog_, fleet_.pools[pool].machine))) {
            addOption(service, pool, degree, false);
        }
        parkDominated(service, pool);
    }

    /// \param verify by the simulation
    void addOption(std::size_t service, std::size_t pool, int degree, bool verify) {
        auto [option, why] =
            serviceCapacity(fleet_.services[service], fleet_.pools[pool], catalog_, profile_, degree, verify);
        why.service = service;
        why.pool = pool;
        if (!option) {
            out_.rejected.push_back(std::move(why));
            return;
        }
        option->pool = pool;
        if (!planReplicas(fleet_.services[service], *option)) {
            why.reason = RejectionReason::late;
            why.detail = formatQuantity(option->plan.onTime(), Dimension::ratio) + " come in time";
            out_.rejected.push_back(std::move(why));
            return;
        }
        keepIfPossible(service, *std::move(option));
    }

    /// Sets options aside that another one on the same pool makes useless; of equal ones the first one stays.
    void parkDominated(std::size_t service, std::size_t pool) {
        std::vector<ServiceOption>& all = options_[service];
        for (std::size_t i = all.size(); i-- > 0;) {
            bool worse = false;
            for (std::size_t j = 0; j < all.size() && all[i].pool == pool; ++j) {
                worse = worse || (j != i && all[j].pool == pool && dominates(all[j], all[i]) &&
                                  (j < i || !dominates(all[i], all[j])));
            }
            if (worse) {
                parked_[service].push_back(std::move(all[i]));
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }

    /// "tensor 2: 3.1 requests/s per GPU, against 2.4"; empty if the option that was better is gone itself.
    std::string betterThan(std::size_t service, const ServiceOption& parked) const {
        const auto perGpu = [](const ServiceOption& option) {
            return formatQuantity(option.facts.rate / static_cast<double>(option.slot), Dimension::number);
        };
        for (const ServiceOption& kept : options_[service])
            if (kept.pool == parked.pool && dominates(kept, parked))
                return kept.layout + ": " + perGpu(kept) + " requests/s per GPU, against " + perGpu(parked);
        return {};
    }

    /// An option on this pool turned out to carry less: the others there are of interest again.
    void returnParked(std::size_t service, std::size_t pool) {
        std::erase_if(parked_[service], [&](ServiceOption& each) {
            if (each.pool != pool)
                return false;
            options_[service].push_back(std::move(each));
            return true;
        });
    }

    /// Leaves out what the pool cannot carry even alone.
    void keepIfPossible(std::size_t service, ServiceOption option) {
        const PoolLimits& pool = limits_[option.pool];
        RejectedOption why{.service = service, .pool = option.pool, .layout = option.layout, .detail = {}};
        const InstanceDemand alone = demandOf({&option}, pool);
        const int most = *std::ranges::max_element(alone.counts);
        if (most > pool.maxInstances) {
            why.reason = RejectionReason::tooFewInstances;
            why.detail = formatCount(most) + " are needed with spares, " + formatCount(pool.maxInstances) +
                         " can be had";
            out_.rejected.push_back(std::move(why));
        } else if (!cheapestSplit(alone, pool.prices, pool.baseInstances)) {
            why.reason = RejectionReason::noPrice;
            why.detail = missingPrices_[option.pool];
            out_.rejected.push_back(std::move(why));
        } else {
            options_[service].push_back(std::move(option));
        }
    }

    /// Until the best assignment rests on verified replicas alone: each one that it uses is checked by the
    /// simulation, and what is found replaces the closed form.
    void search() {
        AssignmentSearch found;
        for (int round = 0; !stop_.stop_requested(); ++round) {
            found = cheapestAssignments(options_, limits_, stop_);
            out_.tried = found.tried;
            out_.assignments = 1;
            for (const auto& each : options_)
                out_.assignments *= each.size();
            show(1 - 0.5 / (1 + 0.2 * round));
            if (!found.best.found() || !verify(found.best))
                break;
            if (std::ranges::any_of(options_, [](const auto& each) { return each.empty(); })) {
                found = {};
                break;
            }
        }
        if (!found.best.found()) {
            out_.whyNot = "Together the services need more instances than the pools have";
            return;
        }
        out_.best = planOf(found.best);
        if (found.second.found())
            out_.second = planOf(found.second);
    }

    /// \returns whether something was not verified before
    bool verify(const Assignment& assignment) {
        std::vector<std::size_t> open;
        for (std::size_t s = 0; s < options_.size(); ++s)
            if (!options_[s][assignment.choice[s]].verified)
                open.push_back(s);
        for (const std::size_t s : open) {
            const ServiceOption before = options_[s][assignment.choice[s]];
            options_[s].erase(options_[s].begin() + static_cast<std::ptrdiff_t>(assignment.choice[s]));
            addOption(s, before.pool, static_cast<int>(before.spec.plan.tensorParallel.value_or(0)), true);
            const auto again = std::ranges::find_if(options_[s], [&](const ServiceOption& each) {
                return each.verified && each.pool == before.pool && each.layout == before.layout;
            });
            if (again == options_[s].end() || again->facts.rate < before.facts.rate)
                returnParked(s, before.pool);
        }
        return !open.empty();
    }

    FleetPlan planOf(const Assignment& assignment) const {
        FleetPlan out;
        std::vector<std::vector<const ServiceOption*>> inPool(fleet_.pools.size());
        for (std::size_t s = 0; s < options_.size(); ++s) {
            const ServiceOption& option = options_[s][assignment.choice[s]];
            inPool[option.pool].push_back(&option);
            out.services.push_back(placed(s, option));
        }
        for (std::size_t p = 0; p < fleet_.pools.size(); ++p) {
            if (!inPool[p].empty()) {
                out.pools.push_back(plannedPool(fleet_.pools[p], p, demandOf(inPool[p], limits_[p]),
                                                limits_[p], out_.prices[p]));
                out.total += out.pools.back().total;
            }
        }
        shareBill(out);
        return out;
    }

    PlacedService placed(std::size_t service, const ServiceOption& option) const {
        PlacedService out{.service = service, .option = option, .ttftTarget = {}, .itlTarget = {}};
        const auto scenario = resolve(option.spec, catalog_, profile_);
        const ServingTargets targets = servingTargets(*scenario);
        out.percentile = targets.percentile;
        out.ttftTarget = targets.ttft;
        out.itlTarget = targets.itl;
        // The busiest moment that still counts as on time, the whole peak where the replicas keep up.
        out.peakRate = std::min(1.0, option.plan.busiest) * option.facts.rate;
        const auto totals = std::make_unique<ServingTotals>();
        evaluateShown(*scenario, out.peakRate * samplesOf(option.spec.workload), targets, *totals);
        out.utilization = out.peakRate / option.facts.stableRate;
        out.ttft = quantileOf(totals->ttftPercentiles, targets.percentile);
        out.itl = quantileOf(totals->itlPercentiles, targets.percentile);
        out.gpuHours = std::accumulate(option.plan.rented.begin(), option.plan.rented.end(), 0.0) *
                       option.plan.step / secondsPerHour * static_cast<double>(option.slot);
        return out;
    }

    /// Each service pays the part of its pool's bill that its GPU-hours are of all.
    void shareBill(FleetPlan& plan) const {
        for (const PlannedPool& pool : plan.pools) {
            double all = 0;
            for (const PlacedService& each : plan.services)
                all += each.option.pool == pool.pool ? each.gpuHours : 0;
            for (PlacedService& each : plan.services) {
                if (each.option.pool != pool.pool)
                    continue;
                const WorkloadSpec& workload = each.option.spec.workload;
                const ReplicaPlan& replicas = each.option.plan;
                const double hours =
                    replicas.step * static_cast<double>(replicas.serving.size()) / secondsPerHour;
                const double tokens = replicas.requests * monthHours / hours *
                                      (workload.inputTokens.value_or(0) +
                                       samplesOf(workload) * workload.outputTokens.value_or(0));
                each.dollars = dollarsOf(pool.total) * each.gpuHours / all;
                each.dollarsPerMillionTokens = tokens > 0 ? each.dollars / tokens * 1e6 : 0;
            }
        }
    }

    const Fleet& fleet_;
    const Catalog& catalog_;
    const Profile& profile_;
    const std::stop_token& stop_;
    const std::function<void(double)>& progress_;
    std::vector<PoolLimits> limits_;
    std::vector<std::string> missingPrices_; // of each pool, what is said of them
    Options options_, parked_;
    FleetAnswer out_;
};

} // namespace

Result<FleetAnswer> planFleet(const Fleet& fleet, const Catalog& catalog, const Profile& profile,
                              const std::stop_token& stop, const std::function<void(double)>& progress) {
    return Planner(fleet, catalog, profile, stop, progress).answer();
}

} // namespace alidade
