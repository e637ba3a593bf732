// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// Reinforcement learning with a pool of GPUs for each role, as jobs of verl and back: which trainer runs a
// placement, how pools share instances, what the counts of the trainer come to, and what is refused.
#include "data/handoff/verl_pools.h"
#include "data/jobs/import_job.h"
#include "tests/data/handed_over.h"

#include <QTest>

namespace tst_handoff_pools {

using namespace alidade;
using namespace tests;
using data::Handoff;
using data::JobReading;
using data::handoff::packPools;
using data::handoff::VerlPools;

namespace {

constexpr const char* oneStepOff = "grpo-qwen3-32b-one-step-off-8xp5en.48xlarge";

const std::string& scriptOf(const Handoff& handoff) { return fileOf(handoff, "train.sh").text; }

/// The overrides of a script by their keys.
std::map<std::string, std::string> overridesOf(const Handoff& handoff) {
    std::istringstream lines(scriptOf(handoff));
    std::map<std::string, std::string> out;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == "ARGS=(" || line == ")") {
            inside = line != ")";
        } else if (inside) {
            std::string word = line.substr(4);
            if (word.starts_with('\''))
                word = word.substr(1, word.size() - 2);
            const std::size_t equals = word.find('=');
            out[word.substr(0, equals)] = word.substr(equals + 1);
        }
    }
    return out;
}

JobReading read(const std::string& text) { return data::readJob(text, "train.sh", catalog(), {}); }

std::string word(const ScenarioSpec& spec, const std::string& path) {
    const Field* field = findField(path);
    return fieldText(*field, field->get(spec));
}

} // namespace

class TestHandoffPools : public QObject {
    Q_OBJECT

private slots:
    void eachPlacementHasItsTrainer_data() {
        QTest::addColumn<std::string>("placement");
        QTest::addColumn<std::string>("command");
        QTest::newRow("colocated") << std::string("colocated")
                                   << std::string("verl.trainer.main_ppo --config-name=ppo_megatron_trainer");
        QTest::newRow("one_step_off") << std::string("one_step_off")
                                      << std::string("verl.experimental.one_step_off_policy.main_ppo "
                                                     "--config-name=one_step_off_ppo_megatron_trainer");
        for (const char* placement : {"split", "async"})
            QTest::newRow(placement) << std::string(placement)
                                     << std::string("verl.experimental.fully_async_policy.fully_async_main "
                                                    "--config-name=fully_async_ppo_megatron_trainer");
    }
    /// And only keys that its configuration has, in either kind of sharding.
    void eachPlacementHasItsTrainer() {
        QFETCH(std::string, placement);
        QFETCH(std::string, command);
        const std::set<std::string> known = namesOf("verl");
        const bool pools = placement != "colocated";
        for (const char* sharding : {"zero1", "fsdp2"}) {
            std::map<std::string, std::string> fields{{"plan.placement", placement},
                                                      {"plan.train.sharding", sharding}};
            if (!pools)
                fields.insert({{"plan.weight_sync", ""}, {"plan.rollout.gpus", ""}, {"plan.train.gpus", ""}});
            if (std::string(sharding) == "fsdp2")
                fields.insert({{"plan.train.tensor_parallel", "1"}, {"plan.train.framework", "torchtitan"}});
            const auto handoff = handedOff(changed(oneStepOff, fields), {"verl", "slurm"});
            QVERIFY2(handoff, handoff.error().c_str());
            const bool megatron = std::string(sharding) == "zero1";
            const std::string start =
                "\npython3 -m " + (megatron ? command : command.substr(0, command.find(' '))) + " \"${ARGS";
            QVERIFY2(scriptOf(*handoff).find(start) != std::string::npos, start.c_str());
            auto overrides = overridesOf(*handoff);
            for (const auto& [key, value] : overrides)
                QVERIFY2(known.contains(key), key.c_str());
            QCOMPARE(overrides.contains("async_training.staleness_threshold"),
                     placement == "split" || placement == "async");
            QCOMPARE(overrides.contains("rollout.nnodes"), pools);
            QCOMPARE(overrides["actor_rollout_ref.hybrid_engine"], std::string(pools ? "False" : ""));
            QCOMPARE(overrides["trainer.nnodes"], std::string(pools ? "4" : "8"));
        }
    }

    /// 512 prompts in 16 updates: a synchronization is a step, however the updates come to their responses.
    void countsOfAStepMultiply() {
        for (const char* placement : {"split", "async"}) {
            const bool turns = std::string(placement) == "split";
            const auto handoff = handedOff(changed(oneStepOff, {{"plan.placement", placement}}), {"verl"});
            QVERIFY2(handoff, handoff.error().c_str());
            auto all = overridesOf(*handoff);
            QCOMPARE(all["data.train_batch_size"], std::string("0"));
            QCOMPARE(all["data.gen_batch_size"], std::string("1"));
            QCOMPARE(all["actor_rollout_ref.actor.ppo_mini_batch_size"], std::string("32"));
            QCOMPARE(all["async_training.require_batches"], std::string(turns ? "16" : "1"));
            QCOMPARE(all["async_training.trigger_parameter_sync_step"], std::string(turns ? "1" : "16"));
            QCOMPARE(all["async_training.staleness_threshold"], std::string(turns ? "0" : "0.5"));
            QCOMPARE(all["async_training.partial_rollout"], std::string(turns ? "False" : "True"));
            QCOMPARE(all["rollout.total_rollout_steps"], std::to_string(512 * 1000));
            // 8 engines: all prompts that may be in flight.
            QCOMPARE(all["async_training.concurrent_samples_per_replica"], std::string(turns ? "64" : "96"));
            QVERIFY(!all.contains("trainer.total_training_steps"));
            QCOMPARE(warns(*handoff, "takes turns without staleness"), turns);
        }
        const auto step = handedOff(shipped().at(oneStepOff), {"verl"});
        auto all = overridesOf(*step);
        QCOMPARE(all["data.train_batch_size"], std::string("512"));
        QCOMPARE(all["trainer.total_training_steps"], std::string("1000"));
        QVERIFY(!all.contains("rollout.total_rollout_steps"));
        // Without steps the epochs end the run, not the 100 prompts that the trainer has by default.
        const auto endless =
            handedOff(changed(oneStepOff, {{"plan.placement", "async"}, {"workload.steps", ""}}), {"verl"});
        QCOMPARE(overridesOf(*endless)["rollout.total_rollout_steps"], std::string("null"));
    }

    void saysWhatItCountsOtherwise() {
        const auto uneven = handedOff(
            changed(oneStepOff, {{"plan.placement", "async"}, {"workload.updates_per_step", "5"}}), {"verl"});
        QCOMPARE(overridesOf(*uneven)["actor_rollout_ref.actor.ppo_mini_batch_size"], std::string("103"));
        QVERIFY(leftOut(*uneven, "workload.prompts_per_step")->why.find("make 515") != std::string::npos);
        QVERIFY(leftOut(*uneven, "workload.updates_per_step") != nullptr);
        // An update of 1,648 responses on 8 ranks is even, one of 309 is not.
        QVERIFY(!warns(*uneven, "verl stops"));
        const auto odd = handedOff(
            changed(oneStepOff, {{"workload.updates_per_step", "5"}, {"workload.samples_per_prompt", "3"}}),
            {"verl"});
        QVERIFY(warns(*odd, "the 309 responses of an update do not divide by the 8 data-parallel ranks"));
    }

    void movesWeightsAsThePlanDoes_data() {
        QTest::addColumn<std::string>("sync");
        QTest::addColumn<std::string>("backend");
        QTest::addColumn<bool>("left");
        const auto row = [](const char* sync, const char* backend, bool left) {
            QTest::newRow(sync) << std::string(sync) << std::string(backend) << left;
        };
        row("bucketed", "nccl", false);
        row("broadcast", "nccl", true);
        row("reshard", "nccl", true);
        row("rdma", "nixl", false);
        row("host_staged", "kimi_ckpt_engine", false);
        row("delta", "nccl", true);
    }
    void movesWeightsAsThePlanDoes() {
        QFETCH(std::string, sync);
        QFETCH(std::string, backend);
        QFETCH(bool, left);
        const auto handoff = handedOff(changed(oneStepOff, {{"plan.weight_sync", sync}}), {"verl"});
        QVERIFY(handoff);
        const std::string key = "actor_rollout_ref.rollout.checkpoint_engine.backend";
        QCOMPARE(overridesOf(*handoff)[key], backend);
        QCOMPARE(leftOut(*handoff, "plan.weight_sync") != nullptr, left);
        if (sync == "delta") { // which has FSDP2 at one end and SGLang at the other
            const auto deltas = handedOff(changed(oneStepOff, {{"plan.weight_sync", sync},
                                                               {"plan.rollout.engine", "sglang"},
                                                               {"plan.train.framework", "torchtitan"},
                                                               {"plan.train.tensor_parallel", "1"},
                                                               {"plan.train.sharding", "fsdp2"}}),
                                          {"verl"});
            QVERIFY2(deltas, deltas.error().c_str());
            QCOMPARE(overridesOf(*deltas)[key], std::string("delta_sharded"));
            QVERIFY(leftOut(*deltas, "plan.weight_sync") == nullptr);
        }
    }

    void poolsShareInstances_data() {
        QTest::addColumn<data::handoff::PoolNeeds>("needs");
        QTest::addColumn<std::string>("pools"); // instances x GPUs of training, of the rollout, of both
        const auto row = [](const char* name, data::handoff::PoolNeeds needs, const char* pools) {
            QTest::newRow(name) << needs << std::string(pools);
        };
        row("whole instances", {32, 32, 4, 4, 4, 8}, "4x8 4x8 8");
        row("one instance", {2, 6, 2, 2, 2, 8}, "1x2 1x6 1");
        row("a pool smaller than an instance", {4, 12, 4, 4, 4, 8}, "1x4 3x4 2");
        row("neither is of whole instances", {12, 12, 4, 4, 4, 8}, "3x4 3x4 3");
        row("engines of several instances", {16, 32, 8, 16, 4, 8}, "2x8 4x8 6");
        row("shares that leave room for an engine", {12, 4, 2, 4, 4, 8}, "3x4 1x4 2");
        row("tensor groups stay together", {12, 4, 6, 4, 4, 8}, "2x6 1x4 3");
        row("engines that leave a rest", {8, 24, 8, 6, 4, 8}, "1x8 4x6 5");
        row("engines that share instances", {8, 12, 4, 12, 4, 8}, "1x8 3x4 3");
        row("instances of 4", {8, 8, 4, 8, 4, 4}, "2x4 2x4 4");
    }
    void poolsShareInstances() {
        QFETCH(data::handoff::PoolNeeds, needs);
        QFETCH(std::string, pools);
        const VerlPools made = packPools(needs);
        const auto shape = [](const data::handoff::VerlPool& pool) {
            return std::to_string(pool.nodes) + "x" + std::to_string(pool.gpusPerNode);
        };
        QCOMPARE(shape(made.train) + " " + shape(made.rollout) + " " + std::to_string(made.instances), pools);
    }

    void refusesWhatNoTrainerRuns() {
        const auto refusal = [](const std::map<std::string, std::string>& fields) {
            const auto handoff = handedOff(changed(oneStepOff, fields), {"verl", "slurm"});
            return handoff ? std::string() : handoff.error();
        };
        for (const char* placement : {"split", "one_step_off", "async"}) {
            const std::string critic =
                refusal({{"plan.placement", placement}, {"workload.algorithm", "ppo"}});
            QVERIFY2(critic.find("trains a critic only where") != std::string::npos, critic.c_str());
            const std::string scorer =
                refusal({{"plan.placement", placement}, {"workload.reward.kind", "model"}});
            QVERIFY2(scorer.find("its own GPUs in addition to two pools") != std::string::npos,
                     scorer.c_str());
            QVERIFY(refusal({{"plan.placement", placement}}).empty());
        }
        // Engines of 6 GPUs leave 2 of each instance, which tensor groups of 4 do not fit into.
        const std::string packed = refusal({{"cluster.instances", "2"},
                                            {"plan.train.gpus", "4"},
                                            {"plan.rollout.gpus", "12"},
                                            {"plan.rollout.tensor_parallel", "2"},
                                            {"plan.rollout.pipeline_parallel", "3"}});
        QVERIFY2(packed.find("4 training and 12 rollout GPUs need 3 instances, and the cluster has 2") !=
                     std::string::npos,
                 packed.c_str());
        // One instance more, which has to be in the job though the GPUs would fill two.
        const auto roomy = handedOff(changed(oneStepOff, {{"cluster.instances", "3"},
                                                          {"plan.train.gpus", "4"},
                                                          {"plan.rollout.gpus", "12"},
                                                          {"plan.rollout.tensor_parallel", "2"},
                                                          {"plan.rollout.pipeline_parallel", "3"}}),
                                     {"verl", "slurm"});
        QVERIFY2(roomy, roomy.error().c_str());
        QVERIFY(fileOf(*roomy, "job.sbatch").text.find("#SBATCH --nodes=3\n") != std::string::npos);
        // The targets say so before anything is written.
        const ScenarioSpec spec = changed(oneStepOff, {{"workload.algorithm", "ppo"}}).spec;
        for (const data::TargetChoice& each : data::handoffChoices(spec))
            QVERIFY(each.target->id != "verl" || each.why.find("critic") != std::string::npos);
        QVERIFY(data::handoffTargetsFor(spec).empty());
    }

    void namesWhatPoolsDoNotHave() {
        const auto dapo = handedOff(changed(oneStepOff, {{"workload.algorithm", "dapo"}}), {"verl"});
        QVERIFY(leftOut(*dapo, "workload.algorithm")->why.find("every group") != std::string::npos);
        QVERIFY(!overridesOf(*dapo).contains("algorithm.filter_groups.enable"));
        const auto offload = handedOff(
            changed(oneStepOff, {{"plan.phase_offload", "all"}, {"plan.partial_rollout", "true"}}), {"verl"});
        QVERIFY(leftOut(*offload, "plan.phase_offload")->why.find("to itself") != std::string::npos);
        QVERIFY(leftOut(*offload, "plan.partial_rollout")->why.find("stream") != std::string::npos);
        QCOMPARE(overridesOf(*offload)["actor_rollout_ref.actor.megatron.param_offload"],
                 std::string("False"));
        // GPUs that no replica of training has are in neither pool.
        const auto idle = handedOff(changed(oneStepOff, {{"plan.train.data_parallel", "6"}}), {"verl"});
        QVERIFY2(idle, idle.error().c_str());
        QVERIFY(leftOut(*idle, "plan.train.gpus")->why.find("use 24") != std::string::npos);
        QCOMPARE(overridesOf(*idle)["trainer.nnodes"], std::string("3"));
    }

    void whatIsWrittenIsReadBack_data() {
        QTest::addColumn<std::string>("placement");
        for (const char* placement : {"split", "one_step_off", "async"})
            QTest::newRow(placement) << std::string(placement);
    }
    void whatIsWrittenIsReadBack() {
        QFETCH(std::string, placement);
        std::map<std::string, std::string> fields{{"plan.placement", placement},
                                                  {"plan.train.gpus", "24"},
                                                  {"plan.rollout.gpus", "40"},
                                                  {"plan.weight_sync", "rdma"}};
        if (placement == "async")
            fields.insert({{"plan.staleness", "1.5"}, {"plan.partial_rollout", "false"}});
        const Planned source = changed(oneStepOff, fields);
        const auto handoff = handedOff(source, {"verl"});
        QVERIFY2(handoff, handoff.error().c_str());
        const JobReading reading = read(scriptOf(*handoff));
        QCOMPARE(reading.tool, std::string("verl"));
        QVERIFY(reading.faults.empty() && reading.contradictions.empty() && reading.unknown.empty());
        for (const char* path :
             {"plan.placement", "plan.staleness", "plan.partial_rollout", "plan.weight_sync",
              "plan.rollout.gpus", "plan.train.gpus", "plan.rollout.engine", "plan.rollout.tensor_parallel",
              "plan.train.tensor_parallel", "plan.train.sharding", "workload.algorithm", "workload.model",
              "workload.prompts_per_step", "workload.samples_per_prompt", "workload.updates_per_step",
              "workload.response_limit", "workload.steps"})
            QCOMPARE(word(reading.spec, path), word(source.spec, path));
        QCOMPARE(reading.gpus, std::optional<std::int64_t>(64));
        QCOMPARE(word(reading.spec, "cluster.instances"), std::string("8"));
    }
};

QTEST_GUILESS_MAIN(TestHandoffPools)

} // namespace tst_handoff_pools

#include "tst_handoff_pools.moc"
