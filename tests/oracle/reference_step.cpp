// SPDX-License-Identifier: GPL-3.0-or-later
// The reference composition of a dense training step: formulas of the model put together in the plainest way
// that still meets published runs. A contract for the order of composition; the product has its own, finer
// one.
#include "model/collectives/multi_node.h"
#include "model/collectives/overlap.h"
#include "model/explain/normal.h"
#include "model/kernels/elementwise.h"
#include "model/kernels/gemm.h"
#include "model/schedule/pipeline_idle.h"
#include "model/workload/flops.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/training_setup.h"

namespace alidade::oracle {

namespace {

struct LayerSeconds {
    double forward = 0, backward = 0;
};

/// What the two functions share of a case.
struct Setting {
    explicit Setting(const Json& a)
        : model(architecture(a.at("model")))
        , hardware(a.at("hw"))
        , sequence(number(a, "s"))
        , microBatch(number(a, "mb"))
        , tp(whole(a, "tp", 1))
        , cp(whole(a, "cp", 1))
        , tokens(number(a, "tokens", microBatch * sequence / cp))
        , fp8(number(a, "fp8", 0) != 0)
        , passes(number(a, "ew_mult", 1))
        , sustained(number(a, "sustained", 1)) {}

    double hw(const char* key) const { return number(hardware, key); }
    double bandwidth() const { return hw("hbm"); }
    double memoryEfficiency() const { return hw("eta_m"); }
    GemmRates<double> gemmRates(bool low) const {
        const double bytes = low ? 1 : 2;
        return {.peak = hw(low ? "peak8" : "peak") * sustained,
                .bandwidth = bandwidth(),
                .computeEfficiency = hw(low ? "eta_c8" : "eta_c"),
                .memoryEfficiency = memoryEfficiency(),
                .launch = hw(low ? "t08" : "t0"),
                .extraK = hw(low ? "k08" : "k0"),
                .quantPasses = low ? hw("kq") : 0,
                .activationBytes = bytes,
                .weightBytes = bytes};
    }

    Architecture model;
    Json hardware;
    double sequence, microBatch;
    int tp, cp;
    double tokens;
    bool fp8;
    double passes, sustained;
};

/// A layer of the program without what its groups exchange.
LayerSeconds layerSeconds(const Setting& s) {
    TrainingSetup setup(s.model, s.tp, s.cp);
    setup.plan.precision = s.fp8 ? Precision::fp8 : Precision::bf16;
    Inputs& in = setup.in;
    in[Input::sequenceLength] = s.sequence;
    in[Input::microBatch] = s.microBatch;
    const GemmRates<double> rates = s.gemmRates(s.fp8);
    in[Input::peak] = rates.peak;
    in[Input::memoryBandwidth] = rates.bandwidth;
    in[Input::gemmComputeEfficiency] = rates.computeEfficiency;
    in[Input::gemmMemoryEfficiency] = rates.memoryEfficiency;
    in[Input::gemmLaunch] = rates.launch;
    in[Input::gemmExtraK] = rates.extraK;
    in[Input::quantPasses] = rates.quantPasses;
    in[Input::reportingPeak] = s.hw("peak") * s.sustained;
    in[Input::attentionEfficiency] = s.hw("attn_eta");
    in[Input::attentionBackwardRatio] = 0.85;
    in[Input::attentionLaunch] = s.hw("attn_t0");
    in[Input::attentionHalfLength] = s.hw("attn_s0");
    in[Input::elementwisePasses] = s.passes;
    LayerContext<double> c = setup.context();
    c.tokens = s.tokens;
    LayerCost<double> layer;
    decoderLayer(c, setup.kindWith(FeedForward::dense), layer);
    return {layer.forward, layer.backwardInput + layer.backwardWeight};
}

/// With the collectives of tensor and context parallelism and what is recomputed.
LayerSeconds layerWithTraffic(const Setting& s, double tensorComm, double hidden, double recompute) {
    double context = 0;
    if (s.cp > 1) {
        const double bandwidth = s.tp * s.cp <= whole(s.hardware, "g", 1) ? s.hw("nvl") : s.hw("net");
        const double keysAndValues = s.microBatch * s.sequence * 4 * s.model.kvHeads * s.model.headDim / s.tp;
        context = s.hw("net_alpha") + (s.cp - 1.0) / s.cp * keysAndValues / bandwidth;
    }
    LayerSeconds t = layerSeconds(s);
    t.forward += 4 * tensorComm * (1 - hidden) + context;
    // Sequence parallelism gathers the inputs again for the weight gradients.
    t.backward += 6 * tensorComm * (1 - hidden) + 2 * context + recompute * t.forward;
    return t;
}

double headSeconds(const Setting& s) {
    const double vocabulary = double(s.model.vocabSize) / s.tp;
    const GemmShape<double> shape{s.tokens, vocabulary, double(s.model.hiddenSize)};
    return 3 * gemmTime(shape, s.gemmRates(false)).total +
           streamingTime(s.tokens * vocabulary * 14, s.bandwidth(), s.memoryEfficiency()).total;
}

/// Exposed time of the data-parallel group.
/// \param layer of one layer and micro-batch; \param parameters of the rank; \param layers on it
double dataParallelSeconds(const Json& a, const Setting& s, const LayerSeconds& layer, double parameters,
                           int layers) {
    const int dp = whole(a, "dp", 1), domain = whole(s.hardware, "g", 1);
    const double ranks = dp * s.cp;
    const double perDomain = std::max(1, std::min(domain / s.tp, dp * s.cp));
    const double nodes = s.tp * s.cp * dp <= domain ? 1 : 2;
    const LinkRates<double> rates{.bandwidth =
                                      flatRingBusBandwidth(perDomain, nodes, s.hw("nvl"), s.hw("net"))};
    const auto ring = [&](CollectiveOp op, double bytes) {
        return ranks > 1 ? collectiveTime(op, CollectiveAlgorithm::ring, ranks, bytes, rates) : 0;
    };
    if (number(a, "fsdp", 0) != 0) {
        const double gather = ring(CollectiveOp::allGather, 2 * parameters / layers);
        const double scatter = ring(CollectiveOp::reduceScatter, 4 * parameters / layers);
        return layers * number(a, "m") *
                   (exposedComm(gather, layer.forward) + exposedComm(gather + scatter, layer.backward)) +
               gather + scatter;
    }
    const double overlap = number(a, "dp_overlap", 0.9), chunks = number(a, "dp_chunks", 8);
    const double scatter = ring(CollectiveOp::reduceScatter, 4 * parameters);
    const double gather = ring(CollectiveOp::allGather, 2 * parameters);
    return exposedComm(scatter, layers * layer.backward, overlap, scatter / chunks) +
           exposedComm(gather, layers * layer.forward, overlap, gather / chunks);
}

Json trainStep(const Json& a) {
    const Setting s(a);
    const int pp = whole(a, "pp", 1), dp = whole(a, "dp", 1), v = whole(a, "v", 1);
    const double m = number(a, "m"), hidden = number(a, "tp_hidden", 0);
    const int layers = (s.model.layers + pp - 1) / pp;
    const double activations = s.tokens * s.model.hiddenSize * 2;
    const LinkRates<double> nvlink{s.hw("nvl_alpha"), s.hw("nvl_gamma"), s.hw("nvl")};
    const double tensorComm =
        s.tp > 1 ? collectiveTime<double>(CollectiveOp::allGather, CollectiveAlgorithm::fitted, s.tp,
                                          activations, nvlink)
                 : 0;
    const LayerSeconds layer = layerWithTraffic(s, tensorComm, hidden, number(a, "recompute", 0));
    const double forward = layers * layer.forward, backward = layers * layer.backward;
    const double head = headSeconds(s);
    double pipe = m * (forward + backward);
    if (pp > 1) {
        const double transfer = s.hw("net_alpha") + activations / s.tp / s.hw("net");
        const auto order = v > 1 ? PipelineSchedule::interleaved : PipelineSchedule::oneForwardOneBackward;
        const std::vector<StageSeconds<double>> stages(static_cast<std::size_t>(pp), {forward, backward, 0});
        const auto microbatches = static_cast<std::int64_t>(m);
        pipe += pipelineIdle(PipelineTimes<double>{order, pp, microbatches, v, stages}).bubble +
                2 * (pp * v - 1) * transfer + head;
    } else {
        pipe += m * head;
    }
    TrainingSetup setup(s.model, s.tp);
    setup.dealLayers(pp);
    const double parameters = heldByRank(setup, 0).parameters;
    const double uncovered = dataParallelSeconds(a, s, layer, parameters, layers);
    const double update = optimizerTime(parameters / (dp * s.cp), s.bandwidth(), s.memoryEfficiency());
    const double gpus = s.tp * pp * s.cp * dp;
    const double seconds = (pipe + uncovered + update) * expectedMaxNormal(1.0, number(a, "cv", 0), gpus);
    const double tokens = dp * m * s.microBatch * s.sequence;
    const double flops =
        tokens * trainFlopsPerToken(s.model, s.sequence, FlopsConvention::causal) / seconds / gpus;
    return {{"seconds", seconds},
            {"tokens_gpu_s", tokens / seconds / gpus},
            {"tflops_gpu", flops / 1e12},
            {"mfu", flops / s.hw("peak")},
            {"pipe", pipe},
            {"head", head},
            {"dp_exposed", uncovered},
            {"optimizer", update},
            {"tp_exposed", m * layers * 10 * tensorComm * (1 - hidden)}};
}

Json layerCompute(const Json& a) {
    const LayerSeconds t = layerSeconds(Setting(a));
    return {t.forward, t.backward};
}

} // namespace

void addReferenceStep(Adaptors& table) {
    table["train_step"] = trainStep;
    table["layer_compute"] = layerCompute;
}

} // namespace alidade::oracle
