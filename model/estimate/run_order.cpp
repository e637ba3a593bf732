// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/run_order.h"

#include "model/base/text.h"
#include "model/cost/storage_price.h"
#include "model/estimate/assemble_order.h"
#include "model/estimate/reinforcement.h"
#include "model/scenario/role_scenarios.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

namespace {

/// What an order follows from.
struct Needs {
    double hours = 0;
    double kilowattHours = 0;
    double storageBytes = 0; ///< provisioned
    double storagePrice = 0; ///< of a GB for a month; 0: unknown
    std::string storage;     ///< catalog id
    std::optional<ErrorBand> band;
};

/// "FSx for Lustre, persistent2-1000" of the catalog's "fsx-lustre-persistent2-1000".
std::string storageName(const std::string& id) {
    constexpr std::string_view lustre = "fsx-lustre-", objects = "s3-";
    if (id.starts_with(objects))
        return "Amazon S3, " + id.substr(objects.size());
    return id.starts_with(lustre) ? "FSx for Lustre, " + id.substr(lustre.size()) : "File system " + id;
}

template <class N>
std::optional<N> secondsOf(const EstimateT<N>& estimate) {
    return estimate.training        ? estimate.training->runTime
           : estimate.reinforcement ? estimate.reinforcement->runTime
                                    : std::nullopt;
}

template <class N>
std::optional<ErrorBand> bandOf(const EstimateT<N>& estimate) {
    if (estimate.run && estimate.run->days && valueOf(estimate.run->days->p50) > 0) {
        const RunDaysT<N>& days = *estimate.run->days;
        const double middle = valueOf(days.p50);
        return ErrorBand{valueOf(days.p10) / middle, valueOf(days.p90) / middle};
    }
    return timeErrorBand(estimate);
}

template <class N>
std::optional<Needs> needsOf(const Scenario& scenario, const EstimateT<N>& estimate) {
    const std::optional<N> seconds = secondsOf(estimate);
    if (!estimate.cost || !scenario.hasPrice || !seconds)
        return std::nullopt;
    Needs out{.hours = valueOf(*seconds) / secondsPerHour, .storage = {}, .band = bandOf(estimate)};
    if (estimate.cost->energyKwh)
        out.kilowattHours = valueOf(*estimate.cost->energyKwh);
    if (estimate.run) {
        out.storageBytes = valueOf(estimate.run->storageBytes);
        out.storage = estimate.run->storage;
        out.storagePrice = scenario.inputs[Input::storagePrice];
    } else if (estimate.reinforcement) {
        out.storageBytes = valueOf(estimate.reinforcement->storageBytes);
        out.storage = estimate.reinforcement->storage;
        out.storagePrice = scenario.roles->train.inputs[Input::storagePrice];
    }
    return out;
}

/// The file system that a run provisions. FSx meters the provisioned number of GiB as GB, for the part of a
/// month of 730 hours that it exists. Empty: none is provisioned, or it has no price.
std::vector<OrderedService> storageServices(const Needs& needs, double hours) {
    if (!(needs.storageBytes > 0) || !(hours > 0))
        return {};
    const double gigabytes = billedGigabytes(needs.storageBytes);
    const Thousandths quantity = thousandths(gigabytes * hours / monthHours);
    if (!(needs.storagePrice > 0) || quantity <= 0)
        return {};
    return {{.kind = OrderLineKind::storage,
             .text = storageName(needs.storage) + ", " + formatCount(static_cast<std::int64_t>(gigabytes)) +
                     " GB",
             .unit = "GB-months",
             .quantity = quantity,
             .price = nanoDollars(needs.storagePrice)}};
}

std::optional<Order> orderFor(const Scenario& scenario, const Needs& needs, double timeFactor) {
    const double hours = needs.hours * timeFactor;
    if (!isBillable(hours))
        return std::nullopt;
    std::vector<OrderedService> services = storageServices(needs, hours);
    std::ranges::move(energyServices(scenario, needs.kilowattHours * timeFactor),
                      std::back_inserter(services));
    return trainingOrder(scenario, hours, services);
}

} // namespace

std::optional<double> runSeconds(const Estimate& estimate) { return secondsOf(estimate); }

std::optional<ErrorBand> durationBand(const Estimate& estimate) { return bandOf(estimate); }

std::optional<RunTotal> runTotal(const Cost& cost) {
    if (!cost.dollarsPerRun)
        return std::nullopt;
    if (!cost.order)
        return RunTotal{.dollars = *cost.dollarsPerRun, .low = {}, .high = {}};
    RunTotal out{.dollars = dollarsOf(cost.order->beforeTax), .low = {}, .high = {}, .ordered = true};
    if (cost.orderBand) {
        out.low = dollarsOf(cost.orderBand->low);
        out.high = dollarsOf(cost.orderBand->high);
    }
    return out;
}

std::optional<Order> runOrder(const Scenario& scenario, const Estimate& estimate, double timeFactor) {
    const std::optional<Needs> needs = needsOf(scenario, estimate);
    return needs ? orderFor(scenario, *needs, timeFactor) : std::nullopt;
}

template <class N>
void addRunOrder(const Scenario& scenario, EstimateT<N>& estimate) {
    const std::optional<Needs> needs = needsOf(scenario, estimate);
    std::optional<Order> order = needs ? orderFor(scenario, *needs, 1) : std::nullopt;
    if (!order)
        return;
    if (needs->band) {
        const std::optional<Order> low = orderFor(scenario, *needs, needs->band->low);
        const std::optional<Order> high = orderFor(scenario, *needs, needs->band->high);
        if (low && high)
            estimate.cost->orderBand = OrderBand{low->beforeTax, high->beforeTax};
    }
    estimate.cost->order = std::move(order);
}

template void addRunOrder(const Scenario&, EstimateT<double>&);
template void addRunOrder(const Scenario&, EstimateT<Traced>&);

} // namespace alidade
