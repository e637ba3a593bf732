// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/edits.h"
#include "model/advice/purchase_edits.h"
#include "model/advice/serving_evaluator.h"
#include "model/advice/serving_plans.h"
#include "tests/model/small_catalog.h"

#include <QTest>

#include <string>
#include <vector>

namespace tst_serving_edits {

using namespace alidade;
using namespace alidade::test;

namespace {

using Lines = std::vector<std::string>;

/// 16 GPUs in hosts and domains of 8; 32 layers, 32 heads, 8 of keys and values.
Scenario service() {
    Scenario out;
    Architecture& model = out.model;
    model.layers = 32;
    model.hiddenSize = 4096;
    model.attentionHeads = 32;
    model.kvHeads = 8;
    model.headDim = 128;
    model.ffnIntermediateSize = 14'336;
    model.vocabSize = 128'000;
    out.spec.cluster.gpus = 16;
    out.nvlinkDomain = out.gpusPerNode = 8;
    out.inputs[Input::capacity] = out.inputs[Input::deviceMemory] = 1e12;
    out.inputs[Input::memoryUtilization] = 0.9;
    return out;
}

Scenario serviceOfExperts(int experts = 16) {
    Scenario out = service();
    MoeShape moe;
    moe.routedExperts = experts;
    moe.expertsPerToken = 2;
    moe.expertIntermediateSize = 2048;
    out.model.moe = moe;
    return out;
}

/// Tensor, attention data, stages and experts: "8 1 2 1".
Lines layouts(const Scenario& base) {
    Lines out;
    for (const ServingLayout& each : servingLayouts(base))
        out.push_back(std::to_string(each.tensor) + " " + std::to_string(each.attentionData) + " " +
                      std::to_string(each.pipeline) + " " + std::to_string(each.expert));
    return out;
}

/// Fields without their group: "tensor_parallel=2 data_parallel=".
Lines shortly(const std::vector<Edit>& edits) {
    Lines out;
    for (const Edit& edit : edits) {
        std::string line;
        for (const auto& [path, text] : edit)
            line +=
                (line.empty() ? "" : " ") + (path.starts_with("plan.") ? path.substr(5) : path) + "=" + text;
        out.push_back(line);
    }
    return out;
}

} // namespace

/// Changes of a service that are worth trying, all of them.
class TestServingEdits : public QObject {
    Q_OBJECT

private slots:
    /// Stages where the ranks of one fill a host.
    void denseLayouts() {
        Scenario s = service();
        QCOMPARE(layouts(s), (Lines{"1 1 1 1", "2 1 1 1", "4 1 1 1", "8 1 1 1", "8 1 2 1"}));
        s.spec.cluster.gpus = 15;
        QCOMPARE(layouts(s), (Lines{"1 1 1 1", "2 1 1 1", "4 1 1 1", "8 1 1 1"}));
        s.spec.cluster.gpus.reset();
        QCOMPARE(layouts(s), (Lines{"1 1 1 1"}));
        s.spec.cluster.gpus = 512;
        s.nvlinkDomain = 128;
        s.model.attentionHeads = 128;
        s.gpusPerNode = 64;
        // At most 64 in a tensor group, and 8 stages.
        QCOMPARE(layouts(s), (Lines{"1 1 1 1", "2 1 1 1", "4 1 1 1", "8 1 1 1", "16 1 1 1", "32 1 1 1",
                                    "64 1 1 1", "64 1 2 1", "64 1 4 1", "64 1 8 1"}));
    }

    void layoutsDivideTheModel_data() {
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("ffn");
        QTest::addColumn<bool>("latent");
        QTest::addColumn<int>("largest"); // tensor degree
        QTest::addRow("all") << 32 << 8 << 14'336 << false << 8;
        QTest::addRow("4 heads") << 4 << 4 << 14'336 << false << 4;
        QTest::addRow("width of 2 x 7,167") << 32 << 8 << 14'334 << false << 2;
        QTest::addRow("12 heads of keys: 4 divides them, 8 does not") << 32 << 12 << 14'336 << false << 4;
        QTest::addRow("2 heads of keys: shared by 4 ranks") << 32 << 2 << 14'336 << false << 8;
        QTest::addRow("1 head of keys") << 32 << 1 << 14'336 << false << 8;
        QTest::addRow("3 heads of keys") << 32 << 3 << 14'336 << false << 1;
        QTest::addRow("no keys of its own") << 32 << 0 << 14'336 << false << 8;
        QTest::addRow("latent keys") << 32 << 3 << 14'336 << true << 8;
    }
    void layoutsDivideTheModel() {
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        QFETCH(int, ffn);
        QFETCH(bool, latent);
        QFETCH(int, largest);
        Scenario s = service();
        s.spec.cluster.gpus = 8;
        s.model.attentionHeads = heads;
        s.model.kvHeads = kvHeads;
        s.model.ffnIntermediateSize = ffn;
        if (latent)
            s.model.mla = MlaShape{};
        QCOMPARE(servingLayouts(s).back().tensor, largest);
    }

    /// Experts whole on the GPUs of a stage, or split like the MLP where attention is not replicated.
    void layoutsOfExperts() {
        Scenario s = serviceOfExperts();
        const Lines all{"1 1 1 1",  "1 2 1 2", "2 1 1 2",   "2 1 1 1", "1 4 1 4",  "2 2 1 4",
                        "4 1 1 4",  "4 1 1 1", "1 8 1 8",   "2 4 1 8", "4 2 1 8",  "8 1 1 8",
                        "8 1 1 1",  "1 8 2 8", "1 16 1 16", "2 4 2 8", "2 8 1 16", "4 2 2 8",
                        "4 4 1 16", "8 1 2 8", "8 1 2 1",   "8 2 1 16"};
        QCOMPARE(layouts(s), all);
        // Of 8 experts, 16 GPUs have none each.
        Lines fewer;
        for (const std::string& each : all)
            if (!each.ends_with(" 16"))
                fewer.push_back(each);
        QCOMPARE(layouts(serviceOfExperts(8)), fewer);
        // 8 GPUs do not divide the width of 2,044 = 4 x 511.
        s.model.moe->expertIntermediateSize = 2044;
        Lines whole;
        for (const std::string& each : all)
            if (each != "8 1 1 1" && each != "8 1 2 1")
                whole.push_back(each);
        QCOMPARE(layouts(s), whole);
        // At most 64 ranks of attention: on 128 GPUs of their own.
        s = serviceOfExperts(256);
        s.spec.cluster.gpus = 128;
        s.nvlinkDomain = 1;
        s.gpusPerNode = 1000;
        QCOMPARE(layouts(s),
                 (Lines{"1 1 1 1", "1 2 1 2", "1 4 1 4", "1 8 1 8", "1 16 1 16", "1 32 1 32", "1 64 1 64"}));
    }

    /// Untied embeddings 2 x 128,000 x 4,096; a layer has 4,096 x (2 x 4,096 + 2 x 1,024) of attention, 3 x
    /// 4,096 x 14,336 of MLP and two norms; one more at the end. Two bytes each.
    void weightsLeaveRoom() {
        const double bytes =
            2 * (2.0 * 128'000 * 4096 +
                 32 * (4096.0 * (2 * 4096 + 2 * 1024) + 3.0 * 4096 * 14'336 + 2 * 4096) + 4096);
        Scenario s = service();
        s.inputs[Input::denseWeightBytes] = 2;
        s.inputs[Input::capacity] = bytes / 4; // nothing is left for a cache
        QCOMPARE(layouts(s), (Lines{"8 1 1 1", "8 1 2 1"}));
        s.inputs[Input::capacity] *= 1.001;
        QCOMPARE(layouts(s), (Lines{"4 1 1 1", "8 1 1 1", "8 1 2 1"}));
        s.inputs[Input::capacity] = bytes / 16 * 1.001;
        QCOMPARE(layouts(s), (Lines{"8 1 2 1"}));
        s.inputs[Input::capacity] = 1e12;
        s.inputs[Input::deviceMemory] = bytes / 16 * 1.001; // 90 % of it
        QVERIFY(layouts(s).empty());
        s.inputs[Input::deviceMemory] /= 0.9;
        QCOMPARE(layouts(s), (Lines{"8 1 2 1"}));
        // Experts are divided by all ranks of the stage, the rest by the tensor group alone: on 8 ranks, of
        // experts alone 1/8; with the rest (no MLP), half of it where the group is 2.
        s = serviceOfExperts();
        s.model.ffnIntermediateSize = 0;
        const double experts = 2 * 32.0 * 16 * 3 * 4096 * 2048,
                     rest = 2 * (2.0 * 128'000 * 4096 +
                                 32 * (4096.0 * (2 * 4096 + 2 * 1024) + 4096.0 * 16 + 2 * 4096) + 4096);
        s.spec.cluster.gpus = 8;
        s.inputs[Input::expertWeightBytes] = 2;
        s.inputs[Input::capacity] = experts / 8 * 1.001;
        QCOMPARE(layouts(s), (Lines{"1 8 1 8", "2 4 1 8", "4 2 1 8", "8 1 1 8", "8 1 1 1"}));
        s.inputs[Input::denseWeightBytes] = 2;
        s.inputs[Input::capacity] = (experts / 8 + rest / 2) * 1.01;
        QCOMPARE(layouts(s), (Lines{"2 4 1 8", "4 2 1 8", "8 1 1 8", "8 1 1 1"}));
        s.inputs[Input::capacity] = (experts / 8 + rest / 4) * 1.01;
        QCOMPARE(layouts(s), (Lines{"4 2 1 8", "8 1 1 8", "8 1 1 1"}));
    }

    void narrowerFormats_data() {
        QTest::addColumn<QByteArray>("weights");
        QTest::addColumn<QByteArray>("cache");
        QTest::addColumn<bool>("fp4");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* weights, const char* cache, bool fp4, const char* expected) {
            QTest::addRow("%s %s %d", weights, cache, fp4)
                << QByteArray(weights) << QByteArray(cache) << fp4 << QByteArray(expected);
        };
        row("bf16", "bf16", false, "kv_cache=fp8; weights=fp8; weights=fp8 kv_cache=fp8");
        row("bf16", "bf16", true,
            "kv_cache=fp8; weights=fp8; weights=fp8 kv_cache=fp8; weights=nvfp4; weights=nvfp4 kv_cache=fp8");
        row("", "", false, "kv_cache=fp8; weights=fp8; weights=fp8 kv_cache=fp8"); // 16 bits are usual
        row("fp8", "fp8", true, "weights=nvfp4");
        row("fp8", "bf16", true, "kv_cache=fp8; weights=nvfp4; weights=nvfp4 kv_cache=fp8");
        row("bf16", "fp8", false, "weights=fp8");
        row("nvfp4", "bf16", true, "kv_cache=fp8");
        row("nvfp4", "fp8", true, "");
        row("of its own", "bf16", true, "");
        row("bf16", "of its own", true, "");
    }
    void narrowerFormats() {
        QFETCH(QByteArray, weights);
        QFETCH(QByteArray, cache);
        QFETCH(bool, fp4);
        QFETCH(QByteArray, expected);
        Catalog catalog;
        Gpu gpu;
        gpu.id = "g";
        gpu.fp8 = FlopPerSecond::si(2e15);
        if (fp4)
            gpu.fp4 = FlopPerSecond::si(4e15);
        Gpu old;
        old.id = "old";
        catalog.gpus = {gpu, old};
        Instance instance;
        instance.id = "i";
        instance.gpu = "g";
        catalog.instances = {instance};
        UltraServer ultra;
        ultra.id = "u";
        ultra.gpu = "g";
        catalog.ultraservers = {ultra};
        Scenario base;
        if (!weights.isEmpty())
            base.spec.plan.weights = weights.toStdString();
        if (!cache.isEmpty())
            base.spec.plan.kvCache = cache.toStdString();
        const auto found = [&](const ScenarioSpec& spec) {
            std::string out;
            for (const std::string& line : shortly(alidade::narrowerFormats(spec, base, catalog)))
                out += (out.empty() ? "" : "; ") + line;
            return QByteArray::fromStdString(out);
        };
        ScenarioSpec own, rented, rack, slow;
        own.cluster.custom.gpu = "g";
        own.cluster.instance = "none";
        rented.cluster.instance = "i";
        rack.cluster.ultraserver = "u";
        slow.cluster.custom.gpu = "old";
        QCOMPARE(found(own), expected);
        QCOMPARE(found(rented), expected);
        QCOMPARE(found(rack), expected);
        QCOMPARE(found(slow), QByteArray());
        QCOMPARE(found({}), QByteArray());
    }

    /// First what the plan sets by itself is left out, each field alone.
    void changesOfOneField() {
        ScenarioSpec spec;
        spec.plan.tensorParallel = 2;
        spec.plan.dataParallel = 4;
        spec.plan.maxBatch = 64;
        spec.plan.chunkTokens = 4096;
        const Lines dense{"data_parallel=",
                          "max_batch=",
                          "tensor_parallel=1",
                          "tensor_parallel=1 data_parallel=",
                          "tensor_parallel=4",
                          "tensor_parallel=4 data_parallel=",
                          "tensor_parallel=8",
                          "tensor_parallel=8 data_parallel=",
                          "pipeline_parallel=2 data_parallel=",
                          "pipeline_parallel=4 data_parallel=",
                          "pipeline_parallel=8 data_parallel=",
                          "chunk_tokens=1024",
                          "chunk_tokens=2048",
                          "chunk_tokens=8192",
                          "chunk_tokens=16384",
                          "max_batch=16",
                          "max_batch=32",
                          "max_batch=128",
                          "max_batch=256",
                          "max_batch=512",
                          "max_batch=1024",
                          "memory_utilization=95 %",
                          "cuda_graphs=true"};
        QCOMPARE(shortly(servingPlanEdits(spec, service())), dense);
        Lines experts;
        for (const char* n : {"1", "2", "4", "8", "16", "32", "64"}) {
            experts.push_back(std::string("expert_parallel=") + n);
            experts.push_back(std::string("attention_data_parallel=") + n + " data_parallel=");
        }
        Lines all = dense;
        all.insert(all.begin() + 11, experts.begin(), experts.end());
        QCOMPARE(shortly(servingPlanEdits(spec, serviceOfExperts())), all);
        // Tensor groups of a large domain have at most 64 ranks, and divide the model.
        Scenario large = service();
        large.nvlinkDomain = 256;
        large.model.attentionHeads = 256;
        large.model.kvHeads = 1;
        spec = {};
        const Lines found = shortly(servingPlanEdits(spec, large));
        QCOMPARE(found[0], std::string("tensor_parallel=1"));
        QCOMPARE(found[6], std::string("tensor_parallel=64"));
        QCOMPARE(found[7], std::string("pipeline_parallel=2"));
        large.model.attentionHeads = 3;
        QCOMPARE(shortly(servingPlanEdits(spec, large))[1], std::string("pipeline_parallel=2"));
    }

    void fieldsThatAreLeftOut() {
        ScenarioSpec spec;
        spec.plan.dataParallel = spec.plan.expertParallel = spec.plan.attentionDataParallel =
            spec.plan.pipelineParallel = spec.plan.maxBatch = spec.plan.speculative.draftTokens = 2;
        spec.plan.weightsOffload = 0.5;
        spec.plan.memoryUtilization = 0.95;
        spec.plan.activations = "fp8";
        spec.cluster.gpus = 8;
        spec.cluster.rankOrder = "tp-cp-ep-dp-pp";
        spec.cluster.placement = {"sorted"};
        Lines found = shortly(servingPlanEdits(spec, service()));
        found.resize(13);
        QCOMPARE(found,
                 (Lines{"data_parallel=", "cluster.gpus=", "expert_parallel=", "attention_data_parallel=",
                        "pipeline_parallel=", "max_batch=", "weights_offload=", "speculative.draft_tokens=",
                        "memory_utilization=", "activations=", "cluster.rank_order=", "cluster.placement=",
                        "tensor_parallel=1"}));
    }

    /// Half to four times as many workers, rounded, one more and one less; and tensor degrees.
    void sizesOfPools() {
        Scenario base = service();
        base.pools.resize(1);
        ScenarioSpec spec;
        DisaggregatedSpec& apart = spec.plan.disaggregated;
        apart.prefill.workers = 8;
        apart.prefill.tensorParallel = 2;
        apart.decode.workers = 1;
        QVERIFY(poolEdits(spec, base).empty());
        base.pools.resize(2);
        base.pools[0].plan.workers = 8;
        base.pools[1].plan.workers = 1;
        Lines expected;
        for (const char* n : {"4", "6", "10", "12", "16", "24", "32", "7", "9"})
            expected.push_back(std::string("disaggregated.prefill.workers=") + n);
        for (const char* n : {"1", "4", "8"})
            expected.push_back(std::string("disaggregated.prefill.tensor_parallel=") + n);
        for (const char* n : {"2", "3", "4"}) // 1.25 is rounded to what there is; 1.5 and twice are 2
            expected.push_back(std::string("disaggregated.decode.workers=") + n);
        for (const char* n : {"1", "2", "4", "8"})
            expected.push_back(std::string("disaggregated.decode.tensor_parallel=") + n);
        QCOMPARE(shortly(poolEdits(spec, base)), expected);
        // Of three: 1.5 and 2.25 rounded down, 3.75 and 4.5 to the nearest. The present number is never
        // tried.
        base.pools[0].plan.workers = 3;
        Lines found = shortly(poolEdits(spec, base));
        found.resize(6);
        QCOMPARE(found, (Lines{"disaggregated.prefill.workers=1", "disaggregated.prefill.workers=2",
                               "disaggregated.prefill.workers=4", "disaggregated.prefill.workers=5",
                               "disaggregated.prefill.workers=6", "disaggregated.prefill.workers=9"}));
        base.nvlinkDomain = 128;
        base.model.attentionHeads = 128;
        base.model.kvHeads = 1;
        QCOMPARE(shortly(poolEdits(spec, base)).back(),
                 std::string("disaggregated.decode.tensor_parallel=64"));
    }

    /// Whatever the plan says, the plainest one on its machines.
    void thePlainService() {
        ScenarioSpec spec = servingSpec();
        spec.plan.tensorParallel = 3;
        spec.plan.pipelineParallel = 5;
        spec.plan.attentionDataParallel = 7;
        spec.plan.expertParallel = 11;
        spec.plan.dataParallel = 13;
        spec.plan.disaggregated.prefill.workers = 2;
        spec.cluster.gpus = 3;
        const Profile& profile = smallCatalog().defaultProfile;
        const auto plain = plainService(spec, smallCatalog(), profile);
        QVERIFY(plain && plain->legal);
        QCOMPARE(plain->pools.size(), std::size_t{1});
        QCOMPARE(plain->spec.cluster.gpus.value_or(0), std::int64_t{8});
        spec.cluster.instance = "unknown";
        QVERIFY(!plainService(spec, smallCatalog(), profile));
    }

    /// A price that is no longer asked is none.
    void pricesInForce() {
        Catalog catalog = smallCatalog();
        const ScenarioSpec spec = trainingSpec();
        const Scenario scenario = *resolve(spec, catalog, catalog.defaultProfile);
        QCOMPARE(purchaseEdits(spec, scenario, catalog).size(), std::size_t{1});
        for (Price& price : catalog.prices)
            price.current = price.purchase != Purchase::capacityBlock;
        QVERIFY(purchaseEdits(spec, scenario, catalog).empty());
    }

    /// Of what the rules offer, only that of errors; one after the other.
    void changesThatRulesOffer() {
        Scenario scenario;
        QVERIFY(changesOfRules(scenario).empty());
        const auto add = [&scenario](Severity severity, const char* path) {
            Problem& problem = scenario.problems.emplace_back();
            problem.severity = severity;
            if (path)
                problem.fix = Fix{"", {{path, "1"}}};
        };
        add(Severity::error, "a");
        add(Severity::warning, "b");
        add(Severity::error, nullptr);
        add(Severity::error, "c");
        QCOMPARE(changesOfRules(scenario), (Edit{{"a", "1"}, {"c", "1"}}));
    }

    /// What the software does anyway changes nothing; twice the GPUs of a replica do.
    void needlessFields() {
        const Catalog& catalog = smallCatalog();
        const Edit tensor{{"plan.tensor_parallel", "4"}};
        const Edit serving{{"plan.max_batch", "256"}, tensor[0], {"plan.chunk_tokens", "8192"}};
        ServingEvaluator service(catalog, catalog.defaultProfile);
        QCOMPARE(withoutNeedless(servingSpec(), serving, service), tensor);
        QCOMPARE(withoutNeedless(servingSpec(), {serving[0]}, service), (Edit{serving[0]}));
        QVERIFY(withoutNeedless(servingSpec(), {}, service).empty());
        // A field that is needed with another: neither 3 heads a rank nor a width of 7 is a plan.
        ScenarioSpec odd = servingSpec();
        odd.plan.tensorParallel = 3;
        QCOMPARE(withoutNeedless(odd, serving, service), tensor);
        Evaluator trainer(catalog, catalog.defaultProfile);
        const Edit training{
            {"plan.overlap.tensor", "0 %"}, {"plan.tensor_parallel", "8"}, {"plan.micro_batch", "1"}};
        QCOMPARE(withoutNeedless(trainingSpec(), training, trainer), (Edit{training[1]}));
        const Edit both{
            {"plan.pipeline_parallel", "2"}, {"plan.micro_batch", "1"}, {"plan.tensor_parallel", "8"}};
        QCOMPARE(withoutNeedless(trainingSpec(), both, trainer), (Edit{both[0], both[2]}));
    }
};

QTEST_GUILESS_MAIN(TestServingEdits)

} // namespace tst_serving_edits

#include "tst_serving_edits.moc"
