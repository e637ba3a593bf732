// SPDX-License-Identifier: GPL-3.0-or-later
// What the command line prints for a person.
#include "app/cli/explain_page.h"
#include "app/cli/page.h"
#include "app/cli/timeline_page.h"
#include "tests/data/sample_serving.h"

#include <QtTest>

namespace tst_page {

using namespace alidade;
using namespace alidade::cli;

namespace {

QStringList linesOf(const std::string& text) { return QString::fromStdString(text).split(u'\n'); }

std::string page(const Estimate& estimate, const Terminal& terminal) {
    return pageOf(data::buildReport(estimate, {}, {"1.2.3", "2026-11-20"}), estimate.scenario, terminal);
}

} // namespace

class TestPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noLineIsWiderThanTheTerminal_data() {
        QTest::addColumn<int>("width");
        for (const int width : {80, 100, 120})
            QTest::addRow("%d", width) << width;
    }
    void noLineIsWiderThanTheTerminal() {
        QFETCH(int, width);
        for (const Estimate& each :
             {sample::estimate(), sample::estimateThatDoesNotFit(), sample::estimateThatDoesNotRun(),
              sample::servingEstimate(), sample::servingDisaggregated(), sample::servingOverloaded()}) {
            for (const QString& line : linesOf(page(each, {width, false}))) {
                const bool scenario =
                    line.contains(QStringLiteral(" = ")); // what --set takes is never broken
                QVERIFY2(scenario || line.size() <= width, qPrintable(line));
                QVERIFY2(!line.endsWith(u' '), qPrintable(line));
            }
        }
    }

    void theAnswerComesFirst() {
        const QStringList lines = linesOf(page(sample::estimateThatDoesNotFit(), {}));
        QVERIFY(lines[2].contains(QStringLiteral("does not fit")));
        const QStringList good = linesOf(page(sample::estimate(), {}));
        QVERIFY(good[2].contains(QStringLiteral("2,048 x p5.48xlarge")));
    }

    void aServiceBeginsWithItsTargets() {
        const QStringList lines = linesOf(page(sample::servingEstimate(), {}));
        QVERIFY(lines[2].contains(QStringLiteral("within both targets")));
        QVERIFY(linesOf(page(sample::servingOverloaded(), {}))[2].contains(
            QStringLiteral("cannot carry its load")));
    }

    void aHeadingHasSomethingBelowIt() {
        for (const Estimate& each : {sample::estimate(), sample::servingEstimate()}) {
            const QStringList lines = linesOf(page(each, {}));
            for (qsizetype i = 10; i + 1 < lines.size(); ++i) {
                const bool heading =
                    lines[i - 1].isEmpty() && !lines[i].isEmpty() && !lines[i].startsWith(u' ');
                QVERIFY2(!heading || !lines[i + 1].isEmpty(), qPrintable(lines[i]));
            }
        }
    }

    void aFixIsShownAsSetTakesIt() {
        const QString text = QString::fromStdString(page(sample::estimate(), {}));
        QVERIFY(text.simplified().contains(QStringLiteral("plan.recompute=norms, glu, core_attention")) ||
                text.contains(QStringLiteral("plan.recompute=")));
        QVERIFY(text.contains(QStringLiteral("plan.tensor_parallel")));
    }

    void colorsOnlyWhereTheTerminalHasThem() {
        QVERIFY(!QString::fromStdString(page(sample::estimate(), {100, false})).contains(QChar(0x1b)));
        QVERIFY(QString::fromStdString(page(sample::estimate(), {100, true})).contains(QChar(0x1b)));
    }

    void aNameCannotSteerTheTerminal() {
        Estimate estimate = sample::estimate();
        estimate.scenario.name = "red \033[31m and \007 bell";
        estimate.modelName = "\033]0;title\007";
        estimate.problems.push_back({Severity::error, "/plan", "\033[2Jgone", {}});
        const std::string text = page(estimate, {100, false});
        QVERIFY(std::none_of(text.begin(), text.end(),
                             [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }));
    }

    void aSourceIsListedOnce() {
        const QString text = QString::fromStdString(page(sample::estimate(), {}));
        QCOMPARE(text.count(QStringLiteral("fitted to public microbenchmarks")), 1);
        QVERIFY(text.contains(QStringLiteral("[1]")));
    }

    void barsHaveEighths_data() {
        QTest::addColumn<double>("share");
        QTest::addColumn<QString>("drawn");
        QTest::newRow("none") << 0.0 << QString();
        QTest::newRow("half") << 0.5 << QStringLiteral("██");
        QTest::newRow("an eighth of a column") << 1.0 / 32 << QStringLiteral("▏");
        QTest::newRow("all") << 1.0 << QStringLiteral("████");
        QTest::newRow("too much") << 7.0 << QStringLiteral("████");
        QTest::newRow("no number") << std::nan("") << QString();
    }
    void barsHaveEighths() {
        QFETCH(double, share);
        QFETCH(QString, drawn);
        QCOMPARE(QString::fromStdString(bar(share, 4)), drawn);
    }

    void textIsBrokenAtSpaces() {
        QCOMPARE(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
        QCOMPARE(wrapped("äöü ß", 5), (std::vector<std::string>{"äöü ß"}));
        QCOMPARE(wrapped("unbreakable x", 4), (std::vector<std::string>{"unbreakable", "x"}));
        QCOMPARE(wrapped("", 4), std::vector<std::string>{""});
    }

    void aFormulaIsShownWithItsValues() {
        Explanation explanation;
        explanation.path = "training.step_time_s";
        explanation.formula = "work / max(rate, rate_2) + 2";
        explanation.terms = {{"work", 6e12, Dimension::flop, "", SourceKind::derived},
                             {"rate", 3e12, Dimension::flopPerSecond, "", SourceKind::derived},
                             {"rate_2", 1e12, Dimension::flopPerSecond, "", SourceKind::derived}};
        explanation.inputs = {
            {"peak", 3e12, Dimension::flopPerSecond, "Data sheet (2023)", SourceKind::catalog}};
        explanation.value = 4;
        explanation.dimension = Dimension::seconds;
        QCOMPARE(QString::fromStdString(formulaWithValues(explanation)),
                 QStringLiteral("6 TFLOP / max(3 TFLOP/s, 1 TFLOP/s) + 2"));
        const QString text = QString::fromStdString(explanationText(explanation, {}));
        QVERIFY(text.startsWith(QStringLiteral("training.step_time_s = 4 s\n")));
        QVERIFY(text.contains(QStringLiteral("Data sheet (2023)")));
        QVERIFY(text.contains(QStringLiteral("catalog")));
    }

    void aTimelineIsDrawnStageByStage() {
        Training training;
        training.timeline = {
            {0, 0, 0, 'F', 0, 5}, {1, 0, 0, 'F', 5, 10}, {1, 0, 0, 'B', 10, 20}, {0, 0, 0, 'B', 20, 30}};
        const QStringList lines = linesOf(timelineText(training, {12 + 6, false}));
        QVERIFY(lines.contains(QStringLiteral("  stage 0   F···BB")));
        QVERIFY(lines.contains(QStringLiteral("  stage 1   ·FBB··")));
        training.timelineClosedForm = 29.7;
        const QString wide = QString::fromStdString(timelineText(training, {100, false}));
        QVERIFY(wide.contains(
            QStringLiteral("The drawn schedule takes 30.00 s, the estimate 29.70 s (−1.0 %).")));
    }
};

QTEST_GUILESS_MAIN(TestPage)

} // namespace tst_page

#include "tst_page.moc"
