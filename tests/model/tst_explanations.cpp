// SPDX-License-Identifier: GPL-3.0-or-later
// Whole explanations of traced numbers, and the normal distribution that some of them rest on.
#include "model/explain/explain_step.h"
#include "model/explain/normal.h"

#include <QTest>

#include <cmath>

namespace tst_explanations {

using namespace alidade;

namespace {

Traced leaf(Trace& trace, double value, const char* name, SourceKind kind = SourceKind::catalog) {
    return Traced::leaf(trace, value, name, Dimension::seconds, std::string("of ") + name, kind);
}

QByteArray told(const std::vector<ExplainedTerm>& terms) {
    QByteArray out;
    for (const ExplainedTerm& each : terms)
        out += QByteArray(out.isEmpty() ? "" : ", ") + QByteArray::fromStdString(each.name) + '=' +
               QByteArray::number(each.value) + " (" + QByteArray::fromStdString(each.source) + ')';
    return out;
}
QByteArray formula(const Traced& x) { return QByteArray::fromStdString(explain(x).formula); }

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

} // namespace

/// Formulas with their terms and inputs.
class TestExplanations : public QObject {
    Q_OBJECT

private slots:
    void formulasAreReadAsTheyWereWorked() {
        Trace trace;
        const Traced a = leaf(trace, 8, "a"), b = leaf(trace, 4, "b"), c = leaf(trace, 2, "c");
        for (const auto& [number, value, text] : {std::tuple((a - b) - c, 2.0, "a - b - c"),
                                                  std::tuple(a - (b + c), 2.0, "a - (b + c)"),
                                                  std::tuple(a + (b - c), 10.0, "a + b - c"),
                                                  std::tuple(a + b + c, 14.0, "a + b + c"),
                                                  std::tuple(a * b * c, 64.0, "a * b * c"),
                                                  std::tuple(a * (b * c), 64.0, "a * b * c"),
                                                  std::tuple(a / b / c, 1.0, "a / b / c"),
                                                  std::tuple(a * (b / c), 16.0, "a * b / c"),
                                                  std::tuple(a / b * c, 4.0, "a / b * c"),
                                                  std::tuple(a * (b - c), 16.0, "a * (b - c)"),
                                                  std::tuple((a - b) / c, 2.0, "(a - b) / c"),
                                                  std::tuple(a / (b - c), 4.0, "a / (b - c)"),
                                                  std::tuple(a - b * c, 0.0, "a - b * c"),
                                                  std::tuple(a - b / c, 6.0, "a - b / c"),
                                                  std::tuple(a / c + b, 8.0, "a / c + b"),
                                                  std::tuple(sqrt(b - b), 0.0, "sqrt(b - b)"),
                                                  std::tuple(exp(b - b), 1.0, "exp(b - b)"),
                                                  std::tuple(exp(b * 0) * c, 2.0, "exp(b * 0) * c"),
                                                  std::tuple(min(a - c, b * c), 6.0, "min(a - c, b * c)"),
                                                  std::tuple(max(a, b + c), 8.0, "max(a, b + c)"),
                                                  std::tuple(pow(c, b - c), 4.0, "pow(c, b - c)"),
                                                  std::tuple(a - max(b, c), 4.0, "a - max(b, c)"),
                                                  std::tuple(1 - a, -7.0, "1 - a"),
                                                  std::tuple(a - 0, 8.0, "a - 0"),
                                                  std::tuple(a * 0, 0.0, "a * 0"),
                                                  std::tuple(1 + a, 9.0, "1 + a"),
                                                  std::tuple(a + 1, 9.0, "a + 1"),
                                                  std::tuple(0 + a, 8.0, "a"),
                                                  std::tuple(a + 0, 8.0, "a"),
                                                  std::tuple(a + (0 * b), 8.0, "a + 0 * b"),
                                                  std::tuple(a * -2.5, -20.0, "a * (-2.5)")}) {
            QCOMPARE(formula(number), QByteArray(text));
            QCOMPARE(explain(number).value, value);
        }
        Traced sum = a;
        sum -= b;
        sum *= c;
        QCOMPARE(formula(sum), QByteArray("(a - b) * c"));
        QVERIFY(a > b && b < a && a >= b && b <= a && a == Traced(8) && a != b);
        QCOMPARE(static_cast<double>(a), 8.0);
        QCOMPARE(valueOf(a) + valueOf(1.5), 9.5);
    }

    /// A second name of a step, or of an input, leads to it.
    void secondNames() {
        Trace trace;
        const Traced a = leaf(trace, 8, "a"), b = leaf(trace, 4, "b");
        const Traced step = named(a * b, "area", Dimension::number, "geometry");
        const Traced again = named(step, "floor", Dimension::bytes, "house");
        const Explanation e = explain(again);
        QCOMPARE(e.name, std::string("floor"));
        QCOMPARE(e.formula, std::string("area"));
        QCOMPARE(e.value, 32.0);
        QCOMPARE(e.source, std::string("house"));
        QVERIFY(e.dimension == Dimension::bytes);
        QCOMPARE(told(e.terms), QByteArray("area=32 (geometry)"));
        QCOMPARE(told(e.inputs), QByteArray("a=8 (of a), b=4 (of b)"));
        QCOMPARE(formula(named(a, "width", Dimension::number)), QByteArray("a"));
        const Traced unnamed = Traced::leaf(trace, 3, "", Dimension::number, "x", SourceKind::assumed);
        QCOMPARE(formula(named(unnamed, "three", Dimension::number)), QByteArray("3"));
        QCOMPARE(formula(unnamed * a), QByteArray("3 * a"));
        QCOMPARE(named(2.5, "x", Dimension::number), 2.5);
        QCOMPARE(named(Traced(2.5), "x", Dimension::number).value(), 2.5);
    }

    /// Inputs are told once, by name; counts that were derived are terms alone.
    void inputsOfAFormula() {
        Trace trace;
        const Traced b = leaf(trace, 4, "b"), a = leaf(trace, 8, "a"), twin = leaf(trace, 8, "a"),
                     other = leaf(trace, 9, "a");
        const Traced count = derivedLeaf(a, 3, "count", Dimension::number, "counted");
        const Explanation e = explain(b * a + twin * count + other * 2 + a);
        QCOMPARE(e.formula, std::string("b * a + a_2 * count + a_3 * 2 + a"));
        QCOMPARE(told(e.terms),
                 QByteArray("b=4 (of b), a=8 (of a), a_2=8 (of a), count=3 (counted), a_3=9 (of a)"));
        QVERIFY(e.terms[3].kind == SourceKind::derived && e.terms[0].kind == SourceKind::catalog);
        QVERIFY(e.terms[0].dimension == Dimension::seconds);
        QCOMPARE(e.inputs.size(), std::size_t{3}); // 8 and 9 are two
        QCOMPARE(e.inputs.front().name, std::string("a"));
        QCOMPARE(e.inputs.back().name, std::string("b"));
        QCOMPARE(derivedLeaf(1.0, 3, "count", Dimension::number, "counted"), 3.0);
        QCOMPARE(derivedLeaf(Traced(1), 3, "count", Dimension::number, "counted").node(), 0u);
        const Explanation literal = explain(Traced(-2));
        QCOMPARE(literal.formula, std::string("(-2)"));
        QCOMPARE(literal.source, std::string("constant"));
        QVERIFY(!explainStep(Traced(2), {}) && !explainStep(Traced(2), {"x"}));
    }

    void stepsOfInputsAreNone() {
        Trace trace;
        const Traced a = leaf(trace, 8, "a"), b = leaf(trace, 4, "b");
        const Traced step = named(a * b, "area", Dimension::number, "geometry");
        const Traced total = named(step + a, "total", Dimension::number);
        QVERIFY(!explainStep(total, {"a"}) && !explainStep(total, {"nothing"}) &&
                !explainStep(total, {"area", "b"}));
        const auto area = explainStep(total, {"area"});
        QVERIFY(area && area->formula == "a * b" && area->name == "area" && area->value == 32);
        const auto input = explainStep(a, {}); // an input itself is known by its source alone
        QVERIFY(input && input->formula.empty() && input->terms.empty() && input->source == "of a" &&
                input->value == 8);
    }

    /// Tables of the normal distribution; and quantiles undo the distribution function.
    void normalDistribution() {
        QVERIFY(near(normalQuantile(0.975), 1.959963984540054, 1e-14));
        QVERIFY(near(normalQuantile(0.25), -0.6744897501960817, 1e-14));
        QVERIFY(near(normalQuantile(0.001), -3.090232306167814, 1e-14));
        QVERIFY(near(normalQuantile(1e-20), -9.262340089798408, 1e-14));
        QCOMPARE(normalQuantile(0.5), 0.0);
        QCOMPARE(normalBelow(0), 0.5);
        QVERIFY(near(normalBelow(-1), 0.15865525393145707, 1e-13) &&
                near(normalBelow(2), 0.9772498680518208, 1e-14));
        for (double p = 1e-300; p < 0.5; p *= 1.7) {
            QVERIFY2(near(normalBelow(normalQuantile(p)), p, 1e-11), QByteArray::number(p));
            if (p > 1e-3)
                QVERIFY(near(normalQuantile(1 - p), -normalQuantile(p), 1e-11));
        }
    }

    /// Of two loads the larger is at the quantile of (2 - 0.375) / 2.25, the smaller at 0.625 / 2.25.
    void orderStatistics() {
        const double two = normalQuantile(1.625 / 2.25);
        QVERIFY(near(blomMaximum(2), two, 1e-12) && blomMaximum(1.99) == 0 && blomMaximum(1) == 0);
        QVERIFY(near(blomMaximum(1000), normalQuantile(999.625 / 1000.25), 1e-12));
        QVERIFY(near(expectedSortedLoad(16, 2, 2), 16 + 4 * two, 1e-12));
        QVERIFY(near(expectedSortedLoad(16, 1, 2), 16 - 4 * two, 1e-12));
        QCOMPARE(expectedSortedLoad(16, 1, 1), 16.0);
        QCOMPARE(expectedSortedLoad(0.01, 1, 8), 0.0); // 0.01 - 0.1 x 1.4
        QVERIFY(near(expectedMaxNormal(10.0, 2.0, 2), 10 + 2 * two, 1e-12));
        QCOMPARE(expectedMaxNormal(10.0, 2.0, 1.9), 10.0);
        Trace trace;
        const Traced slowest = expectedMaxNormal(leaf(trace, 10, "mean"), leaf(trace, 2, "deviation"), 2);
        QCOMPARE(formula(slowest), QByteArray("mean + deviation * blom_maximum"));
        QVERIFY(near(slowest.value(), 10 + 2 * two, 1e-12));
    }
};

QTEST_APPLESS_MAIN(TestExplanations)

} // namespace tst_explanations

#include "tst_explanations.moc"
