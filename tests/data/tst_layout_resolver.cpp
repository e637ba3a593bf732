// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/estimate/layer_memo.h"
#include "model/scenario/fields.h"
#include "model/scenario/layout_resolver.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_walker.h"
#include "model/search/question.h"
#include "tests/sanitized.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

namespace tst_layout_resolver {

using namespace alidade;

/// Layouts in any order, resolved one after the other and each for itself.
class LayoutResolverTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto loaded = data::loadShippedCatalog().catalog;
        QVERIFY(loaded);
        catalog_ = *loaded;
    }

    void sameAsEachAlone_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"llama-3.1-70b-64xp5.48xlarge", "gpt-3-175b-128xp4d.24xlarge",
                               "deepseek-v3-256xp5en.48xlarge", "llama-3.1-405b-4xu-p6e-gb200x72"}) {
            QTest::newRow(id) << QByteArray(id);
        }
    }
    void sameAsEachAlone() {
        QFETCH(QByteArray, id);
        ScenarioSpec spec = *data::readScenario(*data::shippedScenario(id.toStdString()), id.toStdString());
        for (const char* path : {"plan.data_parallel", "plan.pipeline_split", "plan.schedule"})
            findField(path)->set(spec, {});
        std::vector<FreeField> fields = usualFreeFields(spec, catalog_);
        for (const auto& [path, words] :
             {std::pair("plan.sharding", "none,zero1,zero2,zero3,fsdp2,hsdp"),
              std::pair("plan.sequence_parallel", "false,true"),
              std::pair("plan.schedule", "gpipe,1f1b,zb-h1,zb-v,dualpipe"),
              std::pair("plan.context_parallel_kind", "ring,all_gather,ulysses")}) {
            fields.push_back(*freeField(spec, catalog_, path, words));
            fields.back().choices.push_back({{{findField(path), FieldValue{}}}, {{path, ""}}});
        }
        LayoutResolver resolver(catalog_, catalog_.defaultProfile);
        LayerMemo layers;
        auto kept = std::make_unique<Totals>(), alone = std::make_unique<Totals>();
        std::mt19937 random(11);
        int legal = 0, illegal = 0, changed = 0, fitting = 0;
        for (int i = 0; i < test::draws(6000); ++i) {
            LayoutFields differ = 0;
            const auto oneIn = static_cast<unsigned>(1 + i % 9); // many stay as they are, as in a search
            for (const FreeField& each : fields) {
                QVERIFY2(layoutFieldBit(each.path) != 0, each.path.c_str());
                const auto& [field, value] = each.choices[random() % each.choices.size()].sets.front();
                if (random() % oneIn == 0) {
                    field->set(spec, value);
                    differ |= layoutFieldBit(each.path);
                }
            }
            const Result<Scenario>& mine = i == 0 ? resolver.resolve(spec) : resolver.resolve(spec, differ);
            const auto theirs = resolve(spec, catalog_, catalog_.defaultProfile);
            QVERIFY(mine && theirs);
            std::string why;
            for (const Problem& each : theirs->problems)
                why += each.severity == Severity::error ? each.message : "";
            QVERIFY2(mine->runs() == theirs->runs(), why.c_str());
            if (!theirs->runs()) {
                ++illegal;
                const auto isError = [](const Problem& p) { return p.severity == Severity::error; };
                const auto first = std::ranges::find_if(mine->problems, isError);
                QVERIFY(first != mine->problems.end());
                // The reason does not depend on what was resolved before.
                LayoutResolver fresh(catalog_, catalog_.defaultProfile);
                const Result<Scenario>& again = fresh.resolve(spec);
                const auto same = std::ranges::find_if(again->problems, isError);
                QCOMPARE(same->message, first->message);
                // Nor on what the resolver says that it does not depend on.
                if (const LayoutFields by = resolver.illegalBy(); by != allLayoutFields) {
                    ScenarioSpec other = spec;
                    for (const FreeField& each : fields) {
                        const auto& [field, value] =
                            each.choices[random() % each.choices.size()].sets.front();
                        if ((layoutFieldBit(each.path) & by) == 0) {
                            field->set(other, value);
                            ++changed;
                        }
                    }
                    const Result<Scenario>& different = fresh.resolve(other, allLayoutFields);
                    QVERIFY(different && !different->runs());
                    QCOMPARE(std::ranges::find_if(different->problems, isError)->message, same->message);
                }
                continue;
            }
            ++legal;
            for (std::size_t k = 0; k < inputCount; ++k) {
                QVERIFY2(mine->inputs.values[k] == theirs->inputs.values[k],
                         inputInfo(static_cast<Input>(k)).name);
            }
            evaluateIfFits(*mine, layers, *kept);
            evaluate(*theirs, theirs->inputs, *alone);
            QCOMPARE(kept->memoryTotal, alone->memoryTotal);
            if (!alone->fits)
                continue;
            ++fitting;
            for (const PlanFigure& figure : planFigures()) {
                if (!figure.isOf(spec.workload))
                    continue;
                const double a = figure.ofTraining(*mine, *kept), b = figure.ofTraining(*theirs, *alone);
                QVERIFY2(a == b || (std::isnan(a) && std::isnan(b)), std::string(figure.path).c_str());
                QCOMPARE(logSdOf(*mine, figure), logSdOf(*theirs, figure));
            }
            QVERIFY(kept->parts == alone->parts);
        }
        QVERIFY2(legal > test::draws(20), qPrintable(QString::number(legal)));
        QVERIFY(illegal > test::draws(20));
        QVERIFY(changed > test::draws(20));
        QVERIFY(fitting > 0);
    }

    /// What a search tries plan after plan has the figures that each plan has alone: any machine, any fields.
    void triedInTurnAsAlone_data() { sameAsEachAlone_data(); }
    void triedInTurnAsAlone() {
        QFETCH(QByteArray, id);
        SearchQuestion question;
        question.base = *data::readScenario(*data::shippedScenario(id.toStdString()), id.toStdString());
        std::mt19937 random(23);
        int legal = 0, skipped = 0;
        for (int search = 0; search < 10; ++search) {
            question.free = usualFreeFields(question.base, catalog_);
            question.objectives.clear();
            question.free.push_back(*freeMachines(question.base, catalog_,
                                                  "p5.48xlarge,p5en.48xlarge,p6-b200.48xlarge,p4d.24xlarge"));
            for (const auto& [path, words] :
                 {std::pair("plan.sharding", "zero1,zero2,zero3,fsdp2"),
                  std::pair("plan.sequence_parallel", "false,true"),
                  std::pair("plan.schedule", "gpipe,1f1b,interleaved,zb-h1,zb-v,dualpipe"),
                  std::pair("plan.precision", "bf16,fp8"), std::pair("plan.context_parallel", "1,2,4")}) {
                const bool there =
                    std::ranges::any_of(question.free, [&](const FreeField& f) { return f.path == path; });
                if (!there && random() % 2 == 0)
                    question.free.push_back(*freeField(question.base, catalog_, path, words));
            }
            std::ranges::shuffle(question.free, random);
            for (FreeField& each : question.free) {
                std::ranges::shuffle(each.choices, random);
                each.choices.resize(std::min<std::size_t>(each.choices.size(), 5));
            }
            completeQuestion(question, catalog_, catalog_.defaultProfile);
            PlanEvaluator inTurn(catalog_, catalog_.defaultProfile);
            PlanEvaluator alone(catalog_, catalog_.defaultProfile);
            PlanWalker walker(question), other(question);
            std::uint64_t index = 0;
            for (int i = 0; i < test::draws(400); ++i) {
                // Near the last one, as a search goes on, or anywhere.
                index = (random() % 4 == 0 ? random() : index + random() % 7) % question.plans();
                std::string plan;
                for (const auto& [path, text] : editOf(question, index))
                    plan += path + "=" + text + " ";
                const ScenarioSpec& spec = walker.at(index);
                const PlanOutcome outcome = inTurn.tryOut(spec, true, walker.changed());
                QCOMPARE(outcome, alone.tryOut(other.at(index)));
                if (outcome == PlanOutcome::illegal) {
                    QVERIFY2(inTurn.illegalMessage() == alone.illegalMessage(),
                             (plan + std::string(inTurn.illegalMessage()) + " | " +
                              std::string(alone.illegalMessage()))
                                 .c_str());
                    const std::uint64_t end = walker.endOfRun(index, inTurn.illegalBy());
                    skipped += end > index + 1 ? 1 : 0;
                    const std::uint64_t last = std::min(end, question.plans()) - 1;
                    QVERIFY(alone.tryOut(other.at(last)) == PlanOutcome::illegal);
                    QCOMPARE(std::string(inTurn.illegalMessage()), std::string(alone.illegalMessage()));
                    continue;
                }
                ++legal;
                if (outcome == PlanOutcome::unfit)
                    QCOMPARE(inTurn.whyUnfit(), alone.whyUnfit());
                for (const PlanFigure& figure : planFigures()) {
                    const bool known = outcome != PlanOutcome::unfit || figure.path.starts_with("memory.");
                    if (known && figure.isOf(question.base.workload)) {
                        const double a = inTurn.figure(figure), b = alone.figure(figure);
                        QVERIFY2(a == b || (std::isnan(a) && std::isnan(b)),
                                 std::string(figure.path).c_str());
                        QCOMPARE(inTurn.logSd(figure), alone.logSd(figure));
                    }
                }
                QCOMPARE(inTurn.memoryHigh(), alone.memoryHigh());
            }
        }
        QVERIFY2(legal > test::draws(100), qPrintable(QString::number(legal)));
        QVERIFY2(skipped > test::draws(20), qPrintable(QString::number(skipped)));
    }

private:
    Catalog catalog_;
};

QTEST_GUILESS_MAIN(LayoutResolverTest)

} // namespace tst_layout_resolver

#include "tst_layout_resolver.moc"
