// SPDX-License-Identifier: GPL-3.0-or-later
// What resolving reinforcement learning fills in and says: 16 GPUs, 16 prompts of 200 tokens with 4 responses
// of 300 each (resolving_catalog.h). Without a spread of their lengths every sequence has 500 tokens.
#include "model/posttraining/response_lengths.h"
#include "model/scenario/role_scenarios.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

namespace tst_resolve_learning {

using namespace alidade;
using namespace alidade::test;

namespace {

void columns() {
    QTest::addColumn<QByteArray>("edit");
    QTest::addColumn<QByteArray>("expected");
}

void row(const char* edit, const QByteArray& expected) {
    QTest::newRow(edit) << QByteArray(edit) << expected;
}

Scenario with(const char* edit, const Catalog& catalog = sharedCatalog()) {
    return resolved(edited(smallReinforcement(), editOf(edit)), catalog);
}

} // namespace

class TestResolveLearning : public QObject {
    Q_OBJECT

private slots:
    void rules_data() {
        columns();
        row("", "");
        row("plan.train.gpus=8",
            "error /plan/train/gpus: Colocated roles use the same 16 GPUs; leave this field out, or place "
            "them split, one_step_off or async");
        row("plan.rollout.gpus=8",
            "error /plan/rollout/gpus: Colocated roles use the same 16 GPUs; leave this field out, or "
            "place them split, one_step_off or async");
        row("plan.train.gpus=16; plan.rollout.gpus=16", "");
        row("plan.placement=split", "");
        row("plan.placement=split; plan.rollout.gpus=4; plan.train.gpus=4",
            "warning /plan/rollout/gpus: 8 GPUs are in neither pool but billed");
        row("plan.placement=split; plan.rollout.gpus=10; plan.train.gpus=10",
            "error /plan/rollout/gpus: 10 rollout and 10 training GPUs are more than the 16 of the cluster");
        row("plan.placement=split; plan.rollout.gpus=8; plan.train.gpus=8", "");
        row("plan.weight_sync=bucketed",
            "error /plan/weight_sync: Colocated roles hand the weights over inside a GPU; use refit");
        row("plan.weight_sync=refit", "");
        row("plan.placement=async; plan.weight_sync=refit",
            "error /plan/weight_sync: refit is the path inside a GPU; between two pools use broadcast, "
            "bucketed, "
            "host_staged, reshard, rdma or delta");
        row("plan.placement=async; plan.weight_sync=rdma; plan.staleness=2", "");
        row("plan.staleness=1", "warning /plan/staleness: Staleness applies only to async; leave it out");
        row("plan.placement=one_step_off; plan.staleness=1",
            "warning /plan/staleness: Staleness applies only to async; leave it out");
        row("workload.critic=experts",
            "warning /workload/critic: Only PPO has a critic; leave this field out");
        row("workload.critic=experts; workload.algorithm=ppo", "");
        row("workload.updates_per_step=64", "");
        row("workload.updates_per_step=65",
            "error /workload/updates_per_step: There are more updates than responses in a step");
        row("workload.response_limit=7992", "");
        row("plan.train.tensor_parallel=3", "error /plan/train/tensor_parallel: Training: Tensor 3 x "
                                            "pipeline 1 does not divide the 16 GPUs; change the "
                                            "degrees, or set data_parallel and leave GPUs idle\n"
                                            "error /plan/train/tensor_parallel: Training: Tensor 3 does not "
                                            "divide the 16 attention heads of Dense 1");
        row("plan.rollout.tensor_parallel=3",
            "warning /plan/rollout/data_parallel: Rollout: 1 GPUs are idle but billed\n"
            "error /plan/rollout/tensor_parallel: Rollout: Tensor 3 does not divide the 16 attention heads "
            "of Dense 1");
    }
    void rules() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        const Scenario scenario = with(edit.constData());
        QCOMPARE(problemsOf(scenario), expected);
        QCOMPARE(scenario.runs(), !expected.contains("error "));
    }

    void refusals_data() {
        columns();
        row("workload.prompts_per_step=",
            "/workload/prompts_per_step: the number of prompts per step is missing; set it, for "
            "example 512");
        row("workload.prompt_tokens=",
            "/workload/prompt_tokens: the prompt length is missing; set it, for example 500");
        row("workload.response_tokens=",
            "/workload/response_tokens: the response length is missing; set it, for example 4000");
        row("workload.response_limit=299",
            "/workload/response_limit: the limit is below the mean of 300 tokens; raise it");
        row("cluster.instance=h1; cluster.instances=1; plan.placement=split",
            "/plan/placement: two pools need at least 2 GPUs; use colocated");
        row("workload.algorithm=ppo; workload.critic=expert",
            "/workload/critic: there is no model 'expert' in the catalog; the nearest is 'experts'");
        row("workload.reward.kind=model; workload.reward.model=qqqqqq",
            "/workload/reward/model: there is no model 'qqqqqq' in the catalog");
    }
    void refusals() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QCOMPARE(refusalOf(edited(smallReinforcement(), editOf(edit.constData()))), expected);
    }

    void values_data() {
        columns();
        row("", "workload.algorithm=grpo; workload.reference=true; workload.reward.kind=rule; "
                "samples_per_prompt=4; "
                "sequences_per_step=64; updates_per_step=1; update_epochs=1; kept_share=1; reward_time=1.5; "
                "response_limit=1200; output_tokens_cv=0.4; input_tokens=200; output_tokens=300; gpus=16; "
                "cluster.gpus=16; "
                "plan.placement=colocated; plan.weight_sync=refit; plan.train.gpus=16; plan.rollout.gpus=16; "
                "staleness=0; "
                "name=Dense 1 on 2 x h8; price=40");
        row("", "samples_per_prompt~user: scenario; updates_per_step~assumed: default; "
                "sequences_per_step~derived: prompts x samples; kept_share~assumed: default: no dynamic "
                "sampling; "
                "staleness~derived: the placement; gpus~derived: both pools; rl_sync_fixed~assumed: usual; "
                "gemm_launch~unused; serving_gemm_launch~unused; restart_time~assumed: usual; steps~unused");
        row("workload.samples_per_prompt=", "samples_per_prompt=8; sequences_per_step=128");
        row("workload.samples_per_prompt=; workload.algorithm=ppo", "samples_per_prompt=1");
        row("workload.samples_per_prompt=; workload.algorithm=reinforce++", "samples_per_prompt=1");
        row("workload.samples_per_prompt=; workload.algorithm=rloo",
            "samples_per_prompt=8; workload.reference=true");
        row("workload.algorithm=dapo", "workload.reference=false");
        row("workload.reward.kind=sandbox", "reward_time=10");
        row("workload.reward.kind=model", "reward_time=0; reward_time~unused");
        row("workload.reward.seconds=3", "reward_time=3");
        row("workload.response_tokens=1000", "output_tokens_cv=0.4; response_limit=4000");
        row("workload.response_tokens=1001", "output_tokens_cv=0.8; response_limit=4004");
        row("workload.response_tokens=100.2", "response_limit=401");
        row("workload.steps=100", "steps=100");
        row("plan.placement=split",
            "plan.rollout.gpus=8; plan.train.gpus=8; plan.weight_sync=bucketed; staleness=0; gpus=16");
        row("plan.placement=split; plan.rollout.gpus=4", "plan.train.gpus=12");
        row("plan.placement=split; plan.train.gpus=4", "plan.rollout.gpus=12");
        row("plan.placement=split; plan.train.gpus=4; plan.rollout.gpus=8", "gpus=12; cluster.gpus=12");
        row("plan.placement=one_step_off", "staleness=1");
        row("plan.placement=async", "staleness=0.5; plan.staleness=0.5; plan.partial_rollout=true");
        row("plan.placement=async; plan.staleness=2", "staleness=2; staleness~user: scenario");
    }
    void values() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        QCOMPARE(differences(with(edit.constData()), expected.constData()), QByteArray());
    }

    /// 64 sequences of 500 tokens: 32,000 tokens, of which each of 16 ranks has 2,000.
    void updates_data() {
        columns();
        row("", "sequence_length=500; micro_batch=4; global_batch=64; data_parallel=16; plan.recompute=full");
        row("plan.train.micro_batch_tokens=1000", "micro_batch=2; global_batch=64");
        row("plan.train.micro_batch_tokens=1499", "micro_batch=2");
        row("plan.train.micro_batch_tokens=300", "micro_batch=1; global_batch=64");
        row("plan.train.recompute=norms", "plan.recompute=norms");
        row("workload.updates_per_step=4", "micro_batch=1; global_batch=16");
        row("plan.train.tensor_parallel=4",
            "sequence_length=500; data_parallel=4; micro_batch=16; global_batch=64");
        // 504 is a multiple of 8. Each of 2 ranks has 16,000 tokens: 31 sequences, and as many again for the
        // rest.
        row("plan.train.tensor_parallel=8",
            "sequence_length=504; data_parallel=2; micro_batch=31; global_batch=124");
        row("plan.train.context_parallel=4", "sequence_length=504; data_parallel=4");
        row("plan.train.pipeline_parallel=2", "data_parallel=8; micro_batch=8");
        row("plan.placement=split", "data_parallel=8; gpus=8");
    }
    void updates() {
        QFETCH(QByteArray, edit);
        QFETCH(QByteArray, expected);
        const Scenario scenario = with(QByteArray("workload.response_tokens_cv=0; " + edit).constData());
        QVERIFY(scenario.roles);
        QCOMPARE(differences(scenario.roles->train, expected.constData()), QByteArray());
        QCOMPARE(differences(scenario.roles->rollout, edit.contains("split")
                                                          ? "concurrency=64; gpus=8"
                                                          : "concurrency=64; memory_utilisation=0.6"),
                 QByteArray());
    }

    void roles() {
        const Scenario plain = with("workload.response_tokens_cv=0");
        const RoleScenarios& r = *plain.roles;
        QVERIFY(r.algorithm == RlAlgorithm::grpo && r.reference && !r.critic && !r.rewardModel &&
                r.partialRollout);
        QVERIFY(r.offload == PhaseOffload::automatic && r.placement == RolePlacement::colocated);
        QCOMPARE(r.updateTokens, 32'000.0);
        QCOMPARE(r.updateShare, 1.0);
        QCOMPARE(r.runaway, 0.0); // a spread that is given is the whole truth
        QCOMPARE(with("").roles->runaway, runawayShare);
        QCOMPARE(r.parameters, 187'188'224.0); // as tst_resolve_inputs counts them
        // Without embedding (32,000 x 1,024), norms (17 of 1,024).
        QCOMPARE(r.activeParameters, 187'188'224.0 - 32'768'000 - 17 * 1024);
        QVERIFY(r.weightLink == Bound::nvlink && r.idleGpus == 0);
        QCOMPARE(r.weightPath, std::string("refit"));
        QCOMPARE(differences(r.rollout, "input_tokens=200; output_tokens=300; prefix_cache_hit=0.75; "
                                        "output_tokens_cv=0; concurrency=64; workers=16"),
                 QByteArray());
        const Scenario uneven = with("workload.response_tokens_cv=0; plan.train.tensor_parallel=8");
        QCOMPARE(uneven.roles->updateShare, 16'000.0 / (2 * 31 * 504)); // of the tokens of full micro-batches
        QCOMPARE(differences(uneven, "plan.train.micro_batch_tokens=15624"), QByteArray());
        // One sequence a rank takes as long as it is.
        QCOMPARE(with("workload.response_tokens_cv=0; workload.updates_per_step=64").roles->updateShare, 1.0);

        const Scenario apart = with("plan.placement=split; plan.train.gpus=4; plan.rollout.gpus=8; "
                                    "plan.phase_offload=none; plan.partial_rollout=false");
        QVERIFY(apart.roles->weightLink == Bound::efa && apart.roles->idleGpus == 4);
        QVERIFY(apart.roles->offload == PhaseOffload::none && !apart.roles->partialRollout);
        QCOMPARE(differences(apart.roles->rollout, "memory_utilisation=0.9"), QByteArray());
        QVERIFY(with("plan.placement=split; cluster.instances=1").roles->weightLink == Bound::nvlink);
        QVERIFY(with("plan.phase_offload=all").roles->offload == PhaseOffload::all);
        QVERIFY(with("workload.steps=10").hasTokens && !plain.hasTokens);
    }

    void otherModels() {
        const Scenario same = with("workload.algorithm=ppo; workload.reward.kind=model");
        QVERIFY(same.roles->critic && same.roles->rewardModel);
        QCOMPARE(same.roles->criticWork, 1.0);
        QCOMPARE(same.roles->criticSize, 1.0);
        QCOMPARE(same.roles->rewardWork, 1.0);
        Catalog catalog = resolvingCatalog();
        Architecture small = catalog.models[0];
        small.id = "small";
        small.layers = 4;
        catalog.models.push_back(small);
        const Scenario other = with("workload.algorithm=ppo; workload.critic=small; "
                                    "workload.reward.kind=model; workload.reward.model=small",
                                    catalog);
        // A layer has 15,206,400 parameters (tst_resolve_inputs), of which 2,048 are not multiplied with.
        QCOMPARE(other.roles->criticSize, (187'188'224.0 - 4 * 15'206'400) / 187'188'224.0);
        const double active = 187'188'224.0 - 32'768'000 - 17 * 1024;
        QCOMPARE(other.roles->criticWork, (active - 4 * (15'206'400 - 2048)) / active);
        QCOMPARE(other.roles->rewardWork, other.roles->criticWork);
        QVERIFY(with("workload.critic=experts").roles->criticWork == 0);
    }

    /// Constants of the path that weights take are those of the path.
    void weightPaths() {
        Catalog catalog = resolvingCatalog();
        Parameter each;
        each.name = "rl_sync_fixed";
        each.gpu = each.precision = "*";
        each.stack = "bucketed";
        each.value = 3;
        catalog.defaultProfile.parameters.push_back(each);
        QCOMPARE(with("", catalog).inputs[Input::rlSyncFixed], 1e-5);
        QCOMPARE(with("plan.placement=split", catalog).inputs[Input::rlSyncFixed], 3.0);
        QCOMPARE(with("plan.placement=split; plan.weight_sync=rdma", catalog).inputs[Input::rlSyncFixed],
                 1e-5);
    }
};

QTEST_APPLESS_MAIN(TestResolveLearning)

} // namespace tst_resolve_learning

#include "tst_resolve_learning.moc"
