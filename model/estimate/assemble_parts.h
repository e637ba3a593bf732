// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/quantiles.h"
#include "model/base/text.h"
#include "model/cost/order.h"
#include "model/cost/run_cost.h"
#include "model/estimate/estimate.h"
#include "model/estimate/rent.h"
#include "model/explain/traced.h"
#include "model/scenario/scenario.h"
#include "model/training/step_cost.h"
#include "model/units/constants.h"
#include "model/units/dimension.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

// What the estimates of training and of serving are put together with.

template <class N>
struct Band {
    N low, high;
};

/// 10 % and 90 % quantiles of a log-normal predictive error of a figure of this dimension.
template <class N>
Band<N> band(const N& value, const N& logSd, Dimension dimension) {
    using std::exp;
    const N factor = named(exp(quantile90 * logSd), "band_factor", Dimension::number,
                           "exp(1.2816 x sd of ln): 10 % and 90 % quantiles");
    return {named(value / factor, "low", dimension), named(value * factor, "high", dimension)};
}

template <class N>
Bound largestShare(const BoundTimes<N>& times) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < times.seconds.size(); ++i)
        if (valueOf(times.seconds[i]) > valueOf(times.seconds[best]))
            best = i;
    return static_cast<Bound>(best);
}

template <class N>
CommunicationT<N> communicationOf(const CommCost<N>& comm) {
    return {std::string(comm.op), std::string(comm.group), comm.fabric,  comm.phase,
            comm.bytes,           comm.wireBytes,          comm.seconds, comm.exposed,
            comm.networkBytes,    comm.nvlinkBytes,        comm.kind,    comm.algorithm};
}

/// \param boundOf what a StepPart is charged to on this machine
template <class N, class BoundOf>
LayerT<N> layerOf(const LayerCost<N>& cost, const BoundOf& boundOf, std::string kind, std::string title,
                  int count, std::optional<int> stage = std::nullopt) {
    LayerT<N> out;
    out.kind = std::move(kind);
    out.title = std::move(title);
    out.count = count;
    out.stage = stage;
    out.seconds = cost.seconds;
    BoundTimes<N> byBound;
    for (std::size_t i = 0; i < layerPartCount; ++i)
        byBound[boundOf(static_cast<StepPart>(i))] += cost.byPart.seconds[i];
    out.bound = largestShare(byBound);
    for (const OpCost<N>& op : cost.ops) {
        out.ops.push_back({op.name, op.phase, op.flops, op.bytes, op.seconds, op.bound, op.intensity,
                           op.efficiency, op.launch, op.work});
    }
    for (const CommCost<N>& comm : cost.communication)
        out.communication.push_back(communicationOf(comm));
    return out;
}

/// Not what is computed from something else of the estimate. A peak is a fact of the GPU, also where the
/// formats of the weights choose which of its peaks counts.
inline bool isAssumption(const Scenario& scenario, Input input, const InputOrigin& origin) {
    if (!origin.used || origin.kind != SourceKind::derived)
        return origin.used;
    return input == Input::peak || (input == Input::expertPeak && scenario.model.moe);
}

template <class N>
std::vector<AssumptionT<N>> assumptionsOf(const Scenario& scenario, const InputsT<N>& in) {
    std::vector<AssumptionT<N>> out;
    for (std::size_t i = static_cast<std::size_t>(Input::expertImbalance); i < inputCount; ++i) {
        const InputOrigin& origin = scenario.origins[i];
        const auto input = static_cast<Input>(i);
        if (!isAssumption(scenario, input, origin))
            continue;
        const InputInfo& info = inputInfo(input);
        out.push_back({info.name, in.values[i], std::string(baseUnitName(info.dimension)),
                       origin.source.str(), origin.kind, info.dimension, info.label});
    }
    return out;
}

/// Hours as they are billed, to a thousandth.
inline double asBilledHours(double /*exact*/, Thousandths billed) {
    return static_cast<double>(billed) / 1e3;
}
inline Traced asBilledHours(const Traced& exact, Thousandths billed) {
    const double seconds = (static_cast<double>(billed) / 1e3 - exact.value()) * secondsPerHour;
    return exact + derivedLeaf(exact, seconds, "rounding", Dimension::seconds,
                               "hours of use of each machine to a thousandth") /
                       secondsPerHour;
}

/// What prices an estimate rests on.
template <class N>
void describePrice(const Scenario& scenario, CostT<N>& out) {
    out.priceDate = scenario.priceDate;
    out.priceValidUntil = scenario.priceValidUntil;
    out.priceSource = scenario.priceSource;
    out.region = scenario.spec.cluster.region.value_or("");
    out.purchase = scenario.mainPurchase();
    if (scenario.hasBase()) {
        const BaseOrderSpec& base = scenario.spec.order.base;
        const double items = scenario.inputs[Input::baseItems],
                     rest = scenario.inputs[Input::paidItems] - items;
        out.base = CostBase{static_cast<int>(std::lround(items)),
                            static_cast<int>(std::lround(rest)),
                            base.purchase.value_or(""),
                            base.commitment.value_or(""),
                            scenario.basePriceDate,
                            scenario.basePriceSource};
    }
}

/// The rent of machines that are bought in one way, for a run that ends: hours in use and, in blocks and
/// commitments, those that are paid in addition to them, as they are billed, so that quantity x price makes
/// the amount.
/// \param items how many machines \param part.hours in use, of all of them, not rounded
/// \param before of the name of the line of unused hours
template <class N>
void addRentPart(const RentPartT<N>& part, double items, const std::string& name, const std::string& unit,
                 const char* before, CostT<N>& out) {
    const N hours = named(
        asBilledHours(part.hours, static_cast<Thousandths>(items) * billedHours(valueOf(part.hours) / items)),
        "hours_in_use", Dimension::number, "as they are billed");
    if (!part.rental->paysBeyondUse()) {
        out.lines.push_back({name, hours, unit, part.price, part.dollars});
        return;
    }
    const N unused = part.hours + part.idleHours - hours;
    const N idleHours = named(asBilledHours(unused, std::llround(valueOf(unused) * 1e3)), "idle_hours",
                              Dimension::number, "hours that are paid - hours in use, as they are billed");
    const N used = hours * part.price;
    const N usedDollars = named(asBilled(used, std::llround(valueOf(used) * 100)), "line_dollars",
                                Dimension::dollars, "hours x price");
    const N rest = part.dollars - usedDollars;
    const N idleDollars = named(asBilled(rest, std::llround(valueOf(rest) * 100)), "line_dollars",
                                Dimension::dollars, "hours that are paid - hours in use");
    out.lines.push_back({name, hours, unit, part.price, usedDollars});
    const char* idle = !part.rental->inBlocks()   ? "Paid until the end of the term, not used"
                       : part.rental->blocksByDay ? "Paid in training plans, not used"
                                                  : "Paid in Capacity Blocks, not used";
    out.lines.push_back({std::string(before) + idle, idleHours, unit, part.price, idleDollars});
}

/// The rent of a run that ends, in lines.
/// \param hours in use, of all machines \param idleHours that are paid in addition to them
template <class N>
void addRentLines(const Scenario& scenario, const InputsT<N>& in, const N& hours, const N& idleHours,
                  CostT<N>& out) {
    const double items = std::max(1.0, scenario.inputs[Input::paidItems]);
    const std::string unit = scenario.spec.cluster.ultraserver ? "UltraServer-hours" : "instance-hours";
    if (!scenario.hasBase()) {
        addRentPart<N>({.rental = &scenario.rental,
                        .hours = hours,
                        .idleHours = idleHours,
                        .price = in[Input::price],
                        .dollars = *out.dollarsPerRun},
                       items, scenario.clusterName, unit, "", out);
        return;
    }
    const N ofOne = hours / in[Input::paidItems];
    for (const RentPartT<N>& part : rentParts(scenario, in, ofOne, in[Input::paidItems])) {
        if (part.items > 0) {
            const std::string name = std::string(part.name) + ": ";
            addRentPart(part, part.items,
                        name + formatCount(part.items) + " x " +
                            (scenario.priceItem.empty() ? scenario.clusterName : scenario.priceItem),
                        unit, name.c_str(), out);
        }
    }
}

/// An estimate with what is known before anything is computed.
template <class N>
EstimateT<N> describedEstimate(const Scenario& scenario, const InputsT<N>& inputs) {
    EstimateT<N> out;
    out.scenario = scenario.spec;
    out.problems = scenario.problems;
    out.modelName = scenario.modelName;
    out.clusterName = scenario.clusterName;
    out.gpus = static_cast<int>(valueOf(inputs[Input::gpus]));
    out.catalogVersion = scenario.catalogVersion;
    out.profileName = scenario.profileName;
    out.assumptions = assumptionsOf(scenario, inputs);
    out.topology = scenario.placement;
    return out;
}

} // namespace alidade
