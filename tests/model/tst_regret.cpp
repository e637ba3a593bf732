// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/regret.h"

#include <QTest>

#include <cmath>

namespace tst_regret {

using namespace alidade;

namespace {

ValidationRow row(const char* id, int tensor, double measured, double predicted,
                  const char* quantity = "step_time_s", RowKind kind = RowKind::training) {
    ValidationRow out;
    out.id = id;
    out.quantity = quantity;
    out.measured = measured;
    out.predicted = predicted;
    out.group = "sweep";
    out.kind = kind;
    out.model = "GPT";
    out.family = "dense";
    out.gpu = "a100";
    out.gpus = 64;
    ScenarioSpec spec;
    spec.workload.globalBatch = 512;
    spec.plan.tensorParallel = tensor;
    out.scenario = std::make_shared<const ScenarioSpec>(spec);
    return out;
}

} // namespace

/// What it costs to believe the model where several plans were measured.
class RegretTest : public QObject {
    Q_OBJECT

private slots:
    void theChosenPlanIsTimedAsMeasured() {
        // The second is predicted to be the fastest; measured, the third is.
        const std::vector<ValidationRow> rows{row("a", 1, 12, 11), row("b", 2, 11, 9), row("c", 4, 10, 10)};
        const auto choices = planChoices(rows);
        QCOMPARE(choices.size(), std::size_t{1});
        QCOMPARE(choices[0].picked, std::string("b"));
        QCOMPARE(choices[0].best, std::string("c"));
        QVERIFY(std::abs(choices[0].regret - 0.1) < 1e-12);
        QCOMPARE(choices[0].pairs, 3);
        QCOMPARE(choices[0].misordered.size(), std::size_t{1});
        const MisorderedPair& pair = choices[0].misordered.front();
        QCOMPARE(pair.faster, std::string("c"));
        QCOMPARE(pair.slower, std::string("b"));
        QVERIFY(std::abs(pair.measuredRatio - 1.1) < 1e-12);
        QVERIFY(std::abs(pair.predictedRatio - 0.9) < 1e-12);
        // The same plan measured again is not a choice.
        const auto again = planChoices(std::vector{rows[0], rows[1], rows[2], row("d", 4, 14, 10)}).front();
        QCOMPARE(again.pairs, 5);                          // d against a and b, not against c
        QCOMPARE(again.misordered.size(), std::size_t{2}); // d is predicted to be faster than a
    }

    /// Rates are the better the higher they are, and a run counts once, however many figures it has.
    void ratesAreTimes() {
        std::vector<ValidationRow> rows;
        for (const auto& [id, tensor, rate] : {std::tuple("a", 1, 100.0), std::tuple("b", 2, 200.0)}) {
            rows.push_back(row(id, tensor, rate, rate, "output_tokens_per_s", RowKind::serving));
            rows.push_back(
                row(id, tensor, 1 / rate, rate, "tpot_s", RowKind::serving)); // predicted upside down
        }
        const auto choices = planChoices(rows);
        QCOMPARE(choices.size(), std::size_t{1});
        QCOMPARE(choices[0].regret, 0.0);
        QCOMPARE(choices[0].picked, std::string("b"));
    }

    void otherRunsAreNoChoice() {
        std::vector<ValidationRow> rows{row("a", 1, 12, 11), row("b", 2, 11, 9)};
        rows[1].gpus = 128; // another cluster
        QVERIFY(planChoices(rows).empty());
        rows[1].gpus = 64;
        QCOMPARE(planChoices(rows).size(), std::size_t{1});
        rows[1].sourceTitle = "Performance summary 26.04"; // another publication, of another release
        QVERIFY(planChoices(rows).empty());
        rows[1].sourceTitle = rows[0].sourceTitle;
        ScenarioSpec larger = *rows[1].scenario;
        larger.workload.globalBatch = 1024; // another job
        rows[1].scenario = std::make_shared<const ScenarioSpec>(larger);
        QVERIFY(planChoices(rows).empty());
        QVERIFY(planChoices(std::vector{row("a", 2, 12, 11), row("b", 2, 11, 9)}).empty()); // one plan, twice
        rows[1] = row("b", 2, 11, 9);
        rows[1].scenario.reset();
        QVERIFY(planChoices(rows).empty());
    }

    /// Placements compete, though rows of different placements are of different kinds and their responses
    /// have different lengths; releases and algorithms do not.
    void placementsOfOneReleaseAreAChoice() {
        const auto step = [](const char* id, const char* placement, double measured, double predicted) {
            ValidationRow out = row(id, 2, measured, predicted);
            out.kind = RowKind::reinforcement;
            out.quantity = "rl_step_s";
            out.rowKind = placement;
            out.sourceLocator = "v0.5";
            ScenarioSpec spec = *out.scenario;
            spec.workload.reinforcement.algorithm = "grpo";
            spec.workload.reinforcement.responseTokens = measured;
            spec.roles.write().placement = placement;
            out.scenario = std::make_shared<const ScenarioSpec>(std::move(spec));
            return out;
        };
        std::vector<ValidationRow> rows{step("a", "colocated", 12, 11), step("b", "async", 10, 12)};
        const auto choices = planChoices(rows);
        QCOMPARE(choices.size(), std::size_t{1});
        QVERIFY(std::abs(choices[0].regret - 0.2) < 1e-12); // the slower one, by 12 / 10
        QCOMPARE(choices[0].pairs, 1);
        QCOMPARE(choices[0].misordered.size(), std::size_t{1});
        QCOMPARE(regretOf(choices).front().group, std::string("reinforcement learning"));
        rows[1].sourceLocator = "v0.6";
        QVERIFY(planChoices(rows).empty());
        rows[1].sourceLocator = "v0.5";
        ScenarioSpec other = *rows[1].scenario;
        other.workload.reinforcement.algorithm = "dapo";
        rows[1].scenario = std::make_shared<const ScenarioSpec>(other);
        QVERIFY(planChoices(rows).empty());
    }

    void classesAreSummedUp() {
        std::vector<ValidationRow> rows{row("a", 1, 12, 11), row("b", 2, 10, 12)};
        for (ValidationRow each : {row("c", 1, 10, 9), row("d", 2, 10.2, 10)}) {
            each.family = "moe";
            each.model = "Mixtral";
            rows.push_back(each);
        }
        const auto summary = regretOf(planChoices(rows));
        QCOMPARE(summary.size(), std::size_t{3}); // nothing of serving
        QCOMPARE(summary[0].group, std::string("training"));
        QCOMPARE(summary[0].choices, 2);
        QVERIFY(std::abs(summary[0].mean - 0.1) < 1e-12);
        QVERIFY(std::abs(summary[0].worst - 0.2) < 1e-12);
        QVERIFY(summary[0].worstChoice.find("a for b") != std::string::npos);
        QCOMPARE(summary[0].pairs, 1); // 2 % apart is not a difference
        QCOMPARE(summary[1].ordered, 0.0);
        QCOMPARE(summary[1].misordered.size(), std::size_t{1});
        QCOMPARE(summary[2].mean, 0.0);
    }
};

QTEST_GUILESS_MAIN(RegretTest)

} // namespace tst_regret

#include "tst_regret.moc"
