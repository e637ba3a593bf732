// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/inputs.h"

#include <algorithm>
#include <cmath>

namespace alidade {

// Power of a cluster by what its GPUs do. The host's share is a floor and a fraction of what the GPUs draw
// (fans and conversion losses), set on metered 8-GPU nodes; PUE on top.

/// Watts of one GPU that computes, waits for others, or has nothing to do.
template <class N>
struct GpuPower {
    N busy{}, waiting{}, idle{};
};

template <class N>
GpuPower<N> gpuPower(const InputsT<N>& in) {
    constexpr Dimension watts = Dimension::watts;
    GpuPower<N> out;
    out.busy = named(in[Input::gpuPower] * in[Input::powerUtilization], "busy_power", watts, "computing");
    out.idle = named(in[Input::gpuPower] * in[Input::idlePower], "idle_power_of_gpu", watts, "no work");
    out.waiting = named(out.idle + in[Input::waitingPower] * (out.busy - out.idle), "waiting_power_of_gpu",
                        watts, "collectives and bubbles");
    return out;
}

/// Power of one GPU with its share of the node and of the building, W.
/// \param fans share of the GPU's power that fans and conversion take in addition
/// \param hostWatts of CPU and network without load, per GPU
/// \param pue power usage effectiveness of the building, >= 1
template <class N>
N facilityWatts(const N& gpuWatts, const N& fans, const N& hostWatts, const N& pue) {
    return (gpuWatts * (1 + fans) + hostWatts) * pue;
}

template <class N>
N facilityPower(const InputsT<N>& in, const N& gpuWatts, const char* name) {
    return named(facilityWatts(gpuWatts, in[Input::fanPower], in[Input::hostPowerPerGpu], in[Input::pue]),
                 name, Dimension::watts, "(GPU x (1 + fans) + host) x PUE");
}

/// Energy in kWh.
template <class N>
N kilowattHours(const N& watts, const N& hours) {
    return watts * hours / 1000;
}

/// Power of a GPU that serves, W: it rises with the arithmetic and with the memory traffic and levels off at
/// the TDP.
/// \param compute share of the dense 16-bit peak in use, \param memory share of the HBM bandwidth: 0..1
template <class N>
N servingGpuPower(const InputsT<N>& in, const N& compute, const N& memory) {
    using std::exp;
    const N work =
        named(exp(0 - in[Input::servingPowerCompute] * compute - in[Input::servingPowerMemory] * memory),
              "power_left", Dimension::ratio, "e^-(compute and memory use)");
    const N share = 1 - (1 - in[Input::servingPowerFloor]) * work;
    return named(in[Input::gpuPower] * (in[Input::idlePower] + (1 - in[Input::idlePower]) * share),
                 "serving_gpu_power", Dimension::watts, "between idle and TDP");
}

/// Share of the weights that a decode step reads, 0..1, where tokens choose their experts evenly and
/// independently.
/// \param activeShare parameters that one token visits / all parameters, 0..1
/// \param batch sequences of the step
inline double touchedShare(double activeShare, double batch) {
    return activeShare < 0.99 ? 1 - std::pow(1 - activeShare, std::max(1.0, batch)) : 1;
}

/// Watts of the whole cluster, PUE included.
template <class N>
struct RunPower {
    N stepping{}; ///< while steps are made, mean over a step
    N stopped{};  ///< while nothing is computed: checkpoints, restarts
    N peak{};     ///< all GPUs busy at once
    N mean{};     ///< over the run
};

/// \param busyShare of a step in which a GPU computes, 0..1
/// \param steppingShare of the run in which steps are made, those that are made again included, 0..1
template <class N>
RunPower<N> runPower(const InputsT<N>& in, const N& busyShare, const N& steppingShare) {
    constexpr Dimension watts = Dimension::watts;
    const GpuPower<N> gpu = gpuPower(in);
    const N step = named(busyShare * gpu.busy + (1 - busyShare) * gpu.waiting, "step_power_of_gpu", watts,
                         "busy and waiting parts of a step");
    RunPower<N> out;
    const N& gpus = in[Input::gpus];
    out.stepping = named(gpus * facilityPower(in, step, "step_power"), "stepping_watts", watts);
    out.stopped = named(gpus * facilityPower(in, gpu.idle, "stopped_power"), "stopped_watts", watts);
    out.peak = named(gpus * facilityPower(in, gpu.busy, "peak_power"), "peak_watts", watts);
    out.mean = named(steppingShare * out.stepping + (1 - steppingShare) * out.stopped, "mean_watts", watts,
                     "stepping and stopped parts of the run");
    return out;
}

} // namespace alidade
