// SPDX-License-Identifier: GPL-3.0-or-later
// German numbers and days in the texts of a report, and what must not be taken for a number.
#include "data/report/number_style.h"
#include "data/report/printing.h"
#include "data/report/writers.h"

#include <QTest>

namespace tst_number_style {

using namespace alidade;
using namespace alidade::data;

class TestNumberStyle : public QObject {
    Q_OBJECT

private slots:
    void germanTexts_data() {
        QTest::addColumn<QByteArray>("english");
        QTest::addColumn<QByteArray>("german");
        const auto same = [](const char* text) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(text);
        };
        const auto row = [](const char* english, const char* german) {
            QTest::newRow(english) << QByteArray(english) << QByteArray(german);
        };
        row("$1,234,567.89", "$1.234.567,89");
        row("1,024 GPUs take 42.8 days.", "1.024 GPUs take 42,8 days.");
        row("67.4 – 82.8 days", "67,4 – 82,8 days");
        row("(0.5 %, 12 % of $669763.58)", "(0,5 %, 12 % of $669763,58)");
        row("From 2027-01-04 to 2027-12-31.", "From 4.1.2027 to 31.12.2027.");
        row("at 0.9213 EUR, rate of 2026-11-18. US", "at 0,9213 EUR, rate of 18.11.2026. US");
        row("\u22121,234.5", "\u22121.234,5");
        row("$30.00/h or 3.35 TB/s", "$30,00/h or 3,35 TB/s");
        row("1,024, 2,048 and 3.5", "1.024, 2.048 and 3,5");
        row("Llama 3.1 70B takes 3.1 days", "Llama 3.1 70B takes 3,1 days");
        row("64 x p5.48xlarge, 1.5 h", "64 x p5.48xlarge, 1,5 h");
        same("llama-3.1-70b-64xp5.48xlarge");
        same("10.0.0.1 and 2.21.5");
        same("NCCL 2.21, PyTorch 2.5");
        same("order.tax, us-east-1, 8x22B, 1,2,3");
        same("2027-02-30 is not a day"); // and no number either
        same("");
    }
    void germanTexts() {
        QFETCH(QByteArray, english);
        QFETCH(QByteArray, german);
        const NumberStyle style{.locale = NumberLocale::de, .names = {"Llama 3.1 70B"}};
        QCOMPARE(QByteArray::fromStdString(style.text(english.toStdString())), german);
        QCOMPARE(QByteArray::fromStdString(NumberStyle().text(english.toStdString())), english);
    }

    /// Pages follow the style; files for programs do not.
    void filesForProgramsStayAsTheyAre() {
        Report report;
        report.title = "Plan 1.5";
        report.answer = {{{"It takes 42.8 days.", false}}};
        report.sections = {{.id = "order", .title = "Order"}};
        Cell cell;
        cell.text = "1,234.50";
        cell.value = 1234.5;
        report.sections[0].tables = {{.id = "order", .columns = {textColumn("Total")}, .rows = {{cell}}}};
        const std::string csv = reportCsv(report), json = reportJson(report);
        report.numbers = {.locale = NumberLocale::de};
        QCOMPARE(reportCsv(report), csv);
        QCOMPARE(reportJson(report), json);
        const Report german = localized(report);
        QCOMPARE(german.title, report.title);
        QCOMPARE(plainText(german.answer[0]), std::string("It takes 42,8 days."));
        QCOMPARE(german.sections[0].tables[0].rows[0][0].text, std::string("1.234,50"));
        QCOMPARE(*german.sections[0].tables[0].rows[0][0].value, 1234.5);
    }
};

QTEST_GUILESS_MAIN(TestNumberStyle)

} // namespace tst_number_style

#include "tst_number_style.moc"
