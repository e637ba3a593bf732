// SPDX-License-Identifier: GPL-3.0-or-later
// Published rows as scenarios: one row of each kind of source against what the source says, in the words of
// the scenario file; and all shipped rows: none is lost, none is skipped without a reason.
// ctest: slow
#include "model/engine/engine.h"
#include "model/validation/published_quantity.h"
#include "model/validation/published_scenario.h"
#include "model/validation/validate.h"
#include "model/workload/parameters.h"
#include "tests/data/published_rows.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tst_validation_rows {

using namespace alidade;

namespace {

const Catalog& catalog() { return shippedCatalog(); }

const PublishedTraining& rowOf(const std::string& id) { return alidade::rowOf(published().training, id); }

} // namespace

class TestValidationRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void saysWhatTheSourceSays_data();
    void saysWhatTheSourceSays();
    void saysWhatItAssumes_data();
    void saysWhatItAssumes();
    void recomputationIsThatOfTheSource();
    void architecturesHaveThePublishedSize();
    void conventionsReproduceTheSourcesOwnFlops();
    void memoryIsThatOfTheSourcesCounter();
    void everyFrameworkIsKnown();
    void noRowIsLostAndNoneSkippedWithoutAReason();
};

void TestValidationRows::saysWhatTheSourceSays_data() {
    SaidFields says;
    says("nar21-t1-1008b", {{"plan.framework", "megatron-lm-2021"},
                            {"plan.tensor_parallel", "8"},
                            {"plan.pipeline_parallel", "64"},
                            {"plan.precision", "fp16"},
                            {"plan.sharding", "none"},
                            {"cluster.gpus", "3072"}});
    says("kor22-22b-sp-selective", {{"plan.sequence_parallel", "true"},
                                    {"plan.micro_batch", "4"},
                                    {"workload.global_batch", "4"},
                                    {"cluster.custom.gpu", "a100-80gb-sxm"}});
    says("titan24-8b-8gpu-eager", {{"plan.framework", "torchtitan-eager"},
                                   {"plan.sharding", "fsdp2"},
                                   {"workload.model", "llama-3.1-8b"},
                                   {"cluster.custom.gpu", "h100-sxm-96gb"}});
    says("titan24-70b-256gpu-asynctp",
         {{"plan.framework", "torchtitan-2024"}, {"plan.overlap.tensor", "65 %"}});
    says("titan24-70b-256gpu-tp", {{"plan.overlap.tensor", "-"}});
    says("aws-titan-8b-p5-32gpu-default",
         {{"cluster.instance", "p5.48xlarge"}, {"cluster.instances", "4"}, {"cluster.custom.gpu", "-"}});
    says("nemo2407-llama2-7b-lora-8gpu", {{"workload.finetune.kind", "lora"}, {"plan.framework", "nemo-24"}});
    says("mlperf41-lora70b-h100-64", {{"workload.finetune.rank", "16"}, {"plan.context_parallel", "2"}});
    says("dgxc-250505-llama3.1-405b-h100-bf16-512gpu", {{"plan.virtual_pipeline", "8"},
                                                        {"plan.schedule", "interleaved"},
                                                        {"plan.context_parallel", "2"},
                                                        {"plan.data_parallel", "4"}});
    says("dgxc-2502-llama3-70b-h100-bf16-512gpu",
         {{"plan.framework", "maxtext"}, {"plan.sharding", "hsdp"}, {"plan.shard_size", "128"}});
    says("mlperf50-405b-h100-512", {{"plan.framework", "nemo-mlperf"}, {"workload.model", "llama-3.1-405b"}});
    says("mb260401-deepseek-v3-b200-mxfp8", {{"plan.framework", "megatron-bridge"},
                                             {"plan.precision", "mxfp8"},
                                             {"plan.pipeline_split", "8, 8, 8, 8, 8, 8, 8, 5"},
                                             {"plan.expert_parallel", "32"},
                                             {"plan.expert_tensor_parallel", "1"},
                                             {"plan.expert_imbalance", "1"},
                                             {"plan.overlap.expert", "75 %"},
                                             {"workload.model", "deepseek-v3"}});
    says("mb260401-llama3-70b-gb300-fp8", {{"plan.sharding", "fsdp2"}, {"plan.fp8_recipe", "current"}});
    says("mbskill-qwen3-30b-hybridep-overlap",
         {{"plan.overlap.expert", "75 %"}, {"plan.dispatcher", "hybridep"}});
    says("mb2606-nemotron3-super-gb200-mxfp8", {{"plan.framework", "megatron-bridge-26.06"},
                                                {"plan.dispatcher", "hybridep"},
                                                {"plan.cuda_graphs", "true"},
                                                {"plan.cuda_graph_scope", "partial"}});
    // A preset without a flexible dispatcher runs the all-to-all of the recipe.
    says("mb2602-gpt-oss-120b-b200-bf16", {{"plan.dispatcher", "-"}, {"plan.expert_exchange", "all_to_all"}});
    says("mb2606-qwen3-30b-a3b-h100-fp8", {{"plan.cuda_graphs", "false"}, {"plan.dispatcher", "hybridep"}});
    says("mb2511-llama3-70b-gb200-fp8", {{"plan.offload.activations", "50 %"}});
    says("nar21-t2-zero-3-174.6b-768gpu", {{"plan.framework", "deepspeed-2021"}});
    says("mbskill-qwen3-30b-hybridep-nooverlap", {{"plan.overlap.expert", "-"}});
    says("zoo-qwen3-235b-h100-1", {{"plan.framework", "megatron-moe"},
                                   {"plan.overlap.expert", "75 %"},
                                   {"plan.expert_tensor_parallel", "1"}});
    says("zoo-qwen3-235b-h100-longctx-16k-dropless",
         {{"plan.expert_tensor_parallel", "-"}, {"plan.expert_imbalance", "-"}});
    says("mpf-mixtral-8x22b-mcore-128gpu-gbs256",
         {{"plan.expert_tensor_parallel", "2"}, {"plan.capacity_factor", "1"}});
    says("mpf-mixtral-8x22b-folding-128gpu-gbs256", {{"plan.expert_tensor_parallel", "1"}});
    // How much is interleaved, where the source does not say: as usual with the framework, unless the source
    // names another schedule or the layers do not divide.
    says("mpf-mixtral-8x22b-folding-1024gpu-gbs1024",
         {{"plan.virtual_pipeline", "7"}, {"plan.schedule", "interleaved"}});
    says("titan24-405b-512gpu-interleaved", {{"plan.virtual_pipeline", "2"}});
    says("nar21-t2-ptd-p-174.6b-384gpu", {{"plan.virtual_pipeline", "-"}, {"plan.schedule", "-"}});
    says("zoo-qwen3-235b-gb200-bf16-256gpu", {{"plan.virtual_pipeline", "-"}});
    says("aws-qwen3-30b-a3b-p5-8n-tp8pp4ep16-nccl_alltoall-noovl-1",
         {{"cluster.instance", "p5.48xlarge"}, {"cluster.instances", "8"}, {"plan.expert_imbalance", "1"}});
    says("mleng-llama3.1-8b-h200-seq8k",
         {{"plan.framework", "deepspeed"}, {"plan.sharding", "zero3"}, {"plan.offload.optimizer", "100 %"}});
}

void TestValidationRows::saysWhatTheSourceSays() {
    QFETCH(QString, id);
    QFETCH(QString, path);
    QFETCH(QString, text);
    const PublishedScenario scenario = publishedScenario(rowOf(id.toStdString()), catalog());
    QVERIFY2(scenario.spec, scenario.lacks.c_str());
    QCOMPARE(QString::fromStdString(textOf(*scenario.spec, path.toStdString())), text);
}

void TestValidationRows::saysWhatItAssumes_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<bool>("complete");
    QTest::addColumn<std::vector<std::string>>("assumed");
    using Fields = std::vector<std::string>;
    QTest::newRow("all said") << "kor22-22b-sp-selective" << true << Fields{};
    QTest::newRow("no micro-batch") << "nar21-t1-1.7b" << false << Fields{"plan.micro_batch"};
    QTest::newRow("no interleaving said")
        << "nar21-readme-175b-1024gpu" << false << Fields{"plan.micro_batch", "plan.virtual_pipeline"};
    QTest::newRow("1F1B said: no interleaving") << "kor22-1t-full" << true << Fields{};
    QTest::newRow("no recomputation said")
        << "dgxc-250402-llama3.1-8b-h100-bf16-8gpu" << true << Fields{"plan.recompute"};
    QTest::newRow("no batch") << "ibm-fsdp-llama2-7b-128" << false
                              << Fields{"workload.global_batch", "plan.micro_batch"};
    QTest::newRow("other vocabulary")
        << "mlperf50-405b-h100-8192" << true << Fields{"workload.model.vocab_size"};
}

void TestValidationRows::saysWhatItAssumes() {
    QFETCH(QString, id);
    QFETCH(std::vector<std::string>, assumed);
    const PublishedScenario scenario = publishedScenario(rowOf(id.toStdString()), catalog());
    QTEST(scenario.complete, "complete");
    QCOMPARE(scenario.assumed, assumed);
}

void TestValidationRows::recomputationIsThatOfTheSource() {
    using Words = std::vector<std::string>;
    const auto recompute = [](const char* id) {
        return publishedScenario(rowOf(id), catalog()).spec->plan.recompute;
    };
    QCOMPARE(recompute("nar21-t1-1.7b"), std::optional(Words{"full"}));
    QCOMPARE(recompute("kor22-22b-sp-selective"), std::optional(Words{"core_attn"}));
    QCOMPARE(recompute("titan24-8b-8gpu-compile"), std::optional(Words{"per_op"}));
    QCOMPARE(recompute("titan24-a100-llama2-70b-mbs2-every-other-layer-oom"),
             std::optional(Words{"every_other_layer"}));
    QCOMPARE(recompute("mbskill-moonlight-16b-3"), std::optional(Words{"mla_up_proj", "mlp"}));
    QCOMPARE(recompute("mb2602-deepseek-v3-gb300-mxfp8"), std::optional(Words{"mla_up_proj"}));
    QVERIFY(!recompute("mb2511-llama3-8b-gb300-fp8"));
}

void TestValidationRows::architecturesHaveThePublishedSize() {
    std::set<std::string> models;
    for (const PublishedTraining& row : published().training) {
        const PublishedScenario scenario = publishedScenario(row, catalog());
        if (!scenario.spec || !row.model.parameters || !models.insert(row.model.name).second)
            continue;
        const double total = static_cast<double>(countParameters(scenario.architecture).total);
        // Names are rounded: "5B" is 5.25e9.
        QVERIFY2(std::abs(total / *row.model.parameters - 1) < 0.06, row.model.name.c_str());
    }
    QVERIFY(models.size() > 40);
    // A row that does not say whether there are shared experts has those of the catalog's model.
    const Architecture super =
        publishedScenario(rowOf("mb2606-nemotron3-super-gb200-mxfp8"), catalog()).architecture;
    QCOMPARE(super.moe->sharedExperts, 1);
    QCOMPARE(super.moe->sharedExpertIntermediateSizeTotal, 5376);
    QCOMPARE(
        publishedScenario(rowOf("mb2604-qwen3-30b-a3b-h100-fp8"), catalog()).architecture.moe->sharedExperts,
        0);
}

void TestValidationRows::conventionsReproduceTheSourcesOwnFlops() {
    std::map<std::string, int> checked;
    for (const PublishedTraining& row : published().training) {
        const PublishedScenario scenario = publishedScenario(row, catalog());
        const Architecture& model = scenario.architecture;
        // Not these: rounded rates, GPT-OSS (the source's formula changed), NeMo AutoModel (its formula is
        // not published), fine-tunes, recurrent layers, and rows whose source says that its two figures
        // disagree.
        const bool odd = saysWord(row.notes, "rounded") || saysWord(row.notes, "disagree") ||
                         row.model.name == "GPT-OSS 120B" || saysWord(row.id, "sft") ||
                         saysWord(row.optimizer, "LoRA") || saysWord(row.software, "AutoModel") ||
                         model.mamba2 || model.gatedDeltaNet;
        if (!scenario.spec || odd || !row.measured.flopsPerSPerGpu || !row.measured.tokensPerSPerGpu)
            continue;
        const double perToken = publishedFlopsPerToken(publishedFlops(row.measured.flopsDefinition), model,
                                                       *row.model.sequenceLength);
        const double printed = *row.measured.flopsPerSPerGpu / *row.measured.tokensPerSPerGpu;
        // TFLOP/s are printed in whole numbers, tokens/s too: a row of 118 TFLOP/s is known to half a
        // percent.
        QVERIFY2(std::abs(perToken / printed - 1) < 0.012,
                 (row.id + ": " + std::to_string(perToken) + " for " + std::to_string(printed)).c_str());
        ++checked[row.source.title];
    }
    QVERIFY(checked.size() >= 8);
}

void TestValidationRows::memoryIsThatOfTheSourcesCounter() {
    const auto check = [](const char* id, std::initializer_list<std::string> unseen) {
        PublishedRows one;
        one.training = {rowOf(id)};
        const ValidationReport report = validate(one, catalog(), catalog().defaultProfile);
        const auto answer = estimate(*report.rows.back().scenario, catalog(), catalog().defaultProfile);
        double expected = answer->memory->totalBytes;
        for (const MemoryPartT<double>& part : answer->memory->parts)
            expected -= std::ranges::find(unseen, part.name) != unseen.end() ? part.bytes : 0;
        QCOMPARE(report.rows.back().quantity, std::string("peak_memory_bytes"));
        QVERIFY2(std::abs(report.rows.back().predicted / expected - 1) < 1e-9, id);
    };
    check("mbskill-qwen3-30b-hybridep-overlap", {"CUDA context", "Communication buffers", "Fragmentation"});
    check("titan25-8b-h200-4nodes", {"CUDA context", "Communication buffers"}); // reserved
}

void TestValidationRows::everyFrameworkIsKnown() {
    std::set<std::string> used;
    for (const PublishedTraining& row : published().training) {
        const Framework* framework = publishedFramework(row, catalog());
        if (!row.software.empty())
            QVERIFY2(framework, row.software.c_str());
        if (framework)
            used.insert(framework->id);
    }
    QVERIFY(used.size() >= 9);
    for (const Framework& framework : catalog().frameworks) {
        for (const auto* fields : {&framework.defaults, &framework.overlapped}) {
            for (const auto& [path, text] : *fields) {
                QVERIFY2(findField(path), (framework.id + " " + path).c_str());
                QVERIFY2(parseField(*findField(path), text),
                         (framework.id + " " + path + " " + text).c_str());
            }
        }
    }
}

void TestValidationRows::noRowIsLostAndNoneSkippedWithoutAReason() {
    const ValidationReport report = validate(published(), catalog(), catalog().defaultProfile);
    std::set<std::string> seen;
    for (const ValidationRow& row : report.rows) {
        QVERIFY2(row.measured > 0 && row.predicted > 0 && std::isfinite(row.error), row.id.c_str());
        QVERIFY2(row.low < row.predicted && row.predicted < row.high, row.id.c_str());
        QVERIFY2(row.weight > 0 && row.weight <= 1, row.id.c_str());
        QVERIFY2(!row.sourceTitle.empty() && !row.sourceLocator.empty(), row.id.c_str());
        QVERIFY2(!row.gpu.empty() || row.kind == RowKind::run, row.id.c_str());
        QVERIFY2(row.kind != RowKind::training || row.scenario, row.id.c_str());
        seen.insert(row.id);
    }
    for (const MemoryOutcome& outcome : report.memoryOutcomes)
        seen.insert(outcome.id);
    for (const SkippedRow& row : report.skipped) {
        QVERIFY2(row.why.size() > 20, row.id.c_str());
        QVERIFY2(seen.insert(row.id).second, row.id.c_str()); // not predicted and skipped
    }
    const PublishedRows& all = published();
    QCOMPARE(seen.size(), all.training.size() + all.serving.size() + all.collectives.size() +
                              all.runs.size() + all.finetune.size() + all.reinforcement.size());
}

QTEST_APPLESS_MAIN(TestValidationRows)

} // namespace tst_validation_rows

#include "tst_validation_rows.moc"
