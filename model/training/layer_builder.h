// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/overlap.h"
#include "model/kernels/elementwise.h"
#include "model/schedule/schedule_orders.h"
#include "model/training/layer_context.h"

namespace alidade {

/// Groups of a plan that collectives inside a layer run over, and what their exposed time is charged to.
struct LayerGroup {
    std::string_view name; ///< of the documented JSON: "tp"
    StepPart nvlink, network;
    GroupKind kind;
};
inline constexpr LayerGroup tensorTraffic{groupWord(GroupKind::tensor), StepPart::tensorNvlink,
                                          StepPart::tensorNetwork, GroupKind::tensor};
inline constexpr LayerGroup contextTraffic{groupWord(GroupKind::context), StepPart::contextNvlink,
                                           StepPart::contextNetwork, GroupKind::context};
inline constexpr LayerGroup expertTraffic{groupWord(GroupKind::expert), StepPart::expertNvlink,
                                          StepPart::expertNetwork, GroupKind::expert};
inline constexpr LayerGroup expertTensorTraffic{groupWord(GroupKind::expertTensor), StepPart::expertNvlink,
                                                StepPart::expertNetwork, GroupKind::expertTensor};
inline constexpr LayerGroup gatherTraffic{groupWord(GroupKind::data), StepPart::shardedGather,
                                          StepPart::shardedGather, GroupKind::shard};
inline constexpr LayerGroup reduceTraffic{groupWord(GroupKind::data), StepPart::shardedReduce,
                                          StepPart::shardedReduce, GroupKind::shard};

/// How a matrix multiplication of a layer differs from the plain case.
template <class N>
struct GemmTraits {
    bool again = false;    ///< its forward pass runs again before the backward pass
    bool trainable = true; ///< has a weight gradient
    bool expert = false;   ///< grouped over the experts of this rank
    N share = 1;           ///< of `n` that runs again
};

/// Kernels of a layer, forward and backward, that host times are given for.
inline constexpr double ordinaryKernels = 30;
/// Who launches a kernel: those of adapters take the host a share of the time of others.
enum class KernelOf : std::uint8_t { layer, adapter };

/// Collects the operations and collectives of one layer and adds up its time.
template <class N>
class LayerBuilder {
public:
    /// \param hostTime s that the host needs to launch forward and backward of a layer of `ordinaryKernels`;
    /// 0: the host plays no part
    LayerBuilder(const LayerContext<N>& context, LayerCost<N>& out, const N& hostTime = N(0))
        : c_(context)
        , out_(out)
        , host_(hostTime)
        , repeated_(context.plan.recompute.everyOther ? N(0.5) : N(1)) {
        out_.reset();
    }

    void kernel(const char* name, Phase phase, const RooflineTime<N>& t, const N& peak,
                KernelOf part = KernelOf::layer) {
        const N weight = repetitions(phase);
        const N seconds = named(phase == Phase::recompute ? t.total * weight : t.total, "kernel_time",
                                Dimension::seconds, "launch + max(compute, HBM) + quantization");
        const N intensity = named(t.flops / t.bytes, "intensity", Dimension::flopPerByte, "FLOP / HBM bytes");
        const bool compute = valueOf(t.compute) >= valueOf(t.memory);
        const N efficiency =
            named(compute ? t.flops / (peak * t.total) : t.bytes / (c_.in[Input::memoryBandwidth] * t.total),
                  "share_of_roof", Dimension::ratio, "achieved / roof that bounds it");
        out_.ops.push({.name = name,
                       .phase = phase,
                       .flops = t.flops,
                       .bytes = t.bytes,
                       .seconds = seconds,
                       .intensity = intensity,
                       .efficiency = efficiency,
                       .bound = boundOf(t),
                       .launch = phase == Phase::recompute ? t.launch * weight : t.launch,
                       .work = compute ? Bound::compute : Bound::hbm});
        out_.byPart[compute ? StepPart::compute : StepPart::hbm] += (compute ? t.compute : t.memory) * weight;
        out_.byPart[StepPart::launch] += t.launch * weight;
        out_.byPart[StepPart::hbm] += t.quantization * weight;
        out_.executedFlops += t.flops * weight;
        PhaseTime& time = phaseTime(phase);
        (part == KernelOf::adapter ? time.adapterKernels : time.kernels) += valueOf(weight);
        time.gpu += seconds;
    }

    /// A matrix multiplication of the forward pass and its gradients. \param m rows; n, k of this rank
    void gemm(const char* name, const N& m, const N& n, const N& k, const GemmRates<N>& rates,
              const GemmTraits<N>& traits = {}) {
        kernel(name, Phase::forward, gemmTime<N>({m, n, k}, rates), rates.peak);
        kernel(name, Phase::backwardInput, gemmTime<N>({m, k, n}, rates), rates.peak);
        if (traits.trainable && !c_.plan.lora)
            kernel(name, Phase::backwardWeight, gemmTime<N>({n, k, m}, rates), rates.peak);
        if (traits.again || c_.plan.recompute.whole()) {
            const N width = c_.plan.recompute.whole() ? n : n * traits.share;
            kernel(name, Phase::recompute, gemmTime<N>({m, width, k}, rates), rates.peak);
        }
    }
    void gemm(const char* name, const N& n, const N& k, const GemmTraits<N>& traits = {}) {
        gemm(name, c_.tokens, n, k, c_.gemm, traits);
    }

    /// The two matrices of an adapter alongside a frozen projection of this width (LoRA), in 16 bits, and
    /// what joins them to it: the scaled product is added to the projection's output, and the gradients of
    /// both branches are added. These passes over n and k, not the GEMMs of rank r, are what an adapter costs
    /// (LoRAFusion, arXiv 2510.00206). \param tokens rows of the projection
    void adapter(const char* name, const N& tokens, const N& n, const N& k, bool again) {
        const N& r = c_.in[Input::loraRank];
        const auto pass = [&](Phase phase, const N& m, const N& width, const N& depth) {
            kernel(name, phase, gemmTime<N>({m, width, depth}, c_.headGemm), c_.headGemm.peak,
                   KernelOf::adapter);
        };
        const auto forward = [&](Phase phase) {
            pass(phase, tokens, r, k);
            pass(phase, tokens, n, r);
            stream(name, phase, 6 * n * tokens, N(1), KernelOf::adapter);
        };
        forward(Phase::forward);
        if (again)
            forward(Phase::recompute);
        pass(Phase::backwardInput, tokens, r, n);
        pass(Phase::backwardInput, tokens, k, r);
        stream(name, Phase::backwardInput, (4 * n + 6 * k) * tokens, N(1), KernelOf::adapter);
        pass(Phase::backwardWeight, n, r, tokens);
        pass(Phase::backwardWeight, r, k, tokens);
    }
    void adapter(const char* name, const N& n, const N& k) {
        adapter(name, c_.tokens, n, k, c_.plan.recompute.whole());
    }

    void stream(const char* name, Phase phase, const N& bytes, const N& passes,
                KernelOf part = KernelOf::layer) {
        kernel(
            name, phase,
            streamingTime(bytes, c_.in[Input::memoryBandwidth], c_.in[Input::gemmMemoryEfficiency], passes),
            c_.in[Input::peak], part);
    }

    /// A kernel that only moves bytes: forward, `backward` times as many in the backward pass.
    void elementwise(const char* name, const N& bytesPerToken, bool again = false, const N& backward = N(2)) {
        const N bytes = bytesPerToken * c_.tokens;
        stream(name, Phase::forward, bytes, c_.in[Input::elementwisePasses]);
        stream(name, Phase::backwardInput, backward * bytes, c_.in[Input::elementwisePasses]);
        if (again || c_.plan.recompute.whole())
            stream(name, Phase::recompute, bytes, c_.in[Input::elementwisePasses]);
    }

    /// A collective, of which `exposed` seconds are not hidden.
    void communication(const LayerGroup& group, std::string_view op, Phase phase, const N& bytes,
                       const CollectiveCost<N>& cost, const N& exposed) {
        CommCost<N> entry{.op = op, .group = group.name, .kind = group.kind, .phase = phase, .bytes = bytes};
        entry.fabric = cost.fabric.value_or(Bound::nvlink);
        entry.wireBytes = cost.wireBytes;
        entry.networkBytes = cost.networkBytes;
        entry.nvlinkBytes = cost.nvlinkBytes;
        entry.algorithm = cost.algorithm;
        entry.seconds = cost.seconds;
        const N weight = repetitions(phase);
        entry.exposed = named(phase == Phase::recompute ? exposed * weight : exposed, "exposed_communication",
                              Dimension::seconds, "the part that compute does not hide");
        out_.communication.push(entry);
        out_.byPart[entry.fabric == Bound::nvlink ? group.nvlink : group.network] += entry.exposed;
        // Whichever of its two legs is the longer one: rows from other domains are waited for.
        const bool awaited = group.network == StepPart::expertNetwork && valueOf(cost.networkBytes) > 0;
        (awaited ? phaseTime(phase).awaited : phaseTime(phase).gpu) += entry.exposed;
    }

    /// A collective of which compute hides a share. \param hidden 0..1
    void collective(const LayerGroup& group, const GroupShape& shape, CollectiveOp op, Phase phase,
                    const N& bytes, const N& hidden) {
        if (shape.ranks <= 1)
            return;
        const CollectiveCost<N> cost = collectiveOnGroup(op, bytes, shape, c_.fabric);
        communication(group, collectiveName(op), phase, bytes, cost, cost.seconds * (1 - hidden));
    }
    void tensorCollective(CollectiveOp op, Phase phase, const N& bytes, const N& hidden) {
        collective(tensorTraffic, c_.plan.tensorGroup, op, phase, bytes, hidden);
    }

    /// Seconds on the link to the host that nothing covers.
    void offload(Phase phase, const N& exposed) {
        out_.byPart[StepPart::offload] += exposed;
        phaseTime(phase).gpu += exposed;
    }

    /// Seconds that a phase takes so far, and with it what hides behind it: the host may be slower at
    /// launching than the GPU at working (smooth maximum, power 6). It waits for what experts exchange over a
    /// network: how many rows arrive decides what is launched next.
    N elapsed(Phase phase) const {
        const PhaseTime& time = phases_[static_cast<std::size_t>(phase)];
        if (valueOf(host_) <= 0 || time.kernels + time.adapterKernels <= 0)
            return time.gpu + time.awaited;
        using std::pow;
        N layers = c_.count(time.kernels / ordinaryKernels, "kernels_against_ordinary_layer",
                            "operations of the phase / 30");
        if (time.adapterKernels > 0) {
            layers += c_.in[Input::adapterKernelShare] * c_.count(time.adapterKernels / ordinaryKernels,
                                                                  "adapter_kernels",
                                                                  "operations of adapters in the phase / 30");
        }
        const N host = named(host_ * layers, "host_time_of_this_phase", Dimension::seconds,
                             "in proportion to what is launched");
        const N ratio = named(host / time.gpu, "host_ratio", Dimension::number);
        const N cube = ratio * ratio * ratio;
        return named(time.gpu * pow(1 + cube * cube, N(1.0 / 6)) + time.awaited, "phase_time",
                     Dimension::seconds, "smooth maximum of GPU and host time + what the host waits for");
    }
    /// The same of what runs alongside the traffic of the backward pass, recomputation left out. Schedules
    /// that split the backward pass run weight gradients at other times.
    N elapsedBackward() const {
        return splitsBackward(c_.plan.schedule)
                   ? elapsed(Phase::backwardInput)
                   : elapsed(Phase::backwardInput) + elapsed(Phase::backwardWeight);
    }
    /// How often an operation of a phase runs, on average over the layers.
    N repetitions(Phase phase) const { return phase == Phase::recompute ? repeated_ : N(1); }

    /// Closes the layer.
    void finish() {
        N gpu{};
        for (const PhaseTime& each : phases_)
            gpu += each.gpu + each.awaited;
        out_.forward = named(elapsed(Phase::forward), "layer_forward_time", Dimension::seconds);
        out_.backwardInput =
            named(elapsed(Phase::backwardInput) + elapsed(Phase::recompute), "layer_backward_input_time",
                  Dimension::seconds, "input gradients, recomputation included");
        out_.backwardWeight =
            named(elapsed(Phase::backwardWeight), "layer_backward_weight_time", Dimension::seconds);
        out_.seconds = named(out_.forward + out_.backwardInput + out_.backwardWeight, "layer_time",
                             Dimension::seconds, "one layer and micro-batch");
        if (valueOf(host_) > 0) {
            out_.byPart[StepPart::launch] += named(out_.seconds - gpu, "waiting_for_host", Dimension::seconds,
                                                   "what launching adds to the time of the GPU");
        }
    }

private:
    /// What a phase takes so far.
    struct PhaseTime {
        N gpu{};                                ///< kernels and exposed traffic
        N awaited{};                            ///< exposed exchange over a network, which the host waits for
        double kernels = 0, adapterKernels = 0; ///< launched
    };
    PhaseTime& phaseTime(Phase phase) { return phases_[static_cast<std::size_t>(phase)]; }

    const LayerContext<N>& c_;
    LayerCost<N>& out_;
    std::array<PhaseTime, 4> phases_{};
    N host_;     ///< s for a layer of `ordinaryKernels`
    N repeated_; ///< share of the layers that run again
};

} // namespace alidade
