// SPDX-License-Identifier: GPL-3.0-or-later
// All figures of choices among published plans, on times that can be worked out by hand.
#include "model/validation/regret.h"
#include "tests/model/written_fields.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <string>

namespace tst_regret_figures {

using namespace alidade;
using namespace alidade::tests;

namespace {

ValidationRow row(const char* id, int tensor, double measured, double predicted) {
    ValidationRow out;
    out.id = id;
    out.quantity = "step_time_s";
    out.measured = measured;
    out.predicted = predicted;
    out.kind = RowKind::training;
    out.model = "GPT 175B";
    out.family = "dense";
    out.gpu = "a100-80gb-sxm";
    out.gpus = 1024;
    out.sourceTitle = "Megatron-LM";
    out.rowKind = "benchmark";
    ScenarioSpec spec;
    spec.plan.tensorParallel = tensor;
    out.scenario = std::make_shared<const ScenarioSpec>(spec);
    return out;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

PlanChoice choice(RowKind kind, const char* family, double regret, int pairs, int misordered) {
    PlanChoice out;
    out.kind = kind;
    out.family = family;
    out.title = family;
    out.picked = "picked";
    out.best = "best";
    out.regret = regret;
    out.pairs = pairs;
    out.misordered.resize(static_cast<std::size_t>(misordered));
    return out;
}

} // namespace

class TestRegretFigures : public QObject {
    Q_OBJECT

private slots:
    /// Runs of other models, machines, formats, software or sources are no choice between two plans, not even
    /// where names that follow each other are alike when they are put together.
    void whatRunsShare_data() {
        QTest::addColumn<std::function<void(ValidationRow&, ValidationRow&)>>("set");
        const auto add = [](const char* name, std::string ValidationRow::* one,
                            std::string ValidationRow::* next) {
            QTest::newRow(name) << std::function<void(ValidationRow&, ValidationRow&)>(
                [one, next](ValidationRow& a, ValidationRow& b) {
                    a.*one = "x";
                    a.*next = "yz";
                    b.*one = "xy";
                    b.*next = "z";
                });
        };
        add("group and model", &ValidationRow::group, &ValidationRow::model);
        add("model and part", &ValidationRow::model, &ValidationRow::gpu);
        add("format and framework", &ValidationRow::precision, &ValidationRow::framework);
        add("framework and version", &ValidationRow::framework, &ValidationRow::software);
        add("version and source", &ValidationRow::software, &ValidationRow::sourceTitle);
        QTest::newRow("part and number")
            << std::function<void(ValidationRow&, ValidationRow&)>([](ValidationRow& a, ValidationRow& b) {
                   a.gpu = "h1";
                   a.gpus = 1;
                   b.gpu = "h";
                   b.gpus = 11;
               });
        QTest::newRow("number and format")
            << std::function<void(ValidationRow&, ValidationRow&)>([](ValidationRow& a, ValidationRow& b) {
                   a.gpus = 1;
                   a.precision = "16";
                   b.gpus = 11;
                   b.precision = "6";
               });
        QTest::newRow("kind") << std::function<void(ValidationRow&, ValidationRow&)>(
            [](ValidationRow& a, ValidationRow&) { a.rowKind = "production"; });
    }
    void whatRunsShare() {
        QFETCH(std::function<void(ValidationRow&, ValidationRow&)>, set);
        std::vector<ValidationRow> rows{row("a", 1, 12, 12), row("b", 2, 10, 8)};
        QCOMPARE(planChoices(rows).size(), std::size_t{1});
        set(rows[0], rows[1]);
        QVERIFY(planChoices(rows).empty());
        rows = {row("a", 1, 12, 12), row("b", 2, 10, 8)};
        set(rows[1], rows[0]); // the other way around
        QVERIFY(planChoices(rows).empty());
    }

    void figuresOfAChoice() {
        // Ratios of times, measured and predicted: a/b 1.2 and 1.5, a/c 1.5 and 1, b/c 1.25 and 2/3.
        std::vector<ValidationRow> rows{row("a", 1, 12, 12), row("b", 2, 10, 8), row("c", 4, 8, 12)};
        PlanChoice found = planChoices(rows).at(0);
        QCOMPARE(found.title, std::string("GPT 175B on 1,024 a100-80gb-sxm, Megatron-LM"));
        QCOMPARE(found.family, std::string("dense"));
        QCOMPARE(found.picked + " for " + found.best, std::string("b for c"));
        QCOMPARE(found.plans, 3);
        QVERIFY(near(found.regret, 0.25));
        QCOMPARE(found.pairs, 3);
        QCOMPARE(found.differing, 3);
        // Both the pair in the wrong order and the one that is predicted alike.
        QCOMPARE(found.misordered.size(), std::size_t{2});
        QCOMPARE(found.misordered[0].faster + found.misordered[0].slower, std::string("ca"));
        QVERIFY(near(found.misordered[0].measuredRatio, 1.5) && near(found.misordered[0].predictedRatio, 1));
        QCOMPARE(found.misordered[1].faster + found.misordered[1].slower, std::string("cb"));
        QVERIFY(near(found.misordered[1].measuredRatio, 1.25) &&
                near(found.misordered[1].predictedRatio, 8 / 12.0));
        const double ab = std::log(1.25), ac = std::log(1.5), bc = std::log(1.875);
        QVERIFY(near(found.square, (ab * ab + ac * ac + bc * bc) / 3));
        QCOMPARE(found.near, 1); // 1.5 and 2/3 are e^0.405 apart
        QVERIFY(near(found.nearSquare, ac * ac));
        rows[0].sourceTable = "Table 2";
        rows[1].sourceTable = rows[2].sourceTable = "Table 2";
        QCOMPARE(planChoices(rows).at(0).title,
                 std::string("GPT 175B on 1,024 a100-80gb-sxm, Megatron-LM (Table 2)"));
    }

    /// Times within 5 % are equal; predictions within a factor of e^0.3 = 1.35 are near.
    void equalAndNearTimes() {
        const auto of = [](double measured, double predicted) {
            return planChoices(std::vector{row("a", 1, 10, 10), row("b", 2, 10 * measured, 10 * predicted)})
                .at(0);
        };
        QCOMPARE(of(1.049, 1).pairs, 0);
        QCOMPARE(of(1.051, 1.01).pairs, 1);
        QVERIFY(of(1.051, 1.01).misordered.empty());
        QCOMPARE(of(1.051, 0.99).misordered.size(), std::size_t{1});
        QCOMPARE(of(1.049, 0.99).misordered.size(), std::size_t{0});
        QCOMPARE(of(1, 1.34).near, 1);
        QCOMPARE(of(1, 1.36).near, 0);
        QCOMPARE(of(1, 1 / 1.34).near, 1);
        QCOMPARE(of(1, 1 / 1.36).near, 0);
        QCOMPARE(of(1, 1.36).nearSquare, 0.0);
        QVERIFY(near(of(1, 1.34).square, of(1, 1.34).nearSquare));
    }

    /// One figure of a run counts, the first of its kind in the list; each kind has its own.
    void whichQuantities() {
        const auto chosen = [](RowKind kind, std::vector<const char*> quantities) {
            std::vector<ValidationRow> rows;
            double value = 10;
            for (const char* quantity : quantities) {
                for (ValidationRow each : {row("a", 1, value, value), row("b", 2, 2 * value, 2 * value)}) {
                    each.kind = kind;
                    each.quantity = quantity;
                    rows.push_back(each);
                }
                value *= 10;
            }
            const auto found = planChoices(rows);
            return found.empty()
                       ? QString()
                       : QStringLiteral("%1 %2").arg(found.size()).arg(QLatin1String(found[0].best.c_str()));
        };
        using Words = std::vector<const char*>;
        // The smaller time and the larger rate are better.
        for (const char* each : {"step_time_s"})
            QCOMPARE(chosen(RowKind::training, Words{each}), QStringLiteral("1 a"));
        for (const char* each : {"tokens_per_s_per_gpu", "model_flops_per_s_per_gpu", "mfu"})
            QCOMPARE(chosen(RowKind::training, Words{each}), QStringLiteral("1 b"));
        QCOMPARE(chosen(RowKind::training, Words{"mfu", "step_time_s"}), QStringLiteral("1 a"));
        QCOMPARE(chosen(RowKind::training, Words{"peak_memory_bytes"}), QString());
        for (const char* each : {"output_tokens_per_s", "output_tokens_per_s_per_gpu"})
            QCOMPARE(chosen(RowKind::serving, Words{each}), QStringLiteral("1 b"));
        QCOMPARE(chosen(RowKind::serving, Words{"tpot_s"}), QStringLiteral("1 a"));
        QCOMPARE(chosen(RowKind::serving, Words{"tpot_s", "output_tokens_per_s_per_gpu"}),
                 QStringLiteral("1 b"));
        QCOMPARE(chosen(RowKind::serving, Words{"step_time_s"}), QString());
        QCOMPARE(chosen(RowKind::reinforcement, Words{"rl_step_s"}), QStringLiteral("1 a"));
        QCOMPARE(chosen(RowKind::reinforcement, Words{"update_s"}), QString());
        QCOMPARE(chosen(RowKind::finetune, Words{"step_time_s"}), QString());
    }

    /// Rows of one choice share all of this.
    void whatAChoiceShares() {
        const auto choices = [](auto change) {
            std::vector<ValidationRow> rows{row("a", 1, 10, 10), row("b", 2, 12, 12)};
            change(rows[1]);
            return planChoices(rows).size();
        };
        QCOMPARE(choices([](ValidationRow&) {}), std::size_t{1});
        QCOMPARE(choices([](ValidationRow& r) { r.sourceLocator = "page 2"; }), std::size_t{1});
        for (const auto member :
             {&ValidationRow::group, &ValidationRow::model, &ValidationRow::gpu, &ValidationRow::precision,
              &ValidationRow::framework, &ValidationRow::software, &ValidationRow::sourceTitle,
              &ValidationRow::rowKind}) {
            QCOMPARE(choices([member](ValidationRow& r) { r.*member = "other"; }), std::size_t{0});
        }
        QCOMPARE(choices([](ValidationRow& r) { r.gpus = 512; }), std::size_t{0});
        QCOMPARE(choices([](ValidationRow& r) { r.quantity = "mfu"; }), std::size_t{0});
    }

    /// In the order of their first rows; the rows themselves may stand anywhere.
    void orderOfChoices() {
        std::vector<ValidationRow> rows{row("a", 1, 10, 10), row("b", 1, 10, 10), row("c", 2, 9, 9),
                                        row("d", 2, 9, 9), row("e", 1, 1, 1)};
        rows[0].group = rows[3].group = "z";
        rows[1].group = rows[2].group = "y";
        rows[4].group = "x";
        const auto found = planChoices(rows);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].best + found[1].best, std::string("dc"));
    }

    void summaries() {
        const std::vector<PlanChoice> choices{
            choice(RowKind::training, "dense", 0.1, 4, 1), choice(RowKind::training, "moe", 0.3, 2, 2),
            choice(RowKind::training, "dense", 0.1, 0, 0), choice(RowKind::serving, "dense", 0.2, 0, 0),
            choice(RowKind::reinforcement, "moe", 0, 1, 1)};
        QString found;
        for (const RegretSummary& each : regretOf(choices)) {
            found += QStringLiteral("%1: %2 choices, mean %3, worst %4 (%5), %6 pairs, %7 ordered, %8 not; ")
                         .arg(QLatin1String(each.group.c_str()))
                         .arg(each.choices)
                         .arg(each.mean)
                         .arg(each.worst)
                         .arg(QLatin1String(each.worstChoice.c_str()))
                         .arg(each.pairs)
                         .arg(each.ordered)
                         .arg(each.misordered.size());
        }
        QCOMPARE(
            found,
            QStringLiteral(
                "training: 3 choices, mean 0.166667, worst 0.3 (moe: picked for best), 6 pairs, 0.5 ordered, "
                "3 not; "
                "training dense: 2 choices, mean 0.1, worst 0.1 (dense: picked for best), 4 pairs, 0.75 "
                "ordered, 1 not; "
                "training moe: 1 choices, mean 0.3, worst 0.3 (moe: picked for best), 2 pairs, 0 ordered, 2 "
                "not; "
                "serving: 1 choices, mean 0.2, worst 0.2 (dense: picked for best), 0 pairs, 1 ordered, 0 "
                "not; "
                "reinforcement learning: 1 choices, mean 0, worst 0 (moe: picked for best), 1 pairs, 0 "
                "ordered, 1 not; "));
        QVERIFY(regretOf({}).empty());
    }
};

QTEST_APPLESS_MAIN(TestRegretFigures)

} // namespace tst_regret_figures

#include "tst_regret_figures.moc"
