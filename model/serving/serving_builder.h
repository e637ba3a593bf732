// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/group_collective.h"
#include "model/kernels/elementwise.h"
#include "model/serving/serving_context.h"

namespace alidade {

/// Collects the kernels and collectives of one layer in one engine step and adds up its time.
template <class N>
class ServingLayerBuilder {
public:
    ServingLayerBuilder(const ServingContext<N>& context, const StepRows<N>& rows, LayerCost<N>& out)
        : c_(context)
        , out_(out)
        , phase_(rows.prefills ? Phase::prefill : Phase::decode) {
        out_.reset();
    }

    /// \param launches how many launches of the host are in this one entry
    void kernel(const char* name, Phase phase, const RooflineTime<N>& t, const N& peak, int launches = 1) {
        const N seconds = named(t.total, "kernel_time", Dimension::seconds, "launch + max(compute, HBM)");
        const bool compute = valueOf(t.compute) >= valueOf(t.memory);
        if (out_.listed) {
            OpCost<N> op{
                .name = name, .phase = phase, .flops = t.flops, .bytes = t.bytes, .bound = boundOf(t)};
            op.seconds = seconds;
            op.intensity = named(t.flops / t.bytes, "intensity", Dimension::flopPerByte, "FLOP / HBM bytes");
            op.efficiency = named(compute ? t.flops / (peak * t.total)
                                          : t.bytes / (c_.in[Input::memoryBandwidth] * t.total),
                                  "share_of_roof", Dimension::ratio, "achieved / roof that bounds it");
            op.launch = t.launch;
            op.work = compute ? Bound::compute : Bound::hbm;
            out_.ops.push(op);
        }
        out_.byPart[compute ? StepPart::compute : StepPart::hbm] += compute ? t.compute : t.memory;
        out_.byPart[StepPart::launch] += t.launch;
        out_.executedFlops += t.flops;
        out_.seconds += seconds;
        out_.launches += launches;
    }
    void kernel(const char* name, const RooflineTime<N>& t, const N& peak, int launches = 1) {
        kernel(name, phase_, t, peak, launches);
    }

    /// A matrix multiplication of all rows. \param n, k of this GPU
    void gemm(const char* name, const N& m, const N& n, const N& k, const GemmRates<N>& rates) {
        kernel(name, gemmTime<N>({m, n, k}, rates), rates.peak, c_.launches(rates));
    }

    /// A group of fused elementwise kernels. \param launches 0: launched with another kernel
    void elementwise(const char* name, const N& bytes, int launches = 1) {
        kernel(name,
               streamingTime(bytes * c_.in[Input::servingRowFactor], c_.in[Input::memoryBandwidth],
                             c_.in[Input::servingMemoryEfficiency], N(1),
                             c_.in[Input::servingElementwiseTime]),
               c_.in[Input::reportingPeak], launches);
    }

    /// A collective, nothing of which is hidden.
    void communication(std::string_view op, GroupKind group, const N& bytes, const CollectiveCost<N>& cost,
                       StepPart nvlink, StepPart network) {
        const Bound fabric = cost.fabric.value_or(Bound::nvlink);
        if (out_.listed) {
            out_.communication.push({.op = op,
                                     .group = groupWord(group),
                                     .kind = group,
                                     .phase = phase_,
                                     .fabric = fabric,
                                     .algorithm = cost.algorithm,
                                     .bytes = bytes,
                                     .wireBytes = cost.wireBytes,
                                     .networkBytes = cost.networkBytes,
                                     .nvlinkBytes = cost.nvlinkBytes,
                                     .seconds = cost.seconds,
                                     .exposed = cost.seconds});
        }
        out_.byPart[fabric == Bound::nvlink ? nvlink : network] += cost.seconds;
        out_.seconds += cost.seconds;
        ++out_.launches;
    }

    /// The all-reduce behind a row-parallel matrix: inside an NVLink domain a kernel of the engine (alpha +
    /// gamma sqrt(w) + w/B) or, where the engine hands large ones to NCCL, a reduction in the switches;
    /// across domains a library's.
    void tensorAllReduce(const N& rows) {
        tensorAllReduceOf(named(rows * c_.in[Input::hiddenSize] * 2, "boundary_bytes", Dimension::bytes,
                                "16-bit activations of a step"));
    }

    void tensorAllReduceOf(const N& bytes) {
        const GroupShape& group = c_.plan.tensorGroup;
        if (group.ranks <= 1)
            return;
        CollectiveCost<N> cost;
        if (group.insideOneDomain()) {
            using std::sqrt;
            const N& n = c_.tensor;
            cost.wireBytes = named(2 * (n - 1) / n * bytes, "wire_bytes", Dimension::bytes, "2 (n - 1)/n S");
            cost.nvlinkBytes = cost.wireBytes;
            const N rate = named(c_.in[Input::nvlinkBandwidth] * c_.in[Input::servingAllReduceEfficiency],
                                 "engine_all_reduce_rate", Dimension::bytesPerSecond);
            cost.seconds = named(
                c_.in[Input::servingAllReduceLatency] +
                    c_.in[Input::servingRowFactor] *
                        (c_.in[Input::servingAllReduceFill] * sqrt(cost.wireBytes) + cost.wireBytes / rate),
                "engine_all_reduce", Dimension::seconds, "alpha + f (gamma sqrt(w) + w/B)");
            if (c_.plan.reducesInSwitch && detail::reducesInSwitch(c_.fabric.nvlink)) {
                using std::min;
                const detail::Candidate<N> inSwitch =
                    detail::allReduceInSwitch(bytes, n, N(1), c_.fabric.nvlink);
                const N seconds = c_.in[Input::servingRowFactor] * inSwitch.seconds;
                if (valueOf(seconds) < valueOf(cost.seconds)) {
                    cost.nvlinkBytes = inSwitch.nvlinkBytes;
                    cost.algorithm = inSwitch.algorithm;
                }
                cost.seconds = named(min(cost.seconds, seconds), "fastest_all_reduce", Dimension::seconds,
                                     "own kernel, or in the switches");
            }
            cost.fabric = Bound::nvlink;
        } else {
            cost = collectiveOnGroup(CollectiveOp::allReduce, bytes, group, c_.fabric);
        }
        communication(collectiveName(CollectiveOp::allReduce), GroupKind::tensor, bytes, cost,
                      StepPart::tensorNvlink, StepPart::tensorNetwork);
    }

    void finish() { out_.seconds = named(out_.seconds, "layer_time", Dimension::seconds, "in one step"); }

private:
    const ServingContext<N>& c_;
    LayerCost<N>& out_;
    Phase phase_;
};

} // namespace alidade
