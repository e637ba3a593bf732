// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/model/training_rig.h"

#include <algorithm>
#include <vector>

namespace tst_training_traffic {

using namespace alidade;
using namespace alidade::test;

namespace {

constexpr double tokens = tokensOfRank;

/// The rig with links of which a transfer takes time: NVLink 8 bytes/s, the network 2.
TrainingRig linked() {
    TrainingRig rig;
    for (const Input efficiency :
         {Input::allReduceEfficiency, Input::allGatherEfficiency, Input::reduceScatterEfficiency,
          Input::allToAllEfficiency, Input::networkEfficiency, Input::networkAllToAllEfficiency,
          Input::dispatchEfficiencyNvlink, Input::networkDispatchEfficiency}) {
        rig.in[efficiency] = 1;
    }
    rig.in[Input::nvlinkBandwidth] = 8;
    rig.in[Input::networkBandwidth] = 2;
    rig.in[Input::networkSpeedup] = rig.in[Input::networkAllToAllUneven] = 1;
    rig.in[Input::gatherBytes] = 2;
    rig.in[Input::gradientReduceBytes] = 4;
    rig.in[Input::gradientBuckets] = 10;
    rig.in[Input::overlapGradient] = 0.5;
    rig.in[Input::shardRanks] = 4;
    rig.in[Input::expertShardRanks] = 2;
    rig.plan.shardGroup = {.ranks = 4, .ranksPerNvlinkDomain = 4, .ranksPerNode = 4};
    rig.plan.expertDataGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
    return rig;
}

double seconds(const TrainingRig& rig, CollectiveOp op, double bytes, const GroupShape& group) {
    return collectiveOnGroup(op, bytes, group, rig.context().fabric).seconds;
}

/// A collective that was sent: operation, phase, bytes.
struct Sent {
    std::string_view op;
    Phase phase;
    double bytes;
    bool operator==(const Sent&) const = default;
};

template <class List>
std::vector<Sent> sentBy(const List& list, std::string_view group) {
    std::vector<Sent> out;
    for (const CommCost<double>& each : list)
        if (each.group == group)
            out.push_back({each.op, each.phase, each.bytes});
    return out;
}

} // namespace

/// What a layer and a step send, by hand: which collective, in which phase, of how many bytes, and how much
/// of it compute does not hide.
class TestTrainingTraffic : public QObject {
    Q_OBJECT

private slots:
    /// Around a mixer and an MLP each: 96 tokens x 64 x 2 bytes are gathered before and scattered after with
    /// sequence parallelism, and gathered again for weight gradients; without it reduced once (Korthikanti et
    /// al. 2022, section 4.2.2).
    void aroundTheBlocks() {
        TrainingRig rig = linked();
        rig.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        rig.in[Input::overlapTensor] = 0.25;
        const double boundary = tokens * 64 * 2;
        rig.built(rig.attention);
        std::vector<Sent> block{{"all_reduce", Phase::forward, boundary},
                                {"all_reduce", Phase::backwardInput, boundary}};
        QVERIFY(sentBy(rig.layer->communication, "tp") == twice(block));
        const double each = seconds(rig, CollectiveOp::allReduce, boundary, rig.plan.tensorGroup);
        QCOMPARE(rig.layer->byPart[StepPart::tensorNvlink], 4 * 0.75 * each);
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        block.push_back({"all_reduce", Phase::recompute, boundary});
        QVERIFY(sentBy(rig.layer->communication, "tp") == twice(block));
        rig.plan.sequenceParallel = true;
        rig.plan.recompute.full = false;
        rig.built(rig.attention);
        block = {{"all_gather", Phase::forward, boundary},
                 {"reduce_scatter", Phase::forward, boundary},
                 {"all_gather", Phase::backwardInput, boundary},
                 {"reduce_scatter", Phase::backwardInput, boundary}};
        const std::vector<Sent> frozen = block;
        block.push_back({"all_gather", Phase::backwardWeight, boundary});
        QVERIFY(sentBy(rig.layer->communication, "tp") == twice(block));
        rig.plan.lora = true;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "tp") == twice(frozen));
    }

    /// Embeddings of ranks with parts of the vocabulary are summed; the input of the output layer is
    /// gathered.
    void atTheEnds() {
        TrainingRig rig = linked();
        rig.plan.tensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        const double boundary = tokens * 64 * 2;
        const auto sent = [&](bool head) {
            (head ? headLayer<double> : embeddingLayer<double>)(rig.context(), *rig.layer);
            return sentBy(rig.layer->communication, "tp");
        };
        QVERIFY(sent(false) == (std::vector<Sent>{{"all_reduce", Phase::forward, boundary}}));
        QVERIFY(sent(true) == (std::vector<Sent>{{"all_reduce", Phase::backwardInput, boundary}}));
        rig.plan.sequenceParallel = true;
        QVERIFY(sent(false) == (std::vector<Sent>{{"reduce_scatter", Phase::forward, boundary},
                                                  {"all_gather", Phase::backwardWeight, boundary}}));
        QVERIFY(sent(true) == (std::vector<Sent>{{"all_gather", Phase::forward, boundary},
                                                 {"reduce_scatter", Phase::backwardInput, boundary},
                                                 {"all_gather", Phase::backwardWeight, boundary}}));
        rig.plan.lora = true;
        QVERIFY(sent(false) == (std::vector<Sent>{{"reduce_scatter", Phase::forward, boundary}}));
        QVERIFY(sent(true) == (std::vector<Sent>{{"all_gather", Phase::forward, boundary},
                                                 {"reduce_scatter", Phase::backwardInput, boundary}}));
    }

    /// Keys and values of a rank: 96 tokens x 2 heads x 32 x 2 bytes, queries and outputs 4 heads. Under a
    /// ring three of four steps hide behind the attention of three of four steps.
    void contextGroup() {
        TrainingRig rig = linked();
        rig.plan.contextGroup = {.ranks = 4, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1};
        rig.plan.recompute.core = true;
        const double keys = tokens * 2 * 32 * 2, queries = tokens * 4 * 32 * 2;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "cp") ==
                (std::vector<Sent>{{"send_recv", Phase::forward, keys},
                                   {"send_recv", Phase::backwardInput, 2 * keys},
                                   {"send_recv", Phase::recompute, keys}}));
        const CommCost<double>& ring = rig.layer->communication[0];
        const double step = seconds(rig, CollectiveOp::sendReceive, keys, rig.plan.contextGroup);
        QCOMPARE(ring.seconds, 3 * step);
        QCOMPARE(ring.networkBytes, 3 * keys);
        const double attention = rig.seconds("Core attention", Phase::forward);
        QVERIFY(3 * step < 0.75 * attention);
        QCOMPARE(ring.exposed, 0.0);
        rig.in[Input::networkBandwidth] = 1e-2;
        rig.built(rig.attention);
        const double slow = seconds(rig, CollectiveOp::sendReceive, keys, rig.plan.contextGroup);
        QCOMPARE(rig.layer->communication[0].exposed, 3 * slow - 0.75 * attention);
        QCOMPARE(rig.layer->byPart[StepPart::contextNetwork], rig.layer->communication[0].exposed +
                                                                  rig.layer->communication[1].exposed +
                                                                  rig.layer->communication[2].exposed);
        rig.plan.contextKind = ContextKind::allGather;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "cp") ==
                (std::vector<Sent>{{"all_gather", Phase::forward, 4 * keys},
                                   {"all_gather", Phase::backwardInput, 4 * keys},
                                   {"reduce_scatter", Phase::backwardInput, 4 * keys},
                                   {"all_gather", Phase::recompute, 4 * keys}}));
        QCOMPARE(rig.layer->communication[0].exposed, rig.layer->communication[0].seconds);
        rig.plan.contextKind = ContextKind::ulysses;
        rig.plan.recompute.core = false;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "cp") ==
                (std::vector<Sent>{{"all_to_all", Phase::forward, queries / 2 + keys},
                                   {"all_to_all", Phase::forward, queries / 2},
                                   {"all_to_all", Phase::backwardInput, queries / 2 + keys},
                                   {"all_to_all", Phase::backwardInput, queries / 2}}));
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        QCOMPARE(sentBy(rig.layer->communication, "cp").size(), std::size_t{6});
    }

    /// Ranks that share an expert gather the 384 routed rows of both and scatter the outputs.
    void expertTensorGroup() {
        TrainingRig rig = linked();
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.expertTensorParallel = 2;
        rig.plan.expertTensorGroup = {.ranks = 2, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        rig.in[Input::overlapTensor] = 0.25;
        const double bytes = 384 * 32 * 2;
        const std::vector<Sent> twoWay{{"all_gather", Phase::forward, bytes},
                                       {"reduce_scatter", Phase::forward, bytes},
                                       {"all_gather", Phase::backwardInput, bytes},
                                       {"reduce_scatter", Phase::backwardInput, bytes}};
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "etp") == twoWay);
        QCOMPARE(rig.layer->communication[0].exposed, 0.75 * rig.layer->communication[0].seconds);
        rig.plan.recompute.experts = true;
        rig.built(rig.attention);
        QCOMPARE(sentBy(rig.layer->communication, "etp").size(), std::size_t{6});
        rig.plan.recompute.experts = false;
        rig.plan.recompute.full = true;
        rig.built(rig.attention);
        QCOMPARE(sentBy(rig.layer->communication, "etp").size(), std::size_t{6});
    }

    /// 96 tokens go to 2 experts each, 32 wide: 6,144 elements, of 1 byte to the experts and 2 bytes back;
    /// backward both ways carry gradients of 2. Half of a transfer hides, as long as there is compute
    /// alongside it.
    void expertExchangeOfALayer() {
        TrainingRig rig = linked();
        rig.attention.feedForward = FeedForward::moe;
        rig.plan.expertParallel = 4;
        rig.plan.expertGroup = {.ranks = 4, .ranksPerNvlinkDomain = 2, .ranksPerNode = 2};
        rig.in[Input::expertDispatchBytes] = 1;
        rig.in[Input::expertCombineBytes] = 2;
        rig.in[Input::overlapExpert] = 0.5;
        const double elements = 96 * 2 * 32;
        rig.built(rig.attention);
        const std::vector<Sent> expected{{"dispatch", Phase::forward, elements},
                                         {"combine", Phase::forward, 2 * elements},
                                         {"dispatch", Phase::backwardInput, 2 * elements},
                                         {"combine", Phase::backwardInput, 2 * elements}};
        QVERIFY(sentBy(rig.layer->communication, "ep") == expected);
        double exposed = 0;
        for (const CommCost<double>& each : rig.layer->communication) {
            QCOMPARE(each.exposed, each.seconds / 2);
            exposed += each.exposed;
        }
        QCOMPARE(rig.layer->byPart[StepPart::expertNetwork], exposed);
        // 1.25 times the mean on the hottest rank, one copy for each other domain: 96 x 1.25 x 32 bytes times
        // the chance to leave. C(8, 2) of C(16, 2) = 28 of 120 choices miss a domain.
        const CommCost<double>& dispatch = rig.layer->communication[0];
        QCOMPARE(dispatch.networkBytes, 96 * 1.25 * 32 * 2 * (1 - 28.0 / 120) * 0.5);
        // The layer waits for what is exposed; a host that launches its kernels (of which an ordinary layer
        // has 30) waits for it too, after as long as the GPU computes: 2^(1/6) times that.
        TrainingRig beside = linked();
        beside.attention.feedForward = FeedForward::moe;
        const double computing = beside.built(beside.attention).forward;
        const double waiting = rig.layer->communication[0].exposed + rig.layer->communication[1].exposed;
        VERIFY_NEAR(rig.layer->forward, computing + waiting);
        const auto kernels =
            std::count_if(rig.layer->ops.begin(), rig.layer->ops.end(),
                          [](const OpCost<double>& op) { return op.phase == Phase::forward; });
        rig.in[Input::hostGraphShare] = 1;
        rig.in[Input::hostTimePerMoeLayer] = computing * 30 / static_cast<double>(kernels);
        rig.built(rig.attention);
        VERIFY_NEAR(rig.layer->forward, computing * std::pow(2, 1.0 / 6) +
                                            rig.layer->communication[0].exposed +
                                            rig.layer->communication[1].exposed);
        rig.in[Input::hostGraphShare] = 0;
        rig.plan.fusedDispatch = false; // a copy for each of 2 experts
        rig.built(rig.attention);
        QCOMPARE(rig.layer->communication[0].networkBytes, 96 * 1.25 * 32 * 2 * 0.5);
        const double even = rig.layer->communication[0].seconds;
        rig.in[Input::networkAllToAllUneven] = 1.5; // than an all-to-all of equal parts
        rig.built(rig.attention);
        QCOMPARE(rig.layer->communication[0].seconds, 1.5 * even);
        QCOMPARE(rig.layer->communication[0].networkBytes, 96 * 1.25 * 32 * 2 * 0.5);
        rig.plan.fusedDispatch = true;
        // A network so slow that compute runs out.
        rig.in[Input::networkBandwidth] = 1e-6;
        rig.built(rig.attention);
        double hidden = 0, backwardHidden = 0;
        for (const CommCost<double>& each : rig.layer->communication)
            (each.phase == Phase::forward ? hidden : backwardHidden) += each.seconds - each.exposed;
        TrainingRig alone = linked();
        alone.attention.feedForward = FeedForward::moe;
        const LayerCost<double>& compute = alone.built(alone.attention);
        VERIFY_NEAR(hidden, compute.forward);
        VERIFY_NEAR(backwardHidden, compute.backwardInput + compute.backwardWeight);
        rig.plan.schedule = PipelineSchedule::zeroBubbleH1; // weight gradients run at other times
        rig.built(rig.attention);
        backwardHidden = 0;
        for (const CommCost<double>& each : rig.layer->communication)
            backwardHidden += each.phase == Phase::backwardInput ? each.seconds - each.exposed : 0;
        VERIFY_NEAR(backwardHidden, compute.backwardInput);
        rig.plan.schedule = PipelineSchedule::oneForwardOneBackward;
        rig.plan.recompute.experts = true;
        rig.built(rig.attention);
        QCOMPARE(sentBy(rig.layer->communication, "ep").size(), std::size_t{6});
        QCOMPARE(rig.layer->communication[4].bytes, elements);
        QCOMPARE(rig.layer->communication[5].bytes, 2 * elements);
    }

    /// ZeRO-3 gathers a layer's 20,609 and 12,288 parameters for each pass and scatters their gradients. Each
    /// hides behind half of the layer's compute, less what others have hidden before (Zhao et al. 2023, arXiv
    /// 2304.11277).
    void shardedLayers() {
        TrainingRig rig = linked();
        rig.attention.experts = 98'304;
        rig.plan.sharding = Sharding::zero3;
        const double dense = 20'480 + 129, experts = 12'288;
        rig.built(rig.attention);
        const std::vector<Sent> all{{"all_gather", Phase::forward, 2 * dense},
                                    {"all_gather", Phase::forward, 2 * experts},
                                    {"all_gather", Phase::backwardInput, 2 * dense},
                                    {"all_gather", Phase::backwardInput, 2 * experts},
                                    {"reduce_scatter", Phase::backwardInput, 4 * dense},
                                    {"reduce_scatter", Phase::backwardInput, 4 * experts}};
        QVERIFY(sentBy(rig.layer->communication, "dp") == all);
        rig.in[Input::nvlinkBandwidth] = 0.04; // now compute does not hide everything
        rig.built(rig.attention);
        TrainingRig alone = linked();
        const LayerCost<double>& compute = alone.built(alone.attention);
        double window = 0.5 * compute.forward;
        double gather = 0, reduce = 0;
        for (const CommCost<double>& each : rig.layer->communication) {
            if (each.op == "all_gather" && each.phase == Phase::backwardInput && each.bytes == 2 * dense)
                window = 0.5 * (compute.backwardInput + compute.backwardWeight);
            VERIFY_NEAR(each.exposed, std::max(0.0, each.seconds - window));
            window = std::max(0.0, window - each.seconds);
            (each.op == "all_gather" ? gather : reduce) += each.exposed;
        }
        QVERIFY(gather > 0 && reduce > 0);
        VERIFY_NEAR(rig.layer->byPart[StepPart::shardedGather], gather);
        VERIFY_NEAR(rig.layer->byPart[StepPart::shardedReduce], reduce);
        // Parameter by parameter over a network.
        rig.plan.shardGroup.ranksPerNvlinkDomain = 1;
        rig.in[Input::layerGatherEfficiency] = 0.8;
        rig.built(rig.attention);
        QCOMPARE(rig.layer->communication[0].seconds,
                 seconds(rig, CollectiveOp::allGather, 2 * dense, rig.plan.shardGroup) / 0.8);
        QCOMPARE(rig.layer->communication[1].seconds,
                 seconds(rig, CollectiveOp::allGather, 2 * experts, rig.plan.expertDataGroup));
        // Only adapters have gradients: rank 5, 320 + 272.
        rig.plan.lora = true;
        rig.in[Input::loraRank] = 5;
        rig.built(rig.attention);
        QVERIFY(
            sentBy(rig.layer->communication, "dp") ==
            (std::vector<Sent>{
                all[0], all[1], all[2], all[3], {"reduce_scatter", Phase::backwardInput, 4 * 5 * 592.0}}));
        // ZeRO-2 scatters alone, and neither does with a pipeline.
        rig.plan.lora = false;
        rig.plan.sharding = Sharding::zero2;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "dp") == (std::vector<Sent>{all[4], all[5]}));
        rig.plan.pipelineParallel = 2;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "dp").empty());
        rig.plan.sharding = Sharding::zero3;
        rig.built(rig.attention);
        QVERIFY(sentBy(rig.layer->communication, "dp").empty());
    }

    /// A quarter of what a layer keeps, 1,024 x 96 bytes, goes over a link of 4 x 0.5 bytes/s behind the
    /// forward pass and comes back behind the backward pass.
    void offloadedActivations() {
        TrainingRig rig;
        rig.in[Input::offloadActivations] = 0.25;
        rig.in[Input::hostBandwidth] = 4e-3;
        rig.in[Input::hostEfficiency] = 0.5;
        const double oneWay = 0.25 * 1024 * tokens / 2e-3;
        TrainingRig alone;
        const double forward = alone.built(alone.attention).forward,
                     backward = alone.layer->backwardInput + alone.layer->backwardWeight;
        QVERIFY(oneWay > backward);
        rig.built(rig.attention);
        VERIFY_NEAR(rig.layer->byPart[StepPart::offload], 2 * oneWay - forward - backward);
        VERIFY_NEAR(rig.layer->forward, oneWay);
        VERIFY_NEAR(rig.layer->backwardInput + rig.layer->backwardWeight, oneWay);
    }

    /// Two stages of 1,000 and 800 parameters and 300 of experts, forward 10 and 30 s, backward 40 and 80 s.
    /// ZeRO-1 scatters 4 bytes of the larger stage's and gathers 2; a bucket of ten is never hidden, the
    /// others behind half of the mean stage (Li et al. 2020, arXiv 2006.15704).
    void gradientsOfAStep() {
        TrainingRig rig = linked();
        auto totals = twoStages();
        rig.plan.pipelineParallel = 2;
        rig.plan.sharding = Sharding::zero1;
        GradientSync<double> sync = gradientSync(rig.context(), *totals);
        std::vector<Sent> expected{{"reduce_scatter", Phase::backwardWeight, 4000},
                                   {"reduce_scatter", Phase::backwardWeight, 1200},
                                   {"all_gather", Phase::forward, 2000},
                                   {"all_gather", Phase::forward, 600}};
        QVERIFY(sentBy(sync.sent, "dp") == expected);
        const double reduce = seconds(rig, CollectiveOp::reduceScatter, 4000, rig.plan.shardGroup) +
                              seconds(rig, CollectiveOp::reduceScatter, 1200, rig.plan.expertDataGroup);
        const double gather = seconds(rig, CollectiveOp::allGather, 2000, rig.plan.shardGroup) +
                              seconds(rig, CollectiveOp::allGather, 600, rig.plan.expertDataGroup);
        const auto exposed = [](double time, double window) {
            return time / 10 + std::max(0.0, time * 0.9 - window / 2);
        };
        VERIFY_NEAR(sync.reduceExposed, exposed(reduce, 60));
        VERIFY_NEAR(sync.gatherExposed, exposed(gather, 20));
        VERIFY_NEAR(sync.sent[1].exposed, sync.reduceExposed * sync.sent[1].seconds / reduce);
        VERIFY_NEAR(sync.sent[2].exposed, sync.gatherExposed * sync.sent[2].seconds / gather);
        QVERIFY(sync.reduceExposed > reduce / 10 && sync.gatherExposed > gather / 10);

        // Interleaved: the window is two micro-batches. Split backward passes hide nothing behind weight
        // gradients.
        rig.plan.virtualPipeline = 3;
        VERIFY_NEAR(gradientSync(rig.context(), *totals).reduceExposed, exposed(reduce, 120));
        rig.plan.virtualPipeline = 1;
        rig.plan.schedule = PipelineSchedule::zeroBubbleH1;
        VERIFY_NEAR(gradientSync(rig.context(), *totals).reduceExposed, exposed(reduce, 25));
        // A device of DualPipe has the parameters of two stages.
        rig.plan.schedule = PipelineSchedule::dualPipe;
        QCOMPARE(gradientSync(rig.context(), *totals).sent[0].bytes, 8000.0);
        QCOMPARE(gradientSync(rig.context(), *totals).sent[1].bytes, 2400.0);
        rig.plan.schedule = PipelineSchedule::oneForwardOneBackward;

        // Groups that share cards: what hides does so at half the pace.
        rig.plan.shardGroup = {.ranks = 4, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1, .sharers = 2};
        rig.plan.expertDataGroup.ranks = 1;
        sync = gradientSync(rig.context(), *totals);
        GroupShape own = rig.plan.shardGroup;
        own.sharers = 1;
        const double alone = seconds(rig, CollectiveOp::reduceScatter, 4000, own);
        const double shared = seconds(rig, CollectiveOp::reduceScatter, 4000, rig.plan.shardGroup);
        QVERIFY(shared > 1.5 * alone);
        VERIFY_NEAR(sync.reduceExposed, exposed(alone, 60 * alone / shared));
        QCOMPARE(sync.sent.size(), std::size_t{2});
        QCOMPARE(sync.sent[0].seconds, alone);
        QCOMPARE(sync.sent[0].fabric, Bound::efa);
        QCOMPARE(sync.sent[0].networkBytes, 3000.0);
    }

    /// Plain data parallelism reduces and gathers nothing. Groups that copy a shard reduce 1,000 / 4
    /// parameters more. With fully sharded layers, embedding and output layer remain, 2 x 32,000.
    void otherShardings() {
        TrainingRig rig = linked();
        auto totals = twoStages();
        rig.plan.pipelineParallel = 2;
        rig.plan.sharding = Sharding::none;
        GradientSync<double> sync = gradientSync(rig.context(), *totals);
        QVERIFY(sentBy(sync.sent, "dp") == (std::vector<Sent>{{"all_reduce", Phase::backwardWeight, 4000},
                                                              {"all_reduce", Phase::backwardWeight, 1200}}));
        QCOMPARE(sync.gatherExposed, 0.0);
        rig.plan.sharding = Sharding::zero1;
        rig.plan.reducesReplicas = true;
        rig.plan.replicaGroup = {.ranks = 3, .ranksPerNvlinkDomain = 1, .ranksPerNode = 1};
        sync = gradientSync(rig.context(), *totals);
        QVERIFY((Sent{sync.sent[2].op, sync.sent[2].phase, sync.sent[2].bytes}) ==
                (Sent{"all_reduce", Phase::backwardWeight, 1000}));
        rig.plan.reducesReplicas = false;

        rig.plan.pipelineParallel = 1;
        totals->stageCount = 1;
        rig.plan.sharding = Sharding::zero3;
        QVERIFY(sentBy(gradientSync(rig.context(), *totals).sent, "dp") ==
                (std::vector<Sent>{{"reduce_scatter", Phase::backwardWeight, 4 * 64'000},
                                   {"all_gather", Phase::forward, 2 * 64'000}}));
        rig.plan.tiedEmbeddings = true;
        QCOMPARE(gradientSync(rig.context(), *totals).sent[0].bytes, 4 * 32'000.0);
        rig.plan.lora = true;
        QCOMPARE(gradientSync(rig.context(), *totals).sent.size(), std::size_t{0});
        rig.plan.lora = false;
        rig.plan.sharding = Sharding::zero2; // layers reduce where they run, weights are gathered at the end
        QVERIFY(sentBy(gradientSync(rig.context(), *totals).sent, "dp") ==
                (std::vector<Sent>{{"reduce_scatter", Phase::backwardWeight, 4 * 32'000},
                                   {"all_gather", Phase::forward, 2000},
                                   {"all_gather", Phase::forward, 600}}));
        rig.plan.shardGroup.ranks = rig.plan.expertDataGroup.ranks = 1;
        sync = gradientSync(rig.context(), *totals);
        QCOMPARE(sync.reduceExposed, 0.0);
        QCOMPARE(sync.sent.size(), std::size_t{0});
    }

    /// 12 bytes of a rank's 250 dense and 150 expert parameters at 2 x 0.5 bytes/s, on the stage with most of
    /// them; Muon's 30 FLOP each at 5 x 0.4 FLOP/s; a quarter on the host: 16 bytes at 8 bytes/s.
    void optimizer() {
        TrainingRig rig = linked();
        auto totals = twoStages();
        rig.in[Input::memoryBandwidth] = 2;
        rig.in[Input::gemmMemoryEfficiency] = 0.5;
        rig.in[Input::optimizerTraffic] = 12;
        rig.plan.sharding = Sharding::zero1;
        QCOMPARE(optimizerSeconds(rig.context(), *totals), 400 * 12.0);
        rig.plan.sharding = Sharding::none;
        QCOMPARE(optimizerSeconds(rig.context(), *totals), 1300 * 12.0);
        rig.plan.sharding = Sharding::zero1;
        rig.in[Input::optimizerFlops] = 30;
        rig.in[Input::reportingPeak] = 5;
        rig.in[Input::gemmComputeEfficiency] = 0.4;
        QCOMPARE(optimizerSeconds(rig.context(), *totals), 400 * (12.0 + 15));
        rig.in[Input::offloadOptimizer] = 0.25;
        rig.in[Input::hostOptimizerBandwidth] = 8;
        QCOMPARE(optimizerSeconds(rig.context(), *totals), 400 * (0.75 * 12 + 15 + 0.25 * 2));
    }

private:
    static std::vector<Sent> twice(std::vector<Sent> block) {
        const std::vector<Sent> once = block;
        block.insert(block.end(), once.begin(), once.end());
        return block;
    }

    static std::unique_ptr<Totals> twoStages() {
        auto totals = std::make_unique<Totals>();
        totals->stageCount = 2;
        totals->stages[0].trainable = 1000;
        totals->stages[1].trainable = 800;
        totals->stages[0].trainableExperts = 300;
        totals->stages[1].trainableExperts = 100;
        totals->stages[0].forward = 10;
        totals->stages[1].forward = 30;
        totals->stages[0].backwardInput = 20;
        totals->stages[1].backwardInput = 30;
        totals->stages[0].backwardWeight = 20;
        totals->stages[1].backwardWeight = 50;
        return totals;
    }
};

QTEST_APPLESS_MAIN(TestTrainingTraffic)

} // namespace tst_training_traffic

#include "tst_training_traffic.moc"
