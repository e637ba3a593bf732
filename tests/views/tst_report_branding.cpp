// SPDX-License-Identifier: GPL-3.0-or-later
// Whose document a report is: logo, names and paper, in HTML and PDF; contents and outline of the PDF.
#include "data/scenario/scenario_json.h"
#include "tests/data/sample_estimate.h"
#include "tests/views/drive.h"
#include "tests/views/report_tools.h"
#include "views/report/html.h"
#include "views/report/logo.h"
#include "views/report/pdf.h"
#include "views/report/pdf_outline.h"
#include "views/report/report_pages.h"
#include "views/report/report_preview.h"

#include <QApplication>
#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <atomic>
#include <future>

namespace tst_report_branding {

using namespace alidade;
using namespace alidade::views;
using alidade::tests::runTool;

namespace {

QByteArray pngOf(int width, int height) {
    QImage image(width, height, QImage::Format_RGB32);
    image.fill(QColor(0, 90, 200));
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "png");
    return bytes;
}

QByteArray svgOf(const QByteArray& inner) {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
           "viewBox=\"0 0 60 20\">" +
           inner + "</svg>";
}

/// A document in parts: the money of an order, and more sections than the first page.
data::Report reportOf(const data::Branding& branding) {
    const Estimate e = sample::estimate();
    const std::vector<data::ReportInput> inputs{
        {&e, sample::suggestions(), data::writeScenario(e.scenario), "plan"}};
    data::Report report =
        data::buildReport(inputs, {.programVersion = "9.8.7", .date = "2026-11-20", .branding = branding});
    for (data::ReportSection& section : report.sections)
        if (section.id == "figures")
            section.beginsPart = true;
    return report;
}

/// Without what a PDF says of the moment it was written.
QByteArray timeless(QByteArray pdf) {
    static const QRegularExpression moment(QStringLiteral("/CreationDate \\(D:[^)]*\\)|/ModDate\\([^)]*\\)"));
    QString text = QString::fromLatin1(pdf);
    return text.remove(moment).toLatin1();
}

} // namespace

class TestReportBranding : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    QString written(const char* name, const QByteArray& bytes) const {
        QFile file(dir_.filePath(QString::fromLatin1(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }

private slots:
    void logosAreRead() {
        const auto png = logoOf(pngOf(300, 100));
        QVERIFY(static_cast<bool>(png));
        QCOMPARE(png->kind, data::LogoKind::png);
        QCOMPARE(logoSize(*png, {150, 26}), QSizeF(78, 26));
        const auto svg = readLogo(written("logo.svg", svgOf("<rect width=\"60\" height=\"20\"/>")));
        QVERIFY(static_cast<bool>(svg));
        QCOMPARE(svg->kind, data::LogoKind::svg);
        QCOMPARE(svg->width, 60.0);
        QVERIFY(static_cast<bool>(logoOf(svgOf("<use xlink:href=\"#a\"/>"))));
    }

    void whatIsNoLogoIsRefused_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("why");
        const QString no = QStringLiteral("not a readable picture");
        const QString outside = QStringLiteral("scripts or refers");
        QTest::newRow("empty") << QByteArray() << no;
        QTest::newRow("text") << QByteArray("hello") << no;
        QTest::newRow("other XML") << QByteArray("<html><body/></html>") << no;
        QTest::newRow("torn PNG") << pngOf(64, 64).left(60) << no;
        QTest::newRow("torn SVG") << svgOf("").chopped(4) << no;
        QTest::newRow("no size") << QByteArray("<svg xmlns=\"http://www.w3.org/2000/svg\"/>") << no;
        QTest::newRow("large file") << QByteArray(1024 * 1024 + 1, ' ') << QStringLiteral("1 MiB");
        QTest::newRow("many pixels") << pngOf(4097, 2) << QStringLiteral("4,096");
        QTest::newRow("script") << svgOf("<script>alert(1)</script>") << outside;
        QTest::newRow("handler") << svgOf("<rect onclick=\"a()\"/>") << outside;
        QTest::newRow("file") << svgOf("<image xlink:href=\"file:///etc/passwd\"/>") << outside;
        QTest::newRow("network") << svgOf("<use href=\"https://example.com/a.svg#b\"/>") << outside;
        QTest::newRow("style") << svgOf("<rect style=\"fill:url(http://example.com/x)\"/>") << outside;
        QTest::newRow("entity") << QByteArray("<!DOCTYPE svg [<!ENTITY a \"b\">]>") + svgOf("")
                                << QStringLiteral("entities");
    }
    void whatIsNoLogoIsRefused() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, why);
        const auto logo = logoOf(bytes);
        QVERIFY(!logo);
        QVERIFY2(QString::fromStdString(logo.error()).contains(why), logo.error().c_str());
    }

    void aMissingFileIsSaid() {
        const auto logo = readLogo(dir_.filePath(QStringLiteral("nowhere.png")));
        QVERIFY(!logo && !logo.error().empty());
    }

    void htmlHoldsNamesAsText_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("script") << QStringLiteral("<script>alert(1)</script>");
        QTest::newRow("attribute") << QStringLiteral("\" onload=\"alert(1)");
        QTest::newRow("formula") << QStringLiteral("=cmd|' /C calc'!A0");
        QTest::newRow("lines") << QStringLiteral("a\nb\r\n<b>c</b>");
    }
    void htmlHoldsNamesAsText() {
        QFETCH(QString, name);
        const std::string line = data::brandingText(name.toStdString());
        const data::Report report = reportOf({.organization = line,
                                              .title = line,
                                              .author = line,
                                              .confidentiality = line,
                                              .logo = *logoOf(pngOf(30, 10))});
        const QByteArray html = reportHtml(report);
        QVERIFY(!html.contains("<script"));
        QXmlStreamReader xml(html);
        QString texts;
        bool picture = false;
        while (!xml.atEnd()) {
            xml.readNext();
            texts += xml.text();
            if (!xml.isStartElement())
                continue;
            for (const QXmlStreamAttribute& each : xml.attributes())
                QVERIFY(!each.name().startsWith(u"on"));
            if (xml.name() == u"img")
                picture = xml.attributes().value(QStringLiteral("src")).startsWith(u"data:image/png;base64,");
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(texts.contains(QString::fromStdString(line)));
        QVERIFY(picture);
        QVERIFY(reportHtml(report, Paper::letter).contains("size: letter"));
        QVERIFY(html.contains("size: A4"));
    }

    void pdfCarriesNamesOutlineAndContents() {
        const data::Branding branding{.organization = "Northwind AI",
                                      .author = "J\u00e4ne (\\)",
                                      .confidentiality = "Strictly confidential",
                                      .logo = *logoOf(svgOf("<rect width=\"60\" height=\"20\"/>"))};
        const data::Report report = reportOf(branding);
        for (const Paper paper : {Paper::a4, Paper::letter}) {
            const QString file = written("report.pdf", reportPdf(report, paper));
            QCOMPARE(runTool(QStringLiteral("qpdf"), {QStringLiteral("--check"), file}).exitCode, 0);
            const QString info = runTool(QStringLiteral("pdfinfo"), {file}).output;
            QVERIFY2(info.contains(QStringLiteral("J\u00e4ne (\\)")), qPrintable(info));
            const QString text =
                runTool(QStringLiteral("pdftotext"), {QStringLiteral("-layout"), file, QStringLiteral("-")})
                    .output;
            const QStringList pages = text.split(u'\f', Qt::SkipEmptyParts);
            QVERIFY(pages[0].contains(QStringLiteral("Northwind AI")));
            for (const QString& page : pages)
                QVERIFY(page.contains(QStringLiteral("Strictly confidential")));

            // The contents name the page on which each section begins.
            const ReportPages laid(report, paper);
            QCOMPARE(std::size_t(pages.size()), laid.count());
            QVERIFY(laid.headings().size() > 5);
            for (const PageHeading& heading : laid.headings())
                QVERIFY2(pages[qsizetype(heading.page)].contains(heading.title), qPrintable(heading.title));
            const auto contents = std::ranges::find_if(
                pages, [](const QString& page) { return page.contains(QStringLiteral("Contents")); });
            QVERIFY(contents != pages.end());
            const PageHeading& last = laid.headings().back();
            const QRegularExpression line(QRegularExpression::escape(last.title) +
                                          QStringLiteral("\\s+%1\\b").arg(last.page + 1));
            QVERIFY2(contents->contains(line), qPrintable(*contents));
            const QString outline =
                runTool(QStringLiteral("qpdf"),
                        {QStringLiteral("--json"), QStringLiteral("--json-key=outlines"), file})
                    .output;
            QVERIFY(outline.contains(last.title));
        }
    }

    void anOutlineNeedsNothingButAPlainPdf() {
        for (const QByteArray& other : {QByteArray("no PDF"), QByteArray()}) {
            const PdfUpdate update(other);
            QVERIFY(!update.good());
            QCOMPARE(update.written(), other);
        }
    }

    void sameReportSameBytes() {
        const data::Report report = reportOf({.organization = "A", .logo = *logoOf(pngOf(30, 10))});
        QCOMPARE(reportHtml(report), reportHtml(report));
        QCOMPARE(timeless(reportPdf(report, Paper::a4)), timeless(reportPdf(report, Paper::a4)));
    }

    void aPdfHoldsItsLogoOnce() {
        const auto pictures = [](const data::Branding& branding) {
            return reportPdf(reportOf(branding), Paper::a4).count("/Subtype /Image");
        };
        const data::Branding branded{.logo = *logoOf(pngOf(30, 10))};
        QVERIFY(ReportPages(reportOf(branded), Paper::a4).count() > 1);
        QCOMPARE(pictures(branded), pictures({}) + 1);
    }

    /// While one report is being made, only the latest of those asked for meanwhile follows.
    void previewDropsWhatIsSuperseded() {
        ReportPreview preview;
        present(preview, {700, 600});
        std::atomic<int> made = 0;
        std::promise<void> go;
        const auto show = [&](const std::shared_future<void>& begin) {
            preview.show(
                [&made, begin, report = reportOf({})] {
                    ++made;
                    if (begin.valid())
                        begin.wait();
                    return report;
                },
                Paper::a4);
        };
        show(go.get_future().share());
        QTRY_COMPARE(made.load(), 1);
        for (int i = 0; i < 5; ++i)
            show({});
        settle();
        QCOMPARE(made.load(), 1);
        go.set_value();
        QTRY_VERIFY_WITH_TIMEOUT(preview.isSettled(), 60'000);
        QCOMPARE(made.load(), 2);
        QCOMPARE(preview.pageCount(), static_cast<int>(ReportPages(reportOf({}), Paper::a4).count()));
    }

    void previewPaintsThePages() {
        const ReportPages pages(reportOf({}), Paper::letter);
        QCOMPARE(pages.size(), QSizeF(816, 1056)); // 8.5 x 11 in at 96 px
        QImage image(pages.size().toSize(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        pages.paint(painter, 0);
        painter.end();
        int ink = 0;
        for (int y = 0; y < image.height(); y += 2)
            for (int x = 0; x < image.width(); x += 2)
                ink += qGray(image.pixel(x, y)) < 128 ? 1 : 0;
        QVERIFY(ink > 500);
    }
};

QTEST_MAIN(TestReportBranding)

} // namespace tst_report_branding

#include "tst_report_branding.moc"
