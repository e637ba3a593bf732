// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/explain/explain_step.h"

#include <QTest>

namespace tst_traced {

using namespace alidade;

/// Numbers that remember how they came about.
class TestTraced : public QObject {
    Q_OBJECT

    static Traced leaf(Trace& trace, double value, const char* name) {
        return Traced::leaf(trace, value, name, Dimension::number, "a test", SourceKind::catalog);
    }

private slots:
    void anExplanationStopsAtNamedSteps() {
        Trace trace;
        const Traced flops = leaf(trace, 6, "flops"), peak = leaf(trace, 2, "peak"),
                     launch = leaf(trace, 1, "launch");
        const Traced compute = named(flops / peak, "compute_time", Dimension::seconds, "roofline");
        const Traced total = named(launch + compute * 2, "total", Dimension::seconds);
        const Explanation e = explain(total);
        QCOMPARE(e.formula, std::string("launch + compute_time * 2"));
        QCOMPARE(e.value, 7.0);
        QCOMPARE(e.name, std::string("total"));
        QCOMPARE(e.terms.size(), std::size_t{2});
        QCOMPARE(e.terms[1].name, std::string("compute_time"));
        QCOMPARE(e.terms[1].source, std::string("roofline"));
        QCOMPARE(e.inputs.size(), std::size_t{3}); // all leaves, also those below a named step
    }

    void stepsLeadDownToTheInputs() {
        Trace trace;
        const Traced flops = leaf(trace, 6, "flops"), peak = leaf(trace, 2, "peak");
        const Traced layers = derivedLeaf(flops, 4, "layers", Dimension::number, "counted");
        const Traced compute = named(flops / peak, "compute_time", Dimension::seconds, "roofline");
        const Traced stage = named(compute * layers, "stage_time", Dimension::seconds);
        const Traced total = named(stage + compute, "total", Dimension::seconds);
        const auto whole = explainStep(total, {});
        QCOMPARE(whole->formula, explain(total).formula);
        const auto first = explainStep(total, {"stage_time"});
        QCOMPARE(first->formula, std::string("compute_time * layers"));
        QCOMPARE(first->value, 12.0);
        const auto second = explainStep(total, {"stage_time", "compute_time"});
        QCOMPARE(second->formula, std::string("flops / peak"));
        QCOMPARE(second->source, std::string("roofline"));
        const auto counted = explainStep(total, {"stage_time", "layers"});
        QVERIFY(counted && counted->terms.empty() && counted->formula.empty());
        QCOMPARE(counted->value, 4.0);
        QCOMPARE(counted->source, std::string("counted"));
        QVERIFY(!explainStep(total, {"stage_time", "compute_time", "flops"})); // an input
        QVERIFY(!explainStep(total, {"compute_tim"}));
        QVERIFY(hasStep(whole->terms[0]) && !hasStep(second->terms[0]));
    }

    void parenthesesKeepTheOrderOfWork_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("formula");
        QTest::newRow("difference of a difference") << 0 << "a - (b - c)";
        QTest::newRow("quotient of a product") << 1 << "a / (b * c)";
        QTest::newRow("product of a sum") << 2 << "(a + b) * c";
        QTest::newRow("sum of products") << 3 << "a * b + c";
        QTest::newRow("functions") << 4 << "max(a + b, sqrt(c))";
        QTest::newRow("power") << 5 << "pow(a + b, c)";
        QTest::newRow("quotient of a quotient") << 6 << "a / (b / c)";
        QTest::newRow("negative literal") << 7 << "a * (-2)";
    }
    void parenthesesKeepTheOrderOfWork() {
        QFETCH(int, which);
        QFETCH(QString, formula);
        Trace trace;
        const Traced a = leaf(trace, 8, "a"), b = leaf(trace, 4, "b"), c = leaf(trace, 2, "c");
        const Traced all[] = {a - (b - c),         a / (b * c),   (a + b) * c, a * b + c,
                              max(a + b, sqrt(c)), pow(a + b, c), a / (b / c), a * Traced(-2)};
        QCOMPARE(QString::fromStdString(explain(all[which]).formula), formula);
    }

    void twoStepsOfOneNameAreToldApart() {
        Trace trace;
        const Traced a = leaf(trace, 1, "a"), b = leaf(trace, 2, "b");
        const Traced first = named(a * 2, "time", Dimension::seconds),
                     second = named(b * 2, "time", Dimension::seconds);
        const Explanation e = explain(named(first + second + first, "sum", Dimension::seconds));
        QCOMPARE(e.formula, std::string("time + time_2 + time"));
        QCOMPARE(e.terms.size(), std::size_t{2});
    }

    void aSumFromNothingHasNoZero() {
        Trace trace;
        Traced sum;
        sum += leaf(trace, 3, "a");
        sum += leaf(trace, 4, "b");
        QCOMPARE(explain(sum).formula, std::string("a + b"));
    }

    void anInputExplainsItselfByItsSource() {
        Trace trace;
        const Explanation e = explain(leaf(trace, 3.35e12, "hbm_bandwidth"));
        QCOMPARE(e.source, std::string("a test"));
        QCOMPARE(e.formula, std::string("hbm_bandwidth"));
        QCOMPARE(e.terms.size(), std::size_t{1});
        QCOMPARE(e.terms[0].value, 3.35e12);
    }

    void literalsNeedNoTrace() {
        const Traced x = Traced(2) * 3 + 1;
        QCOMPARE(x.value(), 7.0);
        QCOMPARE(x.node(), 0u);
        QCOMPARE(explain(x).formula, std::string("7"));
    }
};

QTEST_APPLESS_MAIN(TestTraced)

} // namespace tst_traced

#include "tst_traced.moc"
