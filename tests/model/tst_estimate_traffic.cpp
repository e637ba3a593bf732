// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/quantiles.h"
#include "model/estimate/cluster_map.h"
#include "model/estimate/difference.h"
#include "model/estimate/error_band.h"
#include "model/estimate/figure_path.h"
#include "model/estimate/group_traffic.h"
#include "tests/model/training_rig.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace tst_estimate_traffic {

using namespace alidade;
using namespace alidade::test;

namespace {

Communication sent(const char* op, GroupKind kind, double wire, double seconds, double network = 0) {
    Communication out;
    out.op = op;
    out.kind = kind;
    out.wireBytes = wire;
    out.bytes = 3 * wire;
    out.seconds = seconds;
    out.networkBytes = network;
    out.nvlinkBytes = wire - network;
    return out;
}

Layer layer(std::vector<Communication> communication) {
    Layer out;
    out.communication = std::move(communication);
    return out;
}

/// Two stages of 3 + 1 and 2 + 2 layers of two kinds, 10 micro-batches.
struct TrafficRig {
    Scenario scenario;
    Estimate estimate;

    TrafficRig() {
        TrainingPlan& plan = scenario.plan;
        plan.pipelineParallel = 2;
        plan.kinds.resize(2);
        plan.stageKinds = {{3, 1}, {2, 2}};
        plan.dataGroup.ranks = 8;
        plan.shardGroup.ranks = 8;
        plan.replicaGroup.ranks = 2;
        Training& t = estimate.training.emplace();
        t.microbatches = 10;
        t.stepTime = 7;
        t.layers = {layer({sent("all_reduce", GroupKind::tensor, 100, 1)}),
                    layer({sent("all_gather", GroupKind::tensor, 20, 0.5)}),
                    layer({sent("dispatch", GroupKind::expert, 40, 0.25, 10)}),
                    layer({sent("all_reduce", GroupKind::tensor, 1000, 2)})};
    }

    std::vector<GroupTraffic> traffic(std::size_t pool = 0) const {
        return groupTraffic(estimate, scenario, pool);
    }
    const GroupTraffic of(GroupKind kind) const {
        for (const GroupTraffic& each : traffic())
            if (each.kind == kind)
                return each;
        return {.kind = kind, .bytesOnStage = {}};
    }
};

Estimate training(std::vector<ShareT<double>> parts) {
    Estimate out;
    out.training.emplace().breakdown = std::move(parts);
    return out;
}

} // namespace

/// What is read from a finished estimate: traffic of groups, differences, error bands and paths of figures.
class TestEstimateTraffic : public QObject {
    Q_OBJECT

private slots:
    /// The first stage has the embedding and 3 + 1 layers, the last one 2 + 2 and the output layer; ten times
    /// each.
    void layersOnStages() {
        const TrafficRig rig;
        const GroupTraffic tensor = rig.of(GroupKind::tensor), expert = rig.of(GroupKind::expert);
        QCOMPARE(tensor.bytesOnStage, (std::vector<double>{10 * (100 + 3 * 20), 10 * (2 * 20 + 1000)}));
        QCOMPARE(tensor.seconds, 10 * (2 * 0.5 + 2));
        QVERIFY(tensor.pattern == TrafficPattern::ring);
        QCOMPARE(tensor.networkShare, 0.0);
        QCOMPARE(expert.bytesOnStage, (std::vector<double>{400, 800}));
        QVERIFY(expert.pattern == TrafficPattern::allToAll);
        QCOMPARE(expert.networkShare, 0.25);
        QCOMPARE(expert.seconds, 5.0);
        QCOMPARE(trafficStepSeconds(rig.estimate), 7.0);
        QVERIFY(rig.traffic(1).empty());
        QCOMPARE(rig.traffic().size(), std::size_t{2});
    }

    /// Bytes take the way of the algorithm that the price assumed, and each way is a separate entry.
    void waysOfTheAlgorithms_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<int>("algorithm");
        QTest::addColumn<int>("pattern");
        const auto row = [](const char* name, const char* op, CollectiveAlgorithm by,
                            TrafficPattern pattern) {
            QTest::newRow(name) << op << static_cast<int>(by) << static_cast<int>(pattern);
        };
        using A = CollectiveAlgorithm;
        row("tree", "all_reduce", A::tree, TrafficPattern::tree);
        row("in the switches and a tree", "all_reduce", A::hierarchical, TrafficPattern::tree);
        row("small all-reduce", "all_reduce", A::lowLatency, TrafficPattern::tree);
        row("small all-gather", "all_gather", A::lowLatency, TrafficPattern::ring);
        row("aggregated trees", "reduce_scatter", A::pat, TrafficPattern::pat);
        row("in the switch", "all_reduce", A::inSwitch, TrafficPattern::ring);
        row("all to all", "all_to_all", A::direct, TrafficPattern::allToAll);
    }
    void waysOfTheAlgorithms() {
        QFETCH(QString, op);
        QFETCH(int, algorithm);
        QFETCH(int, pattern);
        TrafficRig rig;
        Communication sync = sent(op.toUtf8().constData(), GroupKind::data, 900, 3, 100);
        sync.algorithm = static_cast<CollectiveAlgorithm>(algorithm);
        sync.nvlinkBytes = 500; // what the algorithm sends there, not the rest of what a ring would
        rig.estimate.training->communication = {sync, sent("send_receive", GroupKind::pipeline, 50, 1, 50),
                                                sent("all_gather", GroupKind::context, 60, 1)};
        const GroupTraffic way = rig.of(GroupKind::data);
        QCOMPARE(static_cast<int>(way.pattern), pattern);
        QCOMPARE(way.bytesOnStage, (std::vector<double>{600, 600}));
        QCOMPARE(way.networkShare, 1.0 / 6);
        sync.op = "all_gather";
        sync.algorithm = CollectiveAlgorithm::ring;
        rig.estimate.training->communication.push_back(sync);
        const auto traffic = rig.traffic();
        const auto entries = std::ranges::count(traffic, GroupKind::data, &GroupTraffic::kind);
        QCOMPARE(entries, way.pattern == TrafficPattern::ring ? 1 : 2);
    }

    /// Two prediction modules are on the stage of the output layer.
    void predictionModules() {
        TrafficRig rig;
        rig.scenario.model.mtpLayers = 2;
        Training& t = *rig.estimate.training;
        t.layers.insert(t.layers.begin() + 3, layer({sent("all_gather", GroupKind::context, 7, 0.5)}));
        QCOMPARE(rig.of(GroupKind::context).bytesOnStage, (std::vector<double>{0, 140}));
    }

    /// A device of DualPipe runs half of the micro-batches through each of two mirrored stages.
    void mirroredStages() {
        TrafficRig rig;
        rig.scenario.plan.schedule = PipelineSchedule::dualPipe;
        const double mean = 10 * (100 + 3 * 20 + 2 * 20 + 1000) / 2.0;
        QCOMPARE(rig.of(GroupKind::tensor).bytesOnStage, (std::vector<double>{mean, mean}));
    }

    /// Every second layer is recomputed.
    void halfOfTheLayersRecomputed() {
        TrafficRig rig;
        rig.estimate.training->layers[1].communication[0].phase = Phase::recompute;
        rig.scenario.plan.recompute.everyOther = true;
        QCOMPARE(rig.of(GroupKind::tensor).bytesOnStage, (std::vector<double>{1000 + 300, 200 + 10'000}));
    }

    /// Gradients by what each stage has of them. Shards that are all of the data group go by its name.
    void gradients() {
        TrafficRig rig;
        rig.estimate.training->communication = {sent("reduce_scatter", GroupKind::shard, 60, 3),
                                                sent("all_reduce", GroupKind::replica, 30, 1)};
        QCOMPARE(rig.of(GroupKind::data).bytesOnStage, (std::vector<double>{60, 60}));
        QVERIFY(rig.of(GroupKind::shard).bytesOnStage.empty());
        QCOMPARE(rig.of(GroupKind::replica).bytesOnStage, (std::vector<double>{30, 30}));
        Memory& memory = rig.estimate.memory.emplace();
        memory.stages = {{0, 100, {{"Gradients", 20}, {"Weights", 80}}},
                         {1, 100, {{"Gradients", 5}, {"Weights", 95}}}};
        QCOMPARE(rig.of(GroupKind::data).bytesOnStage, (std::vector<double>{60, 15}));
        QCOMPARE(rig.of(GroupKind::data).seconds, 3.0);
        rig.scenario.plan.shardGroup.ranks = 4;
        QCOMPARE(rig.of(GroupKind::shard).bytesOnStage, (std::vector<double>{60, 15}));
    }

    /// 10 micro-batches cross each boundary; of 3 interleaved chunks 3 times, and twice back to the first
    /// stage.
    void boundaries() {
        TrafficRig rig;
        rig.estimate.training->communication = {sent("send_receive", GroupKind::pipeline, 4, 0.75)};
        GroupTraffic pipeline = rig.of(GroupKind::pipeline);
        QVERIFY(pipeline.pattern == TrafficPattern::neighbors);
        QCOMPARE(pipeline.bytesOnStage, (std::vector<double>{120}));
        QCOMPARE(pipeline.wrapBytes, 0.0);
        QCOMPARE(pipeline.seconds, 0.75);
        rig.scenario.plan.schedule = PipelineSchedule::interleaved;
        rig.scenario.plan.virtualPipeline = 3;
        pipeline = rig.of(GroupKind::pipeline);
        QCOMPARE(pipeline.bytesOnStage, (std::vector<double>{360}));
        QCOMPARE(pipeline.wrapBytes, 240.0);
    }

    /// 6 layers over 2 stages; between these go 8 x 3 rows over 2 ranks, of 64 elements in 16 bits, shared by
    /// 4 tensor ranks, one way.
    void ofAService() {
        Scenario scenario;
        ServingPool pool;
        pool.plan.pipelineParallel = 2;
        pool.plan.attentionDataParallel = 2;
        pool.plan.tensorParallel = 4;
        pool.inputs[Input::outputTokens] = 10;
        pool.inputs[Input::draftTokens] = 2;
        pool.inputs[Input::hiddenSize] = 64;
        pool.inputs[Input::chunkTokens] = 400;
        scenario.pools = {pool};
        Estimate estimate;
        Serving& s = estimate.serving.emplace();
        s.pools.resize(1);
        s.pools[0].batch = 8;
        s.pools[0].stepTime = 0.5;
        s.layers = {layer({sent("all_reduce", GroupKind::tensor, 10, 0.5)})};
        s.layers[0].count = 6;
        s.prefillLayers = {layer({sent("all_reduce", GroupKind::tensor, 1000, 0.5)})};
        s.prefillLayers[0].count = 6;
        auto traffic = groupTraffic(estimate, scenario, 0);
        QCOMPARE(traffic.size(), std::size_t{2});
        QCOMPARE(traffic[0].bytesOnStage, (std::vector<double>{30}));
        QCOMPARE(traffic[1].bytesOnStage, (std::vector<double>{24 / 2.0 * 64 * 2 / 4 / 2}));
        scenario.pools[0].plan.phase = ServingPhase::prefill;
        traffic = groupTraffic(estimate, scenario, 0);
        QCOMPARE(traffic[0].bytesOnStage, (std::vector<double>{3000}));
        QCOMPARE(traffic[1].bytesOnStage, (std::vector<double>{400 / 2.0 * 64 * 2 / 4 / 2}));
        scenario.pools[0].plan.pipelineParallel = 1;
        traffic = groupTraffic(estimate, scenario, 0);
        QCOMPARE(traffic.size(), std::size_t{1});
        QCOMPARE(traffic[0].bytesOnStage, (std::vector<double>{6000}));
        QCOMPARE(trafficStepSeconds(estimate, 0), 0.5);
        QCOMPARE(trafficStepSeconds(estimate, 1), 0.0);
        QVERIFY(groupTraffic(estimate, scenario, 1).empty());
    }

    /// Compute 4 -> 3 s and HBM 1 -> 2.5 s; the largest change first, what is equal is left out.
    void differences() {
        const Estimate before = training(
            {{"a", 3, Bound::compute}, {"b", 1, Bound::compute}, {"c", 1, Bound::hbm}, {"d", 2, Bound::efa}});
        const Estimate after =
            training({{"a", 3, Bound::compute}, {"c", 2.5, Bound::hbm}, {"d", 2, Bound::efa}});
        const EstimateDifference d = *differenceOf(before, after);
        QCOMPARE(d.name, std::string("Step time"));
        QCOMPARE(d.before, 7.0);
        QCOMPARE(d.after, 7.5);
        QCOMPARE(d.parts.size(), std::size_t{2});
        QVERIFY(d.parts[0].bound == Bound::hbm && d.parts[1].bound == Bound::compute);
        QCOMPARE(d.parts[0].seconds, 1.5);
        QCOMPARE(d.parts[1].seconds, -1.0);
        Estimate service, prefill;
        service.serving.emplace().breakdown = {{"a", 1, Bound::compute}};
        prefill.serving.emplace().answers = false;
        prefill.serving->prefillBreakdown = {{"a", 5, Bound::compute}};
        QCOMPARE(differenceOf(service, service)->after, 1.0);
        QCOMPARE(differenceOf(prefill, prefill)->before, 5.0);
        QVERIFY(!differenceOf(service, prefill) && !differenceOf(before, service) &&
                !differenceOf({}, before) && !differenceOf(before, {}));
    }

    /// Of a throughput the high end is a short time.
    void errorBands() {
        Estimate e;
        QVERIFY(!timeErrorBand(e));
        e.headline.emplace();
        e.headline->value = 10;
        e.headline->low = 8;
        e.headline->high = 12.5;
        e.headline->unit = "s";
        QCOMPARE(timeErrorBand(e)->low, 0.8);
        QCOMPARE(timeErrorBand(e)->high, 1.25);
        e.headline->unit = "tokens/s";
        e.headline->high = 16;
        QCOMPARE(timeErrorBand(e)->low, 0.625);
        QCOMPARE(timeErrorBand(e)->high, 1.25);
        e.headline->high = 8;
        QVERIFY(!timeErrorBand(e));
        e.headline->high = 16;
        e.headline->low = 0;
        QVERIFY(!timeErrorBand(e));
        QVERIFY(!firstTokenErrorBand(e));
        e.assumptions.push_back({.name = "serving_ttft_log_sd", .value = 0.2, .unit = {}, .source = {}});
        VERIFY_NEAR(firstTokenErrorBand(e)->high, std::exp(quantile90 * 0.2));
        VERIFY_NEAR(firstTokenErrorBand(e)->low, std::exp(-quantile90 * 0.2));
        e.assumptions[0].value = 0;
        QVERIFY(!firstTokenErrorBand(e));
    }

    /// Half of the outcomes are above the estimate, a tenth above the high end of its band.
    void chanceOfNotFitting() {
        Memory m;
        m.capacityBytes = 100;
        m.reserveBytes = 10;
        m.totalBytes = 90;
        m.highBytes = 95;
        QVERIFY(std::abs(outOfMemoryProbability(m) - 0.5) < 1e-12);
        QVERIFY(isTight(m));
        m.totalBytes = 80;
        m.highBytes = 90;
        QVERIFY(std::abs(outOfMemoryProbability(m) - 0.1) < 1e-9);
        m.highBytes = 89;
        QVERIFY(!isTight(m));
        m.highBytes = 91;
        QVERIFY(isTight(m));
        m.totalBytes = 100;
        m.highBytes = 100 * 100 / 90.0;
        QVERIFY(std::abs(outOfMemoryProbability(m) - 0.9) < 1e-9);
        m.highBytes = 110;
        QVERIFY(!isTight(m));
        m.highBytes = 100; // no band
        QCOMPARE(outOfMemoryProbability(m), 1.0);
        m.highBytes = 99; // nor one that ends below the estimate
        QCOMPARE(outOfMemoryProbability(m), 1.0);
        m.totalBytes = m.highBytes = 80;
        QCOMPARE(outOfMemoryProbability(m), 0.0);
        m.totalBytes = 0; // nothing is held
        QCOMPARE(outOfMemoryProbability(m), 0.0);
    }

    /// A latency within its target is in doubt if the high end of its band is not.
    void doubts() {
        Estimate e;
        QVERIFY(!doubtfulTargets(e).any());
        Serving& s = e.serving.emplace();
        s.ttftPercentiles = {1, 2, 3, 4};
        s.itlPercentiles = {0.1, 0.2, 0.3, 0.4};
        s.ttftTarget = 2.1;
        s.itlTarget = 0.21;
        QVERIFY(!doubtfulTargets(e).any());
        e.assumptions.push_back({.name = "serving_ttft_log_sd", .value = 0.2, .unit = {}, .source = {}});
        QVERIFY(doubtfulTargets(e).firstToken && !doubtfulTargets(e).gap);
        s.ttftTarget = 2.6; // 2 e^(1.28 x 0.2) = 2.58
        QVERIFY(!doubtfulTargets(e).any());
        s.ttftTarget = 1.9;
        QVERIFY(!doubtfulTargets(e).any());
        e.headline.emplace();
        e.headline->value = 10;
        e.headline->low = 8;
        e.headline->high = 12.5;
        e.headline->unit = "s";
        QVERIFY(doubtfulTargets(e).gap && !doubtfulTargets(e).firstToken);
    }

    /// Names and indices of elements, in brackets or after dots.
    void pathsOfFigures() {
        const auto made = std::make_unique<Estimate>();
        Estimate& e = *made;
        Memory& m = e.memory.emplace();
        m.parts = {{"Weights", 1}, {"KV cache", 2}, {"Twice", 3}, {"Twice", 4}};
        QCOMPARE(*figurePath(e, "memory.parts[weights].bytes"), std::string("memory.parts.0.bytes"));
        QCOMPARE(*figurePath(e, "memory.parts[\"KV cache\"].bytes"), std::string("memory.parts.1.bytes"));
        QCOMPARE(*figurePath(e, "memory.parts.kv_cache.bytes"), std::string("memory.parts.1.bytes"));
        QCOMPARE(*figurePath(e, "memory.parts[2].bytes"), std::string("memory.parts.2.bytes"));
        QCOMPARE(*figurePath(e, "memory.nothing"), std::string("memory.nothing"));
        QCOMPARE(figurePath(e, "memory.parts.twice.bytes").error(),
                 std::string("'memory.parts' has 'twice' more than once; use one of the indices 2, 3"));
        m.parts.push_back({"7", 5});
        m.parts.push_back({"A.B", 6});
        QCOMPARE(*figurePath(e, "memory.parts[7].bytes"), std::string("memory.parts.7.bytes")); // an index
        QCOMPARE(*figurePath(e, "memory.parts[a.b].bytes"), std::string("memory.parts.5.bytes"));
        QCOMPARE(*figurePath(e, "memory.parts['KV cache'].bytes"), std::string("memory.parts.1.bytes"));
        QCOMPARE(*figurePath(e, "weights.bytes"), std::string("weights.bytes")); // of no array
        e.cost.emplace().lines = {{"Instances", 2, "instance-hours", 3, 6}};
        QCOMPARE(*figurePath(e, "cost.lines[instances].dollars"), std::string("cost.lines.0.dollars"));
        QCOMPARE(*figurePath(e, "cost.lines[instance-hours].dollars"), // a unit is no name
                 std::string("cost.lines.instance-hours.dollars"));
        Layer layer;
        layer.kind = "decoder";
        layer.ops.resize(2);
        layer.ops[1].name = "product";
        layer.communication.resize(2);
        layer.communication[1].op = "all_to_all";
        e.training.emplace().layers = {layer};
        QCOMPARE(*figurePath(e, "training.layers[decoder].ops[product].seconds"),
                 std::string("training.layers.0.ops.1.seconds"));
        QCOMPARE(*figurePath(e, "training.layers[decoder].communication[all to all].seconds"),
                 std::string("training.layers.0.communication.1.seconds"));
        QCOMPARE(dottedPath("a]b"), std::string("a]b"));
        QCOMPARE(dottedPath("[x[y].b"), std::string("x[y.b"));
        QCOMPARE(dottedPath("a[0].b"), std::string("a.0.b"));
        QCOMPARE(dottedPath("[x.y].b"), std::string("x.y.b"));
    }

    /// Ranks of a second pool follow those of the first.
    void ranksOfPools() {
        ClusterMap map;
        map.pools = {{"prefill", 0, 0, RankLayout::serving(2, 1, 2, 1)},
                     {"decode", 1, 4, RankLayout::serving(2, 1, 1, 3)}};
        QCOMPARE(map.poolOf(3)->pool, std::size_t{0});
        QCOMPARE(map.poolOf(4)->pool, std::size_t{1});
        QCOMPARE(map.poolOf(9)->pool, std::size_t{1});
        QVERIFY(!map.poolOf(10) && !map.poolOf(-1));
        QCOMPARE(map.coordinates(3).pipeline, 1);
        QCOMPARE(map.coordinates(7).tensor, 1);
        QCOMPARE(map.coordinates(7).pipeline, 0);
        QCOMPARE(map.groupOf(GroupKind::tensor, 7), (std::vector<int>{6, 7}));
        QVERIFY(map.groupOf(GroupKind::tensor, 10).empty());
        const std::vector<GroupKind> kinds = map.kinds();
        QVERIFY(std::ranges::count(kinds, GroupKind::pipeline) == 1);
        QVERIFY(std::ranges::count(kinds, GroupKind::tensor) == 1);
        // Memory of each GPU is that of the stage of its rank.
        map.fabric.gpuDomain.assign(12, 0);
        map.placement.gpuOfRank = {1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
        Estimate e;
        Serving& s = e.serving.emplace();
        s.pools.resize(2);
        s.pools[0].memory.stages = {{0, 10, {}}, {1, 20, {}}};
        s.pools[1].memory.totalBytes = 30;
        QCOMPARE(memoryOfGpus(map, e), (std::vector<double>{10, 10, 20, 20, 30, 30, 30, 30, 30, 30, 0, 0}));
        Estimate trained;
        trained.memory.emplace().totalBytes = 7;
        QCOMPARE(memoryOfGpus(map, trained), (std::vector<double>{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0, 0}));
    }

    /// Hosts of 2 GPUs: two below one leaf, one below another of the same top. The third host's NVLink domain
    /// is that of the second.
    void hops() {
        Fabric fabric;
        fabric.gpusPerHost = 2;
        fabric.layers = 2;
        fabric.hostLeaf = {1, 1, 2};
        fabric.gpuDomain = {0, 0, 1, 1, 1, 1};
        fabric.domains = 2;
        fabric.nodeParent = {-1, 0, 0};
        fabric.nodeLayer = {0, 1, 1};
        fabric.nodeHosts = {3, 2, 1};
        QCOMPARE(hopDistances(fabric, 0), (std::vector<int>{0, 0, 1, 1, 3, 3}));
        QCOMPARE(hopDistances(fabric, 4), (std::vector<int>{3, 3, 0, 0, 0, 0}));
    }
};

QTEST_APPLESS_MAIN(TestEstimateTraffic)

} // namespace tst_estimate_traffic

#include "tst_estimate_traffic.moc"
