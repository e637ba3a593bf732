// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of serving scenarios, read back from the files that are handed on.
#include "tests/data/sample_serving.h"
#include "tests/views/cut_off.h"
#include "tests/views/report_tools.h"
#include "views/report/plot_drawing.h"
#include "views/report/render.h"
#include "views/theme/theme.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <limits>

namespace tst_report_serving {

using namespace alidade;
using namespace alidade::views;
using alidade::tests::cutOff;
using alidade::tests::runTool;
using alidade::tests::simplified;

namespace {

const data::ReportContext context{"9.8.7", "2026-11-20"};

data::LoadCurves curvesOf(const Estimate& e) {
    for (const auto& section : data::buildReport(e, {}, context).sections)
        for (const auto& plot : section.plots)
            if (const auto* curves = std::get_if<data::LoadCurves>(&plot.content))
                return *curves;
    return {};
}

} // namespace

class TestReportServing : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    /// Its pages as text; empty if it was not written.
    QStringList pagesOf(const data::Report& report, Paper paper) {
        const QString pdf = dir_.filePath(QStringLiteral("report.pdf"));
        if (!writeReport(report, pdf, paper))
            return {};
        return runTool(QStringLiteral("pdftotext"),
                       {QStringLiteral("-enc"), QStringLiteral("UTF-8"), pdf, QStringLiteral("-")})
            .output.split(u'\f');
    }

private slots:
    void pagesSayEverything_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<bool>("letter");
        const char* names[] = {"one pool", "apart", "overloaded", "does not fit"};
        for (int i = 0; i < 4; ++i)
            for (const bool letter : {false, true})
                QTest::addRow("%s, %s", names[i], letter ? "letter" : "A4") << i << letter;
    }
    void pagesSayEverything() {
        QFETCH(int, which);
        QFETCH(bool, letter);
        const Estimate all[] = {sample::servingEstimate(), sample::servingDisaggregated(),
                                sample::servingOverloaded(), sample::servingThatDoesNotFit()};
        const data::Report report = data::buildReport(all[which], {}, context);
        const QStringList pages = pagesOf(report, letter ? Paper::letter : Paper::a4);
        QVERIFY(pages.size() > 2);
        const QString text = simplified(pages.join(u' '));
        const QStringList words = text.split(u' ');
        const QSet<QString> printed(words.begin(), words.end());
        for (const auto& section : report.sections)
            for (const auto& table : section.tables)
                for (const auto& row : table.rows)
                    for (const auto& cell : row)
                        for (const QString& word :
                             simplified(QString::fromStdString(cell.text)).split(u' ', Qt::SkipEmptyParts))
                            QVERIFY2(printed.contains(word), cell.text.c_str());
        const QString first = simplified(pages[0]);
        for (const data::Sentence& sentence : report.answer)
            QVERIFY2(first.contains(simplified(QString::fromStdString(data::plainText(sentence)))),
                     data::plainText(sentence).c_str());
        for (const data::KeyFigure& k : report.keyFigures)
            for (const std::string& part : {k.question, k.value, k.unit, k.detail})
                QVERIFY2(first.contains(simplified(QString::fromStdString(part))), part.c_str());
        const QStringList lines = pages[0].split(u'\n');
        const bool answered = which < 2; // else the details begin on the first page where there is room
        for (const data::ReportSection& section : report.sections)
            if (answered || section.firstPage)
                QVERIFY2(lines.contains(QString::fromStdString(section.title)) == section.firstPage,
                         section.title.c_str());
    }

    void theCurvesAreOnThePage() {
        const QString first =
            simplified(pagesOf(data::buildReport(sample::servingEstimate(), {}, context), Paper::a4)[0]);
        for (const char* text :
             {"TTFT, ms", "ITL, ms", "target 500 ms", "target 40 ms", "this plan, 96", "a target is missed"})
            QVERIFY2(first.contains(QString::fromUtf8(text)), text);
    }

    /// The value at the plan's load is on no curve, however the curves run.
    void theValueIsOnNoCurve() {
        Estimate e = sample::servingEstimate();
        for (const double rise : {0.2, 0.5, 0.8, 1.0, 1.3}) {
            data::LoadCurves curves = curvesOf(e);
            QVERIFY(!curves.panels.empty());
            for (data::LoadPanel& panel : curves.panels)
                for (data::LoadLine& line : panel.lines)
                    if (!line.strong)
                        for (double& seconds : line.seconds)
                            seconds *= rise;
            const Drawing drawing = drawLoadCurves(curves, Theme::paper(), 670);
            int found = 0;
            for (const Shape& shape : drawing.shapes) {
                const auto* text = std::get_if<DrawnText>(&shape);
                if (!text || std::ranges::none_of(curves.panels, [&](const data::LoadPanel& panel) {
                        return text->text == QString::fromStdString(panel.presentText);
                    }))
                    continue;
                ++found;
                const QRectF box = tests::boundsOf(shape).adjusted(0, 1, 0, -1);
                for (const Shape& other : drawing.shapes)
                    if (const auto* line = std::get_if<DrawnLine>(&other); line && line->points.size() > 2)
                        for (const QPointF& point : line->points)
                            QVERIFY2(!box.contains(point), qPrintable(text->text));
            }
            QCOMPARE(found, static_cast<int>(curves.panels.size()));
        }
    }

    void htmlIsWellFormed() {
        for (const Estimate& e : {sample::servingEstimate(), sample::servingDisaggregated(),
                                  sample::servingOverloaded(), sample::servingThatDoesNotFit()}) {
            const QString html = dir_.filePath(QStringLiteral("report.html"));
            QVERIFY(writeReport(data::buildReport(e, {}, context), html));
            const auto xml = runTool(QStringLiteral("xmllint"), {QStringLiteral("--noout"), html});
            QVERIFY2(xml.exitCode == 0 && xml.output.isEmpty(), qPrintable(xml.output));
            QFile file(html);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(file.readAll());
            QCOMPARE(text.contains(QStringLiteral("Latency against load")),
                     e.fits && e.serving->utilization < 1);
            QVERIFY(!text.contains(QStringLiteral("inf")) ||
                    !text.contains(QRegularExpression(QStringLiteral("[\" ,](inf|nan)[\" ,]"))));
        }
    }

    void noCurveIsCutOff_data() {
        QTest::addColumn<double>("factor");
        QTest::addColumn<double>("target");
        QTest::addColumn<int>("points");
        constexpr double never = std::numeric_limits<double>::infinity();
        QTest::newRow("sample") << 1.0 << 0.5 << 14;
        QTest::newRow("two points") << 1.0 << 0.5 << 2;
        QTest::newRow("far target") << 1.0 << 500.0 << 14;
        QTest::newRow("near target") << 1.0 << 1e-6 << 14;
        QTest::newRow("no target") << 1.0 << 0.0 << 14;
        QTest::newRow("huge") << 1e9 << 0.5 << 14;
        QTest::newRow("tiny") << 1e-9 << 0.5 << 14;
        QTest::newRow("nothing") << 0.0 << 0.5 << 14;
        QTest::newRow("infinite") << never << 0.5 << 14;
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << 0.5 << 14;
    }
    void noCurveIsCutOff() {
        QFETCH(double, factor);
        QFETCH(double, target);
        QFETCH(int, points);
        data::LoadCurves curves = curvesOf(sample::servingEstimate());
        QCOMPARE(curves.panels.size(), 2U);
        curves.loads.resize(static_cast<std::size_t>(points));
        for (auto& panel : curves.panels) {
            if (target > 0)
                panel.target->value = target;
            else
                panel.target.reset();
            for (auto& line : panel.lines) {
                line.seconds.resize(static_cast<std::size_t>(points));
                for (double& seconds : line.seconds)
                    seconds *= factor;
            }
        }
        for (const double width : {321.0, 670.0, 720.0}) {
            const QString fault = cutOff(drawLoadCurves(curves, Theme::paper(), width));
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
        }
    }

    void theCurveGoesThroughThePresentPoint() {
        data::LoadCurves curves = curvesOf(sample::servingEstimate());
        auto& line = curves.panels.front().lines;
        curves.panels.resize(1);
        line.erase(line.begin()); // p90 alone
        curves.loads.push_back(curves.present);
        line[0].seconds.push_back(*curves.panels[0].present);
        std::ranges::sort(curves.loads);
        std::ranges::sort(line[0].seconds);
        const Drawing drawing = drawLoadCurves(curves, Theme::paper(), 670);
        std::optional<QPointF> dot;
        bool through = false;
        for (const Shape& shape : drawing.shapes)
            if (const auto* circle = std::get_if<DrawnCircle>(&shape))
                dot = circle->center;
        QVERIFY(dot);
        for (const Shape& shape : drawing.shapes)
            if (const auto* drawn = std::get_if<DrawnLine>(&shape))
                for (const QPointF& point : drawn->points)
                    through |= drawn->points.size() > 2 && (point - *dot).manhattanLength() < 0.01;
        QVERIFY(through);
    }

    void comparisonOfBothKinds() {
        const Estimate run = sample::estimate(), good = sample::servingEstimate(),
                       over = sample::servingOverloaded();
        const std::vector<data::ReportInput> inputs{
            {&run, {}, "{}", "run"}, {&good, {}, "{}", "good"}, {&over, {}, "{}", "over"}};
        const QString first = simplified(pagesOf(data::buildReport(inputs, context), Paper::letter)[0]);
        for (const char* text :
             {"Training: the scenarios side by side", "Serving: the scenarios side by side", "MFU",
              "TTFT p90,", "overloaded", "1 of 2 meet their targets."})
            QVERIFY2(first.contains(QString::fromUtf8(text)), qPrintable(first));
    }
};

QTEST_MAIN(TestReportServing)

} // namespace tst_report_serving

#include "tst_report_serving.moc"
