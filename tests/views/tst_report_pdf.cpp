// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: alone
#include "data/scenario/scenario_json.h"
#include "tests/data/sample_estimate.h"
#include "tests/views/report_tools.h"
#include "views/report/render.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace alidade;
using namespace alidade::views;
using alidade::tests::runTool;
using alidade::tests::simplified;

namespace {

const data::ReportContext context{"9.8.7", "2026-11-20"};

data::Report reportOf(const Estimate& e) {
    const std::vector<data::ReportInput> inputs{
        {&e, sample::suggestions(), data::writeScenario(e.scenario), "llama-3.1-405b-2048xp5.48xlarge"}};
    return data::buildReport(inputs, context);
}

/// Everything that a page must say: the texts of the answer and of all tables.
QStringList textsOf(const data::Report& report) {
    QStringList texts{QString::fromStdString(report.title)};
    for (const auto& k : report.keyFigures)
        texts << QString::fromStdString(k.question) << QString::fromStdString(k.value)
              << QString::fromStdString(k.detail);
    for (const auto& section : report.sections) {
        texts << QString::fromStdString(section.title);
        for (const auto& table : section.tables)
            for (const auto& row : table.rows)
                for (const auto& cell : row)
                    texts << QString::fromStdString(cell.text);
    }
    return texts;
}

QStringList wordsOf(const QString& text) { return simplified(text).split(u' ', Qt::SkipEmptyParts); }

/// Limits the size of files that this process writes, as a full disk does; lifts the limit at its end.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SmallDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    rlimit before_{};
};

} // namespace

class TestReportPdf : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;
    QString pdf_;

    QString path(const char* name) const { return dir_.filePath(QString::fromLatin1(name)); }

    QString textOf(const QString& pdf) const {
        const auto run = runTool(QStringLiteral("pdftotext"),
                                 {QStringLiteral("-enc"), QStringLiteral("UTF-8"), pdf, QStringLiteral("-")});
        return run.exitCode == 0 ? run.output : QString();
    }
    QString infoOf(const QString& pdf) const { return runTool(QStringLiteral("pdfinfo"), {pdf}).output; }
    int pagesOf(const QString& pdf) const {
        const QString info = infoOf(pdf);
        const qsizetype at = info.indexOf(QStringLiteral("Pages:"));
        return at < 0 ? 0 : simplified(info.mid(at + 6, 20)).section(u' ', 0, 0).toInt();
    }

private slots:
    void initTestCase() {
        QVERIFY(dir_.isValid());
        pdf_ = path("report.pdf");
        const auto written = writeReport(reportOf(sample::estimate()), pdf_);
        QVERIFY2(written, written.error().c_str());
        QCOMPARE(*written, QFile(pdf_).size());
    }

    void saysEverythingInTheReport() {
        const QStringList printed = wordsOf(textOf(pdf_));
        QVERIFY(printed.size() > 500);
        const QSet<QString> words(printed.begin(), printed.end());
        for (const QString& text : textsOf(reportOf(sample::estimate())))
            for (const QString& word : wordsOf(text))
                QVERIFY2(words.contains(word), qPrintable(word + QStringLiteral(" of: ") + text));
    }

    void figuresAreWholeInTheText() {
        const Estimate e = sample::estimate();
        const QString text = simplified(textOf(pdf_));
        for (const data::Sentence& sentence : reportOf(e).answer)
            QVERIFY2(text.contains(QString::fromStdString(data::plainText(sentence))),
                     data::plainText(sentence).c_str());
    }

    void numbersItsPages() {
        const int pages = pagesOf(pdf_);
        QVERIFY(pages >= 5 && pages <= 12);
        const QStringList texts = textOf(pdf_).split(u'\f');
        for (int page = 0; page < pages; ++page) {
            const QString text = simplified(texts[page]);
            const QString number = QStringLiteral("%1 of %2").arg(page + 1).arg(pages);
            QVERIFY2(text.contains(number), qPrintable(number));
            QVERIFY(text.contains(QStringLiteral("Alidade 9.8.7, catalog 2026-11-20, calibration default")));
        }
    }

    void answersOnTheFirstPage() {
        const QStringList lines = textOf(pdf_).section(u'\f', 0, 0).split(u'\n');
        for (const data::ReportSection& section : reportOf(sample::estimate()).sections)
            QVERIFY2(lines.contains(QString::fromStdString(section.title)) == section.firstPage,
                     section.title.c_str());
    }

    void repeatsTableHeads() {
        Estimate e = sample::estimate();
        for (int i = 0; i < 6; ++i)
            e.assumptions.insert(e.assumptions.end(), e.assumptions.begin(), e.assumptions.begin() + 10);
        const QString pdf = path("long.pdf");
        QVERIFY(writeReport(reportOf(e), pdf));
        int pages = 0, heads = 0;
        for (const QString& page : textOf(pdf).split(u'\f')) {
            const bool has = page.contains(QStringLiteral("engineering judgment"));
            pages += has ? 1 : 0;
            heads += has && page.contains(QStringLiteral("Source")) && page.contains(QStringLiteral("Kind"))
                         ? 1
                         : 0;
        }
        QVERIFY(pages >= 2);
        QCOMPARE(heads, pages);
    }

    void noNearlyEmptyPage() {
        const auto run = runTool(QStringLiteral("pdftoppm"),
                                 {QStringLiteral("-r"), QStringLiteral("24"), QStringLiteral("-gray"),
                                  QStringLiteral("-png"), pdf_, path("page")});
        QCOMPARE(run.exitCode, 0);
        const QStringList files = QDir(dir_.path()).entryList({QStringLiteral("page*.png")});
        QCOMPARE(files.size(), qsizetype(pagesOf(pdf_)));
        for (const QString& file : files) {
            const QImage page(dir_.filePath(file));
            double light = 0;
            int lastInk = 0; // above the footer
            for (int y = 0; y < page.height(); ++y)
                for (int x = 0; x < page.width(); ++x) {
                    const int gray = qGray(page.pixel(x, y));
                    light += gray / 255.0;
                    if (gray < 128 && y < page.height() * 0.93)
                        lastInk = y;
                }
            light /= double(page.width()) * page.height();
            QVERIFY2(light > 0.85, qPrintable(file + QString::number(light)));
            QVERIFY2(lastInk > page.height() * 0.25, qPrintable(file));
        }
    }

    void isSoundAndAllVector() {
        const auto check = runTool(QStringLiteral("qpdf"), {QStringLiteral("--check"), pdf_});
        QVERIFY2(check.exitCode == 0, qPrintable(check.output));
        const auto images = runTool(QStringLiteral("pdfimages"), {QStringLiteral("-list"), pdf_});
        QCOMPARE(images.exitCode, 0);
        QCOMPARE(images.output.trimmed().count(u'\n'), 1); // the head of the list and its line
    }

    /// Tags that a screen reader follows: titles in the order of the outline, tables with their rows, figures
    /// with what they show.
    void isTagged() {
        const QString info = infoOf(pdf_);
        QVERIFY2(info.contains(QRegularExpression(QStringLiteral("Tagged: *yes"))), qPrintable(info));
        const QString tree =
            runTool(QStringLiteral("pdfinfo"), {QStringLiteral("-struct-text"), pdf_}).output;
        const data::Report report = reportOf(sample::estimate());
        const QStringList lines = tree.split(u'\n');
        QVERIFY(lines.value(0).startsWith(QStringLiteral("Document")));
        // The lines of an element: those that are indented more.
        const auto indent = [](const QString& line) {
            qsizetype i = 0;
            while (i < line.size() && line[i] == u' ')
                ++i;
            return i;
        };
        const auto textUnder = [&](qsizetype line) {
            QString text;
            for (qsizetype i = line + 1; i < lines.size() && indent(lines[i]) > indent(lines[line]); ++i) {
                const QString part = lines[i].trimmed();
                if (part.startsWith(u'"'))
                    text += part.mid(1, part.size() - 2);
            }
            return simplified(text);
        };
        QStringList titles, expected{QString::fromStdString(report.title)};
        qsizetype tables = 0, rows = 0, figures = 0, heads = 0;
        for (qsizetype i = 0; i < lines.size(); ++i) {
            const QString what = lines[i].trimmed();
            if (what.startsWith(QStringLiteral("H1")) || what.startsWith(QStringLiteral("H2")))
                titles << textUnder(i);
            heads += what.startsWith(QStringLiteral("TH")) ? 1 : 0;
            rows += what.startsWith(QStringLiteral("TR")) ? 1 : 0;
            figures += what.startsWith(QStringLiteral("Figure")) ? 1 : 0;
            if (what.startsWith(QStringLiteral("Table"))) {
                ++tables;
                QVERIFY2(lines.value(i + 1).trimmed().startsWith(QStringLiteral("TR")), qPrintable(what));
            }
        }
        qsizetype allTables = 0, allRows = 0, allFigures = 0, allHeads = 0;
        for (const data::ReportSection& section : report.sections) {
            expected << simplified(QString::fromStdString(section.title));
            allFigures += qsizetype(section.plots.size());
            for (const data::Table& table : section.tables) {
                allTables += table.rows.empty() ? 0 : 1;
                allRows += table.rows.empty() ? 0 : qsizetype(table.rows.size()) + 1;
                allHeads += table.rows.empty() ? 0 : qsizetype(table.columns.size());
            }
        }
        QCOMPARE(titles, expected);
        QCOMPARE(tables, allTables);
        QCOMPARE(rows, allRows); // a head that is repeated on a page is said once
        QCOMPARE(heads, allHeads);
        QCOMPARE(figures, allFigures);
        QVERIFY(figures > 0);
        for (const data::ReportSection& section : report.sections) {
            for (const data::Table& table : section.tables)
                for (const auto& row : table.rows)
                    for (const auto& cell : row)
                        QVERIFY2(simplified(tree).contains(
                                     simplified(QString::fromStdString(cell.text)).section(u' ', 0, 0)),
                                 cell.text.c_str());
        }
    }

    /// The objects themselves, as qpdf reads them.
    void structureIsComplete() {
        const auto run = runTool(QStringLiteral("qpdf"),
                                 {QStringLiteral("--json=1"), QStringLiteral("--json-key=objects"), pdf_});
        QVERIFY(run.exitCode == 0);
        const QJsonObject objects =
            QJsonDocument::fromJson(run.output.toUtf8()).object().value(QStringLiteral("objects")).toObject();
        const auto at = [&](const QJsonValue& reference) {
            return objects.value(reference.toString()).toObject();
        };
        const QJsonObject trailer = objects.value(QStringLiteral("trailer")).toObject();
        const QJsonObject root = at(trailer.value(QStringLiteral("/Root")));
        QCOMPARE(root.value(QStringLiteral("/Lang")).toString(), QStringLiteral("en-US"));
        QVERIFY(root.value(QStringLiteral("/ViewerPreferences"))
                    .toObject()
                    .value(QStringLiteral("/DisplayDocTitle"))
                    .toBool());
        QVERIFY(root.value(QStringLiteral("/MarkInfo")).toObject().value(QStringLiteral("/Marked")).toBool());
        const QJsonObject tree = at(root.value(QStringLiteral("/StructTreeRoot")));
        const QJsonArray parents =
            at(tree.value(QStringLiteral("/ParentTree"))).value(QStringLiteral("/Nums")).toArray();
        QCOMPARE(parents.size(), 2 * pagesOf(pdf_));
        qsizetype leaves = 0, reached = 0;
        for (qsizetype i = 1; i < parents.size(); i += 2) {
            const QJsonArray ofPage = parents[i].toArray();
            leaves += ofPage.size();
            for (qsizetype n = 0; n < ofPage.size(); ++n)
                QCOMPARE(at(ofPage[n]).value(QStringLiteral("/K")).toInt(-1), int(n));
        }
        QList<QJsonObject> open{at(tree.value(QStringLiteral("/K")))};
        while (!open.isEmpty()) {
            const QJsonObject each = open.takeLast();
            const QString type = each.value(QStringLiteral("/S")).toString();
            if (type == QStringLiteral("/Figure"))
                QVERIFY(each.value(QStringLiteral("/Alt")).toString().size() > 10);
            const QJsonValue kids = each.value(QStringLiteral("/K"));
            reached += kids.isArray() ? 0 : 1;
            for (const QJsonValue& kid : kids.toArray())
                open.append(at(kid));
            if (type == QStringLiteral("/Table") || type == QStringLiteral("/TR"))
                QVERIFY(!kids.toArray().isEmpty());
        }
        QCOMPARE(reached, leaves);
        QVERIFY(leaves > 300);
    }

    void sameReportSameBytes() {
        const auto bytes = [](const QString& file) {
            QFile f(file);
            return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
        };
        QTest::qWait(1'100); // in another second
        const QString again = path("again.pdf");
        QVERIFY(writeReport(reportOf(sample::estimate()), again));
        QVERIFY(bytes(again) == bytes(pdf_));
        QVERIFY(bytes(pdf_).contains("D:20261120000000"));
    }

    void embedsItsFonts() {
        const auto fonts = runTool(QStringLiteral("pdffonts"), {pdf_});
        QStringList lines = fonts.output.trimmed().split(u'\n').mid(2);
        QVERIFY(!lines.isEmpty());
        for (const QString& line : lines) {
            QVERIFY2(line.contains(QStringLiteral("Roboto")), qPrintable(line));
            QVERIFY2(line.contains(QStringLiteral(" yes ")), qPrintable(line));
        }
    }

    void darkThemeMakesNoDifference() {
        const QPalette before = QApplication::palette();
        QApplication::setPalette(Theme::dark().palette());
        const QString pdf = path("dark.pdf");
        const auto written = writeReport(reportOf(sample::estimate()), pdf);
        QApplication::setPalette(before);
        QVERIFY(written);
        QCOMPARE(textOf(pdf), textOf(pdf_));
        for (const QString& file : {pdf, pdf_})
            QCOMPARE(runTool(QStringLiteral("pdftoppm"),
                             {QStringLiteral("-r"), QStringLiteral("30"), QStringLiteral("-l"),
                              QStringLiteral("1"), QStringLiteral("-singlefile"), QStringLiteral("-png"),
                              file, file})
                         .exitCode,
                     0);
        QCOMPARE(QImage(pdf + QStringLiteral(".png")), QImage(pdf_ + QStringLiteral(".png")));
    }

    void carriesItsScenario() {
        const QString file = path("scenario.json");
        const auto run = runTool(QStringLiteral("pdfdetach"), {QStringLiteral("-save"), QStringLiteral("1"),
                                                               QStringLiteral("-o"), file, pdf_});
        QVERIFY2(run.exitCode == 0, qPrintable(run.output));
        QVERIFY(runTool(QStringLiteral("pdfdetach"), {QStringLiteral("-list"), pdf_})
                    .output.contains(QStringLiteral("llama-3.1-405b-2048xp5.48xlarge.json")));
        QFile json(file);
        QVERIFY(json.open(QIODevice::ReadOnly));
        const std::string text = json.readAll().toStdString();
        const auto spec = data::readScenario(text, "attached");
        QVERIFY2(spec, spec.error().c_str());
        QCOMPARE(data::writeScenario(*spec), data::writeScenario(sample::scenario()));
    }

    void knowsLetter() {
        const QString pdf = path("letter.pdf");
        QVERIFY(writeReport(reportOf(sample::estimate()), pdf, Paper::letter));
        QVERIFY2(infoOf(pdf).contains(QStringLiteral("612 x 792")), qPrintable(infoOf(pdf)));
        QVERIFY(infoOf(pdf_).contains(QStringLiteral("A4")));
        const QStringList lines =
            textOf(pdf).section(u'\f', 0, 0).split(u'\n'); // shorter, but the answer fits on it
        for (const data::ReportSection& section : reportOf(sample::estimate()).sections)
            QVERIFY2(lines.contains(QString::fromStdString(section.title)) == section.firstPage,
                     section.title.c_str());
        QCOMPARE(paperNamed(QStringLiteral("letter")), std::optional(Paper::letter));
        QVERIFY(!paperNamed(QStringLiteral("A5")));
    }

    void failuresAreReportedToo() {
        for (const Estimate& e : {sample::estimateThatDoesNotFit(), sample::estimateThatDoesNotRun()}) {
            const QString pdf = path("failing.pdf");
            QVERIFY(writeReport(data::buildReport(e, {}, context), pdf));
            const QString first = simplified(textOf(pdf).section(u'\f', 0, 0));
            QVERIFY2(first.contains(e.runs ? QStringLiteral("This does not fit in memory.")
                                           : QStringLiteral("This cannot run.")),
                     qPrintable(first));
            QVERIFY(first.contains(QStringLiteral("set tensor parallel to 8.")));
        }
    }

    void severalScenarios() {
        const Estimate a = sample::estimate(), b = sample::estimateThatDoesNotFit();
        const std::vector<data::ReportInput> inputs{{&a, {}, "{}", "first"}, {&b, {}, "{}", "second"}};
        const QString pdf = path("several.pdf");
        QVERIFY(writeReport(data::buildReport(inputs, context), pdf));
        const QStringList pages = textOf(pdf).split(u'\f');
        QVERIFY(pages[0].contains(QStringLiteral("Comparison of 2 scenarios")));
        const QString list = runTool(QStringLiteral("pdfdetach"), {QStringLiteral("-list"), pdf}).output;
        QVERIFY(list.contains(QStringLiteral("first.json")) && list.contains(QStringLiteral("second.json")));
    }

    void refusesWhatItCannotWrite_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("part");
        QTest::newRow("suffix") << QStringLiteral("x.docx")
                                << QStringLiteral(".docx is not known; a report is written as "
                                                  ".pdf, .html, .xlsx, .csv, .json");
        QTest::newRow("no suffix") << QStringLiteral("report") << QStringLiteral("there is no suffix");
        QTest::newRow("no folder") << QStringLiteral("none/x.pdf") << QStringLiteral("cannot be written: ");
        QTest::newRow("a folder") << QStringLiteral("folder.csv") << QStringLiteral("cannot be written: ");
    }
    void refusesWhatItCannotWrite() {
        QFETCH(QString, name);
        QFETCH(QString, part);
        QDir(dir_.path()).mkdir(QStringLiteral("folder.csv"));
        const auto written = writeReport(reportOf(sample::estimate()), dir_.filePath(name));
        QVERIFY(!written);
        QVERIFY2(QString::fromStdString(written.error()).contains(part), written.error().c_str());
    }

    void aFullDiskLeavesTheOldFile_data() {
        QTest::addColumn<QString>("name");
        for (const char* suffix : {"pdf", "html", "csv", "json"})
            QTest::newRow(suffix) << QStringLiteral("old.") + QString::fromLatin1(suffix);
    }
    void aFullDiskLeavesTheOldFile() {
        QFETCH(QString, name);
        QFile old(dir_.filePath(name));
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        std::string error;
        {
            const SmallDisk disk(4096);
            error = writeReport(reportOf(sample::estimate()), old.fileName()).error();
        }
        QVERIFY2(QString::fromStdString(error).contains(QStringLiteral("exceeds the file size limit")),
                 error.c_str());
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), QByteArray("old"));
        const QStringList left =
            QDir(dir_.path()).entryList({name + QStringLiteral("*")}, QDir::Files | QDir::Hidden);
        QCOMPARE(left, QStringList(name)); // no half-written file next to it
    }

    void noFontsNoBoxes() {
        QFile config(path("fonts.conf"));
        QVERIFY(config.open(QIODevice::WriteOnly));
        config.write("<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig/>");
        config.close();
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FONTCONFIG_FILE"), config.fileName());
        environment.insert(QStringLiteral("ALIDADE_WRITE_TO"), path("boxes.pdf"));
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        child.setProcessEnvironment(environment);
        child.start(QCoreApplication::applicationFilePath(), QStringList());
        QVERIFY(child.waitForFinished(30'000));
        const QString output = QString::fromUtf8(child.readAllStandardOutput());
        QVERIFY2(output.startsWith(QStringLiteral("no font is installed")), qPrintable(output));
        QVERIFY2(output.contains(QStringLiteral("fonts-roboto-unhinted")), qPrintable(output));
        QVERIFY(!QFile::exists(path("boxes.pdf")));
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (qEnvironmentVariableIsSet("ALIDADE_WRITE_TO")) { // the child of noFontsNoBoxes
        const auto written =
            writeReport(reportOf(sample::estimate()), qEnvironmentVariable("ALIDADE_WRITE_TO"));
        std::fputs(written.error().c_str(), stdout);
        return written ? 0 : 1;
    }
    TestReportPdf test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_report_pdf.moc"
