// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// NeMo's two generations, and the configuration that joins the pools of TensorRT-LLM.
#include "data/jobs/import_job.h"
#include "tests/data/handed_over.h"

#include <QTest>

namespace tst_import_nemo {

using namespace alidade;
using namespace tests;
using data::JobReading;

namespace {

JobReading read(const std::string& text, const std::map<std::string, std::string>& files = {}) {
    return data::readJob(text, "job", catalog(), [&files](const std::string& name) {
        const auto at = files.find(name.substr(name.find_last_of('/') + 1));
        return at == files.end() ? std::nullopt : std::optional(at->second);
    });
}

std::string from(const JobReading& reading, const std::string& path) {
    for (const auto* list : {&reading.understood, &reading.assumed})
        for (const data::ReadField& each : *list)
            if (each.path == path)
                return each.from + " " + std::to_string(each.line);
    return {};
}

const char* const nemo1 = "trainer:\n"
                          "  num_nodes: 16\n"
                          "  devices: 8\n"
                          "  precision: bf16\n"
                          "  max_steps: 1000\n"
                          "exp_manager:\n"
                          "  create_checkpoint_callback: true\n"
                          "model:\n"
                          "  micro_batch_size: 1\n"
                          "  global_batch_size: 256\n"
                          "  tensor_model_parallel_size: 4\n"
                          "  pipeline_model_parallel_size: 4\n"
                          "  virtual_pipeline_model_parallel_size: 5\n"
                          "  context_parallel_size: 2\n"
                          "  sequence_parallel: true\n"
                          "  encoder_seq_length: 8192\n"
                          "  num_layers: 80\n"
                          "  hidden_size: 8192\n"
                          "  ffn_hidden_size: 28672\n"
                          "  num_attention_heads: 64\n"
                          "  num_query_groups: 8\n"
                          "  activations_checkpoint_granularity: selective\n"
                          "  fp8: true\n"
                          "  fp8_hybrid: true\n"
                          "  optim:\n"
                          "    name: distributed_fused_adam\n"
                          "    lr: 0.0001\n";

} // namespace

class TestImportNemo : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConfigurationOfNemo1() {
        QVERIFY(data::looksLikeJob(nemo1));
        const JobReading reading = read(nemo1);
        QVERIFY2(reading.faults.empty(), reading.faults.empty() ? "" : reading.faults.front().c_str());
        QVERIFY2(reading.contradictions.empty(),
                 reading.contradictions.empty() ? "" : reading.contradictions.front().c_str());
        QCOMPARE(reading.tool, std::string("nemo"));
        const ScenarioSpec& spec = reading.spec;
        QCOMPARE(*reading.gpus, 128);
        QCOMPARE(*spec.cluster.instances, 16);
        QCOMPARE(*spec.plan.tensorParallel, 4);
        QCOMPARE(*spec.plan.pipelineParallel, 4);
        QCOMPARE(*spec.plan.virtualPipeline, 5);
        QCOMPARE(*spec.plan.contextParallel, 2);
        QCOMPARE(*spec.plan.dataParallel, 4);
        QCOMPARE(*spec.plan.sequenceParallel, true);
        QCOMPARE(*spec.plan.microBatch, 1);
        QCOMPARE(*spec.workload.globalBatch, 256);
        QCOMPARE(*spec.workload.sequenceLength, 8192);
        QCOMPARE(*spec.workload.tokens, 1000.0 * 256 * 8192);
        QCOMPARE(*spec.plan.precision, std::string("fp8"));
        QCOMPARE(*spec.plan.sharding, std::string("zero1"));
        QCOMPARE(spec.plan.recompute->front(), std::string("selective"));
        QCOMPARE(*spec.plan.framework, std::string("nemo-24"));
        // Several models of the catalog have this shape.
        QVERIFY(std::ranges::find(reading.models, "llama-3-70b") != reading.models.end() ||
                spec.workload.model == "llama-3-70b");
        // By its own names and lines.
        QCOMPARE(from(reading, "plan.tensor_parallel"), std::string("model.tensor_model_parallel_size 11"));
        QCOMPARE(from(reading, "workload.sequence_length"), std::string("model.encoder_seq_length 16"));
        QVERIFY(std::ranges::any_of(reading.noField, [](const data::ReadName& each) {
            return each.name == "model.optim.lr" && each.line == 27;
        }));
        QVERIFY(reading.unknown.empty());
    }

    void overridesOfNemo1() {
        const JobReading reading =
            read("#!/bin/bash\n#SBATCH --nodes=16\n"
                 "srun python /opt/NeMo/examples/nlp/language_modeling/megatron_gpt_pretraining.py \\\n"
                 "  --config-path=/conf --config-name=llama.yaml model.tensor_model_parallel_size=8 \\\n"
                 "  ++model.context_parallel_size=1\n",
                 {{"llama.yaml", nemo1}});
        QCOMPARE(reading.tool, std::string("nemo"));
        QCOMPARE(*reading.spec.plan.tensorParallel, 8); // the command line wins
        QCOMPARE(*reading.spec.plan.contextParallel, 1);
        QCOMPARE(*reading.spec.plan.pipelineParallel, 4);
        QCOMPARE(*reading.spec.plan.dataParallel, 4);
        QCOMPARE(from(reading, "plan.pipeline_parallel"),
                 std::string("model.pipeline_model_parallel_size in llama.yaml 12"));
        const JobReading alone = read("python megatron_gpt_pretraining.py --config-name=none\n");
        QCOMPARE(alone.missingFiles, std::vector<std::string>{"none.yaml"});
    }

    void theCommandLineOfNemo2() {
        const JobReading reading = read(
            "nemo llm pretrain --factory \"llama31_70b(num_nodes=8, num_gpus_per_node=8)\" -y \\\n"
            "  trainer.max_steps=2000 trainer.strategy.tensor_model_parallel_size=8 \\\n"
            "  trainer.strategy.pipeline_model_parallel_size=2 trainer.strategy.sequence_parallel=True \\\n"
            "  data.global_batch_size=512 data.micro_batch_size=2 data.seq_length=8192 "
            "log.use_datetime=True\n");
        QCOMPARE(reading.tool, std::string("nemo"));
        QCOMPARE(*reading.spec.workload.model, std::string("llama-3.1-70b"));
        QCOMPARE(*reading.gpus, 64);
        QCOMPARE(*reading.spec.plan.tensorParallel, 8);
        QCOMPARE(*reading.spec.plan.pipelineParallel, 2);
        QCOMPARE(*reading.spec.plan.dataParallel, 4);
        QCOMPARE(*reading.spec.plan.microBatch, 2);
        QCOMPARE(*reading.spec.workload.globalBatch, 512);
        QCOMPARE(*reading.spec.plan.sequenceParallel, true);
        QCOMPARE(from(reading, "workload.global_batch"), std::string("data.global_batch_size 4"));
        QVERIFY(std::ranges::any_of(
            reading.noField, [](const data::ReadName& each) { return each.name == "log.use_datetime"; }));
        QVERIFY(reading.contradictions.empty());
        // An override alongside the recipe's own argument: the later one counts.
        const JobReading twice =
            read("nemo llm pretrain --factory 'llama3_8b(num_nodes=2)' trainer.num_nodes=4 "
                 "trainer.devices=8\n");
        QCOMPARE(*twice.gpus, 32);
    }

    void bothPoolsOfADisaggregatedServer() {
        const std::string config = "hostname: localhost\n"
                                   "port: 8000\n"
                                   "backend: pytorch\n"
                                   "model: deepseek-ai/DeepSeek-R1\n"
                                   "kv_cache_config:\n"
                                   "  free_gpu_memory_fraction: 0.8\n"
                                   "context_servers:\n"
                                   "  num_instances: 3\n"
                                   "  tensor_parallel_size: 8\n"
                                   "  moe_expert_parallel_size: 8\n"
                                   "  urls: [\"node-1:8001\", \"node-2:8001\", \"node-3:8001\"]\n"
                                   "generation_servers:\n"
                                   "  num_instances: 2\n"
                                   "  tensor_parallel_size: 16\n"
                                   "  moe_expert_parallel_size: 16\n"
                                   "  enable_attention_dp: true\n"
                                   "  max_batch_size: 64\n"
                                   "  urls:\n"
                                   "    - \"node-4:8001\"\n"
                                   "    - \"node-5:8001\"\n";
        QVERIFY(data::looksLikeJob(config));
        for (const JobReading& reading :
             {read(config),
              read("trtllm-serve disaggregated -c disagg.yaml -t 1800\n", {{"disagg.yaml", config}})}) {
            QVERIFY2(reading.faults.empty(), reading.faults.empty() ? "" : reading.faults.front().c_str());
            const PlanSpec& plan = reading.spec.plan;
            QCOMPARE(*reading.spec.workload.model, std::string("deepseek-r1"));
            QCOMPARE(*plan.disaggregated.prefill.workers, 3);
            QCOMPARE(*plan.disaggregated.prefill.tensorParallel, 8);
            QCOMPARE(*plan.disaggregated.prefill.expertParallel, 8);
            QCOMPARE(*plan.disaggregated.decode.workers, 2);
            QCOMPARE(*plan.disaggregated.decode.attentionDataParallel, 16);
            QCOMPARE(*plan.disaggregated.decode.expertParallel, 16);
            QCOMPARE(*plan.disaggregated.decode.maxBatch, 64 * 16);
            QCOMPARE(*plan.memoryUtilization, 0.8);
            QCOMPARE(*reading.gpus, 3 * 8 + 2 * 16);
            QCOMPARE(reading.hosts.size(), std::size_t{5});
            QVERIFY(reading.contradictions.empty());
        }
    }

    void aDisaggregatedPlanIsWrittenAndReadBack() {
        const Planned source =
            changed("serve-deepseek-r1-24xp5en.48xlarge", {{"plan.engine", "tensorrt-llm"}});
        const PlanSpec& plan = source.spec.plan;
        QVERIFY(plan.disaggregated.prefill.workers);
        const auto handoff = handedOff(source, {"tensorrt-llm", "slurm"});
        QVERIFY2(handoff, handoff.error().c_str());
        const data::HandoffFile& file = fileOf(*handoff, "disagg.yaml");
        QVERIFY(std::ranges::any_of(handoff->placeholders, [](const std::string& each) {
            return each.starts_with("CHANGE_ME_GENERATION_HOST_");
        }));
        const YAML::Node router = YAML::Load(file.text);
        std::set<std::string> urls;
        for (const char* pool : {"context_servers", "generation_servers"}) {
            QCOMPARE(router[pool]["urls"].size(), router[pool]["num_instances"].as<std::size_t>());
            for (const auto& url : router[pool]["urls"])
                QVERIFY(urls.insert(url.as<std::string>()).second);
        }
        const JobReading reading = read(file.text);
        QVERIFY2(reading.unknown.empty(),
                 reading.unknown.empty() ? "" : reading.unknown.front().name.c_str());
        const auto same = [](const PoolSpec& read, const PoolSpec& planned) {
            return read.workers == planned.workers &&
                   read.expertParallel.value_or(1) == planned.expertParallel.value_or(1) &&
                   read.tensorParallel.value_or(1) * read.attentionDataParallel.value_or(1) ==
                       planned.tensorParallel.value_or(1) * planned.attentionDataParallel.value_or(1);
        };
        QVERIFY(same(reading.spec.plan.disaggregated.prefill, plan.disaggregated.prefill));
        QVERIFY(same(reading.spec.plan.disaggregated.decode, plan.disaggregated.decode));
        // The graph of Dynamo has a frontend.
        const auto graph = handedOff(source, {"tensorrt-llm", "dynamo"});
        QVERIFY(graph->files.front().text.find("context_servers") == std::string::npos);
        QVERIFY(std::ranges::find(graph->files, "disagg.yaml", &data::HandoffFile::name) ==
                graph->files.end());
    }
};

QTEST_GUILESS_MAIN(TestImportNemo)

} // namespace tst_import_nemo

#include "tst_import_nemo.moc"
