// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/serving_energy.h"

#include "model/cost/storage_price.h"
#include "model/reliability/power.h"
#include "model/serving/pool_model.h"
#include "model/serving/speculation.h"
#include "model/workload/parameters.h"

#include <algorithm>

namespace alidade {

namespace {

/// Watts of one GPU of a pool, alone.
template <class N>
N poolGpuPower(const ServingPool& pool, const ParameterCount& count, const InputsT<N>& in,
               const PoolTotalsT<N>& t, const N& outputRate, const N& inputRate) {
    using std::max;
    using std::min;
    const bool prefills = pool.plan.phase != ServingPhase::decode, answers = decodes(pool.plan, pool.inputs);
    N tokens = N(0);
    if (answers)
        tokens += outputRate;
    if (prefills)
        tokens += inputRate * (1 - in[Input::prefixCacheHit]);
    const double activeShare = static_cast<double>(count.active) / static_cast<double>(count.total);
    const N active = derivedLeaf(in[Input::tensorParallel], static_cast<double>(count.active),
                                 "active_parameters", Dimension::number, "architecture");
    const N compute = named(min(N(1), 2 * active * tokens / in[Input::gpus] / in[Input::reportingPeak]),
                            "peak_in_use", Dimension::ratio, "2 FLOP x active parameters x tokens/s / peak");
    N memory = N(0);
    if (answers) {
        const N touched = derivedLeaf(t.batch, touchedShare(activeShare, valueOf(t.batch)), "touched_share",
                                      Dimension::ratio, "of the weights, by a batch whose routing is even");
        const N gained = speculativeTokens(in[Input::acceptance], in[Input::draftTokens]);
        const N gap = named(in[Input::workers] * max(N(1), t.batch) * gained / outputRate, "decode_gap",
                            Dimension::seconds, "between the decode steps of a replica");
        memory = named(min(N(1), t.memory.weights * touched / gap / in[Input::memoryBandwidth]),
                       "bandwidth_in_use", Dimension::ratio, "weights read per second / HBM bandwidth");
    }
    return servingGpuPower(in, compute, memory);
}

} // namespace

bool hasPower(const Scenario& scenario) {
    return std::ranges::all_of(scenario.pools,
                               [](const ServingPool& pool) { return pool.inputs[Input::gpuPower] > 0; });
}

template <class N>
ServingEnergyT<N> servingEnergy(const Scenario& scenario, std::span<const InputsT<N>> pools,
                                const ServingTotalsT<N>& t) {
    constexpr Dimension watts = Dimension::watts;
    const ParameterCount count = countParameters(scenario.model);
    ServingEnergyT<N> out;
    N gpus = N(0), alone = N(0), all = N(0);
    for (std::size_t i = 0; i < pools.size(); ++i) {
        const InputsT<N>& in = pools[i];
        const N gpu = poolGpuPower(scenario.pools[i], count, in, t.pools[i], t.outputTokensPerSecond,
                                   t.inputTokensPerSecond);
        gpus += in[Input::gpus];
        alone += in[Input::gpus] * gpu;
        all += in[Input::gpus] * facilityPower(in, gpu, "power_of_gpu_with_host");
    }
    out.gpuWatts = named(alone / gpus, "gpu_watts", watts, "mean of the GPUs");
    out.watts = named(all, "service_watts", watts, "GPUs, hosts and PUE");
    const bool answers = decodes(scenario.pools.back().plan, scenario.pools.back().inputs);
    out.joulesPerOutputToken = named(out.watts / (answers ? t.outputTokensPerSecond : t.inputTokensPerSecond),
                                     "joules_per_token", Dimension::number, "power / tokens per second");
    const N each = named(t.outputTokensPerSecond + t.inputTokensPerSecond, "tokens_per_second",
                         Dimension::tokensPerSecond, "input and output");
    out.kilowattHoursPerMillionTokens =
        named(out.watts / each * 1e6 / 3.6e6, "kwh_per_million_tokens", Dimension::number, "power / tokens");
    const N month = derivedLeaf(pools[0][Input::tensorParallel], monthHours, "month_hours", Dimension::number,
                                "a month as AWS counts it");
    out.kilowattHoursPerMonth =
        named(kilowattHours(out.watts, month), "kwh_per_month", Dimension::number, "of 730 hours");
    out.carbonKgPerMonth = named(out.kilowattHoursPerMonth * pools[0][Input::gridCarbon],
                                 "carbon_kg_per_month", Dimension::number, "energy x carbon of the grid");
    return out;
}

template ServingEnergyT<double> servingEnergy(const Scenario&, std::span<const InputsT<double>>,
                                              const ServingTotalsT<double>&);
template ServingEnergyT<Traced> servingEnergy(const Scenario&, std::span<const InputsT<Traced>>,
                                              const ServingTotalsT<Traced>&);

} // namespace alidade
