// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/data/sample_estimate.h"
#include "tests/views/report_tools.h"
#include "views/report/drawing.h"
#include "views/report/html.h"
#include "views/report/render.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

namespace tst_report_html {

using namespace alidade;
using namespace alidade::views;
using alidade::tests::runTool;
using alidade::tests::simplified;

namespace {

const data::ReportContext context{"9.8.7", "2026-11-20"};

QString htmlOf(const Estimate& e) {
    const std::vector<data::ReportInput> inputs{
        {&e, sample::suggestions(), R"({"name": "</pre><script>x</script>"})", "x"}};
    return QString::fromUtf8(reportHtml(data::buildReport(inputs, context)));
}

/// The text of a page as a reader sees it, and its attributes; empty if it is not well-formed.
QString textOf(const QString& html, QStringList* attributes = nullptr) {
    QXmlStreamReader reader(html);
    QString text;
    while (!reader.atEnd()) {
        const auto token = reader.readNext();
        if (token == QXmlStreamReader::Characters)
            text += reader.text() + u' ';
        if (token == QXmlStreamReader::StartElement && attributes)
            for (const auto& attribute : reader.attributes())
                *attributes << attribute.qualifiedName() + u'=' + attribute.value();
    }
    return reader.hasError() ? QString() : simplified(text);
}

} // namespace

class TestReportHtml : public QObject {
    Q_OBJECT

private slots:
    void saysEverythingInTheReport() {
        const Estimate e = sample::estimate();
        const data::Report report = data::buildReport(e, sample::suggestions(), context);
        const QString text = textOf(htmlOf(e));
        QVERIFY(!text.isEmpty());
        for (const auto& sentence : report.answer)
            for (const auto& run : sentence)
                QVERIFY2(text.contains(QString::fromStdString(run.text).trimmed()), run.text.c_str());
        for (const auto& section : report.sections) {
            QVERIFY(text.contains(QString::fromStdString(section.title)));
            for (const auto& table : section.tables)
                for (const auto& row : table.rows)
                    for (const auto& cell : row)
                        QVERIFY2(text.contains(simplified(QString::fromStdString(cell.text))),
                                 cell.text.c_str());
        }
        QVERIFY(text.contains(QStringLiteral("catalog 2026-11-20, calibration default")));
    }

    void isWellFormed() {
        QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("report.html"));
        const data::Report report = data::buildReport(sample::estimate(), sample::suggestions(), context);
        QVERIFY(writeReport(report, path));
        const auto xml = runTool(QStringLiteral("xmllint"), {QStringLiteral("--noout"), path});
        QVERIFY2(xml.exitCode == 0 && xml.output.isEmpty(), qPrintable(xml.output));
        const auto html =
            runTool(QStringLiteral("xmllint"), {QStringLiteral("--html"), QStringLiteral("--noout"), path});
        QCOMPARE(html.exitCode, 0);
        // it knows HTML 4, which has no drawings; nothing else may be wrong
        for (const QString& line : html.output.split(u'\n'))
            if (line.contains(QStringLiteral("error")))
                QVERIFY2(line.contains(QRegularExpression(QStringLiteral(
                             "Tag (svg|rect|path|g|circle|polyline|polygon|text|defs|pattern) invalid"))),
                         qPrintable(line));
    }

    void needsNothingElse() {
        QStringList attributes;
        const QString html = htmlOf(sample::estimate());
        QVERIFY(!textOf(html, &attributes).isEmpty());
        QVERIFY(!html.contains(QStringLiteral("<script"), Qt::CaseInsensitive));
        QVERIFY(!html.contains(QStringLiteral("@import")));
        for (const QString& attribute : attributes) {
            QVERIFY2(!attribute.startsWith(QStringLiteral("src=")) &&
                         !attribute.startsWith(QStringLiteral("href=")) &&
                         !attribute.startsWith(QStringLiteral("on")),
                     qPrintable(attribute));
            if (attribute.contains(QStringLiteral("url(")))
                QVERIFY2(attribute.contains(QStringLiteral("url(#")), qPrintable(attribute));
        }
    }

    void escapesNames_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("script") << QStringLiteral("<script>alert(1)</script>");
        QTest::newRow("attribute") << QStringLiteral("\" onload='x' a=\"");
        QTest::newRow("ampersand") << QStringLiteral("A & B &amp; C");
        QTest::newRow("comment") << QStringLiteral("--><!--");
        QTest::newRow("cdata") << QStringLiteral("]]>");
        QTest::newRow("signs") << QStringLiteral("Δ 模型 🚀");
    }
    void escapesNames() {
        QFETCH(QString, name);
        Estimate e = sample::estimate();
        const std::string text = name.toStdString();
        e.scenario.name = text;
        e.modelName = e.clusterName = text;
        e.problems[0].message = text;
        e.memory->parts[0].name = text;
        e.training->layers[1].ops[1].name = text;
        e.assumptions[0].source = text;
        e.cost->lines[0].name = text;
        const QString html = htmlOf(e);
        const QString page = textOf(html);
        QVERIFY(!page.isEmpty()); // still well-formed
        QVERIFY2(page.contains(simplified(name)), qPrintable(name));
        QVERIFY(!html.contains(QStringLiteral("<script")));
        QVERIFY(!html.contains(QStringLiteral("\" onload='x'")));
    }

    void controlCharactersDoNotBreakIt() {
        Estimate e = sample::estimate();
        e.scenario.name = std::string("a\x01\x1F b\xFF");
        QVERIFY(!textOf(htmlOf(e)).isEmpty());
        QCOMPARE(escaped(QString(QChar(0xD800)) + QChar(u'x')),
                 QString(QChar(QChar::ReplacementCharacter)) + QChar(u'x'));
        QCOMPARE(escaped(QStringLiteral("🚀")), QStringLiteral("🚀"));
    }

    void plotsHaveTextAndTheirOwnPatterns() {
        const QString html = htmlOf(sample::estimate());
        static const QRegularExpression svg(QStringLiteral("<svg.*?</svg>"),
                                            QRegularExpression::DotMatchesEverythingOption);
        int plots = 0;
        QSet<QString> ids;
        auto matches = svg.globalMatch(html);
        while (matches.hasNext()) {
            const QString element = matches.next().captured();
            if (!element.contains(QStringLiteral("role=\"img\"")))
                continue; // the icon
            ++plots;
            QVERIFY(element.contains(QStringLiteral("<text")));
            QVERIFY(element.contains(QStringLiteral("aria-label=\"")));
            static const QRegularExpression id(QStringLiteral(" id=\"([^\"]*)\"")),
                use(QStringLiteral("url\\(#([^)]*)\\)"));
            QSet<QString> own;
            for (auto found = id.globalMatch(element); found.hasNext();) {
                const QString name = found.next().captured(1);
                QVERIFY2(!ids.contains(name), qPrintable(name));
                own << name;
            }
            for (auto found = use.globalMatch(element); found.hasNext();)
                QVERIFY(own.contains(found.next().captured(1)));
            ids += own;
        }
        QCOMPARE(plots, 4);
    }

    void comparison() {
        const Estimate a = sample::estimate(), b = sample::estimateThatDoesNotRun();
        const std::vector<data::ReportInput> inputs{{&a, {}, "{}", "a"}, {&b, {}, "{}", "b"}};
        const QString text = textOf(QString::fromUtf8(reportHtml(data::buildReport(inputs, context))));
        QVERIFY(text.contains(QStringLiteral("Comparison of 2 scenarios")));
        QVERIFY(text.contains(QStringLiteral("This cannot run.")));
    }
};

QTEST_MAIN(TestReportHtml)

} // namespace tst_report_html

#include "tst_report_html.moc"
