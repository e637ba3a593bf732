// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/fabric_rates.h"
#include "model/plan/inputs.h"

namespace alidade {

/// Returns the speeds of collectives from the inputs of a scenario.
/// \param networkKind bound that network time is charged to: efa or network
template <class N>
FabricRates<N> fabricRates(const InputsT<N>& in, Bound networkKind) {
    FabricRates<N> fabric;
    // Without NVLink, every GPU is its own domain and nothing uses the links inside. The network rate then
    // replaces the NVLink rate to avoid 0 / 0.
    const N& inside =
        in[valueOf(in[Input::nvlinkBandwidth]) > 0 ? Input::nvlinkBandwidth : Input::networkBandwidth];
    const auto nvlink = [&](Input latency, Input fill, Input efficiency) {
        return LinkRates<N>{.alpha = in[latency],
                            .gamma = in[fill],
                            .bandwidth =
                                named(inside * in[efficiency], "nvlink_rate", Dimension::bytesPerSecond)};
    };
    NvlinkRates<N>& links = fabric.nvlink;
    links.allReduce = nvlink(Input::allReduceLatency, Input::allReduceFill, Input::allReduceEfficiency);
    links.allGather = nvlink(Input::allGatherLatency, Input::allGatherFill, Input::allGatherEfficiency);
    links.reduceScatter =
        nvlink(Input::reduceScatterLatency, Input::reduceScatterFill, Input::reduceScatterEfficiency);
    links.allToAll = nvlink(Input::allToAllLatency, Input::allToAllFill, Input::allToAllEfficiency);
    links.sendReceive = links.allGather;
    links.dispatch = {.alpha = in[Input::dispatchLatency],
                      .gamma = N(0),
                      .bandwidth = named(inside * in[Input::dispatchEfficiencyNvlink], "dispatch_nvlink_rate",
                                         Dimension::bytesPerSecond)};
    links.stepLatency = in[Input::nvlinkStepLatency];
    links.ownShare = in[Input::ownPartShare];
    links.bulkSteps = in[Input::bulkStepFactor];
    fabric.network = {.kind = networkKind,
                      .latency = in[Input::networkLatency],
                      .hopLatency = in[Input::networkHopLatency],
                      .nicBandwidth = in[Input::networkBandwidth],
                      .efficiency = in[Input::networkEfficiency],
                      .treeEfficiency = in[Input::networkTreeEfficiency],
                      .patEfficiency = in[Input::networkPatEfficiency],
                      .speedup = in[Input::networkSpeedup],
                      .speedupLimit = in[Input::networkSpeedupLimit],
                      .fill = in[Input::networkFill],
                      .allToAllEfficiency = in[Input::networkAllToAllEfficiency],
                      .bulkSync = in[Input::networkBulkSync],
                      .lowLatencyShare = in[Input::networkLowLatencyShare],
                      .dispatchLatency = in[Input::networkDispatchLatency],
                      .dispatchEfficiency = in[Input::networkDispatchEfficiency]};
    return fabric;
}

} // namespace alidade
