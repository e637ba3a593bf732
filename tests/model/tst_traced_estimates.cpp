// SPDX-License-Identifier: GPL-3.0-or-later
// An estimate that remembers how its numbers came about says the same as one that does not: every figure of
// the document, for scenarios that reach each of its parts.
#include "model/engine/engine.h"
#include "model/estimate/figures.h"
#include "model/estimate/traced_estimate.h"
#include "tests/model/resolving_catalog.h"

#include <QTest>

#include <cmath>
#include <map>

namespace tst_traced_estimates {

using namespace alidade;
using namespace alidade::test;

class TestTracedEstimates : public QObject {
    Q_OBJECT

private slots:
    void figures_data() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("edit");
        const auto row = [](const char* kind, const char* edit) {
            QTest::addRow("%s: %s", kind, edit) << QByteArray(kind) << QByteArray(edit);
        };
        row("training", "");
        row("training", "plan.tensor_parallel=3");
        row("training", "workload.tokens=1e11");
        row("training", "workload.tokens=1e11; plan.pipeline_parallel=2; plan.tensor_parallel=2");
        row("training", "workload.tokens=1e11; workload.model=experts; plan.expert_parallel=4");
        row("training", "workload.tokens=1e11; cluster.purchase=capacity_block");
        row("training", "workload.tokens=1e11; cluster.purchase=reserved");
        row("training", "workload.tokens=1e11; order.base.instances=2; order.base.purchase=reserved");
        row("training", "workload.tokens=1e11; run.storage_bytes=1e13; run.start=2027-03-01");
        row("training", "cluster.placement=sorted; cluster.oversubscription=2");
        row("serving", "");
        row("serving", "workload.model=experts; plan.tensor_parallel=2");
        row("serving", "workload.samples=4; workload.selection=majority");
        row("serving", "workload.ttft_slo_s=1; workload.itl_slo_s=0.1");
        row("serving", "cluster.purchase=savings_plan; cluster.discount=0.5");
        row("learning", "");
        row("learning", "workload.steps=100; plan.placement=split; plan.rollout.gpus=8");
        row("learning", "workload.steps=100; cluster.purchase=capacity_block");
    }
    void figures() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, edit);
        const ScenarioSpec spec = edited(kind == "training"  ? smallTraining()
                                         : kind == "serving" ? smallServing()
                                                             : smallReinforcement(),
                                         editOf(edit.constData()));
        const auto plain = estimate(spec, sharedCatalog(), sharedCatalog().defaultProfile, {.fixes = false});
        QVERIFY(plain);
        std::map<std::string, double> values;
        forEachFigureOfQuestions(*plain,
                                 [&](const FigureT<double>& each) { values[each.path] = each.value; });
        Trace trace;
        const EstimateT<Traced> traced = tracedEstimate(resolved(spec), trace);
        QByteArrayList wrong;
        std::size_t found = 0;
        forEachFigureOfQuestions(traced, [&](const FigureT<Traced>& each) {
            ++found;
            const auto at = values.find(each.path);
            const double value = valueOf(each.value);
            if (at == values.end())
                wrong.append(QByteArray::fromStdString(each.path) + " is not in the plain estimate");
            else if (!(std::abs(value - at->second) <= 1e-9 * std::abs(value)) && value != at->second)
                wrong.append(QByteArray::fromStdString(each.path) + ": " +
                             QByteArray::number(value, 'g', 12) + " against " +
                             QByteArray::number(at->second, 'g', 12));
        });
        QCOMPARE(wrong.mid(0, 10).join("\n"), QByteArray());
        QCOMPARE(found, values.size());
        QVERIFY(traced.runs == plain->runs && traced.fits == plain->fits);
        // What is explained is computed: the numbers of an estimate that runs have formulas.
        if (plain->runs)
            QVERIFY(traced.headline->value.node() != 0);
    }
};

QTEST_APPLESS_MAIN(TestTracedEstimates)

} // namespace tst_traced_estimates

#include "tst_traced_estimates.moc"
