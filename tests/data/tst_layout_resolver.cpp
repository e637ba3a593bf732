// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/assemble.h"
#include "model/estimate/evaluate.h"
#include "model/scenario/fields.h"
#include "model/scenario/layout_resolver.h"
#include "model/search/question.h"
#include "tests/sanitized.h"

#include <QTest>

#include <algorithm>
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
        for (const char* path : {"plan.data_parallel", "plan.pipeline_split", "plan.schedule"}) {
            findField(path)->set(spec, {});
        }
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
        auto kept = std::make_unique<Totals>(), alone = std::make_unique<Totals>();
        std::mt19937 random(11);
        int legal = 0, illegal = 0;
        for (int i = 0; i < test::draws(6000); ++i) {
            for (const FreeField& each : fields) {
                QVERIFY2(isLayoutField(each.path), each.path.c_str());
                const auto& [field, value] = each.choices[random() % each.choices.size()].sets.front();
                if (random() % 3 == 0) { // some stay as they are
                    field->set(spec, value);
                }
            }
            const Result<Scenario>& mine = resolver.resolve(spec, i > 0);
            const auto theirs = resolve(spec, catalog_, catalog_.defaultProfile);
            QVERIFY(mine && theirs);
            std::string why;
            for (const Problem& each : theirs->problems) {
                why += each.severity == Severity::error ? each.message : "";
            }
            QVERIFY2(mine->runs() == theirs->runs(), why.c_str());
            if (!theirs->runs()) {
                ++illegal;
                const auto isError = [](const Problem& p) { return p.severity == Severity::error; };
                const auto first = std::ranges::find_if(mine->problems, isError);
                QVERIFY(first != mine->problems.end());
                // The reason does not depend on what was resolved before.
                LayoutResolver fresh(catalog_, catalog_.defaultProfile);
                const Result<Scenario>& again = fresh.resolve(spec, false);
                const auto same = std::ranges::find_if(again->problems, isError);
                QCOMPARE(same->message, first->message);
                continue;
            }
            ++legal;
            for (std::size_t k = 0; k < inputCount; ++k) {
                QVERIFY2(mine->inputs.values[k] == theirs->inputs.values[k],
                         inputInfo(static_cast<Input>(k)).name);
            }
            QCOMPARE(mine->problems.size(), theirs->problems.size());
            for (const Field& field : fieldTable()) {
                QVERIFY2(field.get(mine->spec) == field.get(theirs->spec), std::string(field.path).c_str());
            }
            evaluate(*mine, mine->inputs, *kept);
            evaluate(*theirs, theirs->inputs, *alone);
            QCOMPARE(kept->stepTime, alone->stepTime);
            QCOMPARE(kept->memoryTotal, alone->memoryTotal);
        }
        QVERIFY2(legal > test::draws(20), qPrintable(QString::number(legal)));
        QVERIFY(illegal > test::draws(20));
    }

private:
    Catalog catalog_;
};

QTEST_GUILESS_MAIN(LayoutResolverTest)

} // namespace tst_layout_resolver

#include "tst_layout_resolver.moc"
