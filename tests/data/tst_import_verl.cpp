// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: with=jobs
// Jobs of verl's trainers for two pools of GPUs, as people write them: what the trainers take where nothing
// is said is assumed, and said to be.
#include "data/jobs/import_job.h"
#include "tests/data/handed_over.h"

#include <QTest>

namespace tst_import_verl {

using namespace alidade;
using namespace tests;
using data::JobReading;

namespace {

JobReading read(const std::string& text) { return data::readJob(text, "train.sh", catalog(), {}); }

template <class T>
std::optional<T> some(T value) {
    return value;
}

bool assumes(const JobReading& reading, const std::string& path) {
    return std::ranges::any_of(reading.assumed,
                               [&path](const data::ReadField& each) { return each.path == path; });
}

} // namespace

class TestImportVerl : public QObject {
    Q_OBJECT

private slots:
    void onePoolIsOneStepAhead() {
        const JobReading reading = read("python3 -m verl.experimental.one_step_off_policy.main_ppo \\\n"
                                        "    data.train_batch_size=1152 \\\n"
                                        "    actor_rollout_ref.rollout.checkpoint_engine.backend=nixl \\\n"
                                        "    trainer.n_gpus_per_node=6 rollout.n_gpus_per_node=2\n");
        const RolePlanSpec& roles = reading.spec.roles.read();
        QCOMPARE(reading.tool, std::string("verl"));
        QCOMPARE(roles.placement, some<std::string>("one_step_off"));
        QCOMPARE(roles.trainGpus, some<std::int64_t>(6));
        QCOMPARE(roles.rolloutGpus, some<std::int64_t>(2));
        QCOMPARE(roles.weightSync, some<std::string>("rdma"));
        QCOMPARE(reading.spec.workload.reinforcement.promptsPerStep, some<std::int64_t>(1152));
        QCOMPARE(reading.gpus, some<std::int64_t>(8));
        QCOMPARE(reading.spec.cluster.instances, some<std::int64_t>(1));
        QVERIFY(reading.unknown.empty() && assumes(reading, "cluster.instances"));
    }

    void defaultsOfTheAsynchronousTrainer() {
        const JobReading reading = read("python -m recipe.fully_async_policy.fully_async_main \\\n"
                                        "    actor_rollout_ref.actor.ppo_mini_batch_size=32 \\\n"
                                        "    data.train_batch_size=0 rollout.nnodes=2\n");
        const RolePlanSpec& roles = reading.spec.roles.read();
        QCOMPARE(roles.placement, some<std::string>("async"));
        QCOMPARE(roles.staleness, some(0.1));
        QCOMPARE(roles.trainGpus, some<std::int64_t>(8));
        QCOMPARE(roles.rolloutGpus, some<std::int64_t>(16));
        for (const char* path : {"plan.placement", "plan.staleness", "plan.train.gpus"})
            QVERIFY2(assumes(reading, path), path);
        QVERIFY(!assumes(reading, "plan.rollout.gpus"));
        QCOMPARE(reading.spec.workload.reinforcement.promptsPerStep, some<std::int64_t>(128));
        QCOMPARE(reading.spec.workload.reinforcement.updatesPerStep, some<std::int64_t>(4));
        QVERIFY(reading.warnings.empty() && reading.contradictions.empty());
    }

    void withoutStalenessPoolsTakeTurns_data() {
        QTest::addColumn<std::string>("words");
        QTest::addColumn<std::string>("placement");
        QTest::newRow("turns") << std::string("staleness_threshold=0 async_training.trigger_parameter_sync_"
                                              "step=1 async_training.require_batches=16")
                               << std::string("split");
        // Training begins with the first update's responses, while the others are generated.
        QTest::newRow("streams")
            << std::string("staleness_threshold=0.0 async_training.trigger_parameter_sync_step=16")
            << std::string("async");
        QTest::newRow("stale") << std::string(
                                      "staleness_threshold=0.5 async_training.trigger_parameter_sync_step=1")
                               << std::string("async");
    }
    void withoutStalenessPoolsTakeTurns() {
        QFETCH(std::string, words);
        QFETCH(std::string, placement);
        const JobReading reading = read("python -m verl.experimental.fully_async_policy.fully_async_main "
                                        "actor_rollout_ref.actor.ppo_mini_batch_size=32 "
                                        "rollout.total_rollout_steps=51200 async_training." +
                                        words + "\n");
        QCOMPARE(reading.spec.roles.read().placement, some(placement));
        QCOMPARE(reading.spec.roles.read().staleness.has_value(), placement == "async");
        const std::int64_t prompts = *reading.spec.workload.reinforcement.promptsPerStep;
        QCOMPARE(reading.spec.workload.reinforcement.steps, some(51200 / prompts));
    }

    void asksForWhatIsNotSaid() {
        const JobReading other = read("python -m verl.trainer.main_ppo "
                                      "trainer.v1.trainer_mode=separate_async trainer.nnodes=$N "
                                      "actor_rollout_ref.rollout.nnodes=1\n");
        QCOMPARE(other.spec.roles.read().placement, some<std::string>("async"));
        QCOMPARE(other.spec.roles.read().rolloutGpus, some<std::int64_t>(8));
        for (const char* path : {"plan.staleness", "plan.train.gpus"})
            QVERIFY2(std::ranges::find(other.asks, path) != other.asks.end(), path);
        for (const char* mode : {"colocate_async", "another"}) {
            const JobReading open = read(std::string("python -m verl.trainer.main_ppo trainer.nnodes=2 "
                                                     "trainer.v1.trainer_mode=") +
                                         mode + "\n");
            QVERIFY(!open.spec.roles.read().placement);
        }
    }

    void countsBeyondAllReasonComeToNothing() {
        const JobReading reading = read("python -m verl.experimental.fully_async_policy.fully_async_main "
                                        "actor_rollout_ref.actor.ppo_mini_batch_size=999999999 "
                                        "async_training.require_batches=999999999 "
                                        "async_training.trigger_parameter_sync_step=999999999 "
                                        "trainer.nnodes=999999999 trainer.n_gpus_per_node=999999999\n");
        QVERIFY(!reading.spec.workload.reinforcement.promptsPerStep);
        QVERIFY(!reading.spec.roles.read().trainGpus);
    }
};

QTEST_GUILESS_MAIN(TestImportVerl)

} // namespace tst_import_verl

#include "tst_import_verl.moc"
