// SPDX-License-Identifier: GPL-3.0-or-later
// The workbook of a report: LibreOffice opens it, recomputes its formulas, and gets the same cents.
#include "data/report/workbook.h"
#include "data/report/writers.h"
#include "tests/data/sample_estimate.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace tst_report_xlsx {

using namespace alidade;
using namespace alidade::data;

namespace {

const ReportContext context{"9.8.7", "2026-11-20"};

Report reportOf(Order order, const std::string& title = "Plan") {
    Report report;
    report.title = title;
    report.footer = {"Alidade 9.8.7", "2026-11-20", "default", context.date};
    report.order = std::move(order);
    return report;
}

Order bill() {
    const OrderedMachines blocks{.item = "p5.48xlarge",
                                 .label = {},
                                 .count = 20,
                                 .hours = 500,
                                 .price = nanoDollars(41.528),
                                 .purchase = Purchase::capacityBlock,
                                 .rental = {.blockEndHours = 0.5}};
    const OrderedMachines more{.item = "p5.48xlarge",
                               .label = "Spare nodes",
                               .count = 2,
                               .hours = 337.123,
                               .price = nanoDollars(55.04)};
    const OrderedService storage{.text = "FSx for Lustre",
                                 .unit = "GB-months",
                                 .quantity = thousandths(30'720.5),
                                 .price = nanoDollars(0.34)};
    return orderOf({blocks, more}, {storage},
                   {.start = 20'832, .support = 30'000, .contingency = 100'000, .tax = 190'000});
}

/// The sheets of a workbook as CSV, recomputed by LibreOffice on loading.
class Workbook {
public:
    explicit Workbook(const Report& report) {
        const Result<std::string> bytes = reportXlsx(report);
        QVERIFY(static_cast<bool>(bytes));
        bytes_ = QByteArray::fromStdString(*bytes);
        QFile file(folder_.filePath(QStringLiteral("book.xlsx")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes_);
        file.close();
        const QString office = QStringLiteral("soffice");
        QProcess process;
        process.setWorkingDirectory(folder_.path());
        process.start(
            office,
            {QStringLiteral("-env:UserInstallation=file://") + folder_.path() + QStringLiteral("/profile"),
             QStringLiteral("--headless"), QStringLiteral("--convert-to"),
             // comma, quote, UTF-8, from line 1, no column formats, as shown: no, all sheets
             QStringLiteral("csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,"
                            "false,false,-1"),
             QStringLiteral("book.xlsx")});
        QVERIFY2(process.waitForStarted(),
                 "soffice is missing; packaging/install-dependencies test installs it");
        QVERIFY(process.waitForFinished(120'000));
    }

    QStringList lines(const QString& sheet) const {
        QFile file(folder_.filePath(QStringLiteral("book-") + sheet + QStringLiteral(".csv")));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()).split(u'\n')
                                              : QStringList();
    }
    const QByteArray& bytes() const { return bytes_; }

private:
    QTemporaryDir folder_;
    QByteArray bytes_;
};

/// The cell after a name at the beginning of a line of plain cells.
double cellOf(const QStringList& lines, const QString& name, int column) {
    static const QRegularExpression comma(QStringLiteral(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"));
    for (const QString& line : lines) {
        QStringList cells = line.split(comma);
        cells.replaceInStrings(QStringLiteral("\""), QString());
        const qsizetype at = cells.indexOf(name);
        if (at >= 0 && at < column) // else it is a head
            return cells.value(column).toDouble();
    }
    return std::nan("");
}

} // namespace

class TestReportXlsx : public QObject {
    Q_OBJECT

private slots:
    /// What is read back is what a spreadsheet shows, as LibreOffice prints it.
    void theBookIsReadBack() {
        const Order order = bill();
        const Report report = reportOf(order);
        const Workbook book(report);
        const Result<std::vector<Sheet>> sheets = readWorkbook(book.bytes().toStdString());
        QVERIFY2(static_cast<bool>(sheets), sheets ? "" : sheets.error().c_str());
        std::vector<std::string> names;
        for (const Sheet& each : *sheets)
            names.push_back(each.name);
        QCOMPARE(names, (std::vector<std::string>{"Answer", "Order", "Cash flow"}));
        QCOMPARE(sheets->front().rows.at(0).at(0).text, std::string("Plan"));
        QVERIFY(sheets->front().rows.at(0).at(0).bold);
        std::vector<std::string> amounts;
        for (const auto& row : (*sheets)[1].rows)
            if (row.size() > 6 && !row[6].formula.empty()) {
                QVERIFY(row[6].number && row[6].formula.starts_with('='));
                std::string plain = row[6].text;
                std::erase(plain, ',');
                amounts.push_back(plain);
            }
        QVERIFY(amounts.size() > order.lines.size());
        for (std::size_t i = 0; i < order.lines.size(); ++i)
            QCOMPARE(
                amounts[i + (order.lines[i].kind == OrderLineKind::tax ? 1 : 0)], // after the sum before it
                centsText(order.lines[i].amount));
        QCOMPARE(amounts.back(), centsText(order.total));
        QVERIFY(std::ranges::any_of((*sheets)[1].rows, [](const auto& row) {
            return std::ranges::any_of(row, [](const SheetCell& cell) { return cell.text == "30,720.5"; });
        }));
        // Not a workbook, or only a part of one.
        QVERIFY(!readWorkbook("PK"));
        QVERIFY(!readWorkbook(std::string(100, 'x')));
        for (const std::size_t kept : {std::size_t{100}, static_cast<std::size_t>(book.bytes().size() / 2)})
            QVERIFY(!readWorkbook(book.bytes().toStdString().substr(0, kept)));
        for (qsizetype at = 0; at < book.bytes().size();
             at += 37) { // damaged: read or refused, never a crash
            QByteArray bytes = book.bytes();
            bytes[at] = static_cast<char>(~bytes[at]);
            (void)readWorkbook(bytes.toStdString());
        }
    }

    void recomputedAmountsAreTheSameCents() {
        const Order order = bill();
        Report report = reportOf(order);
        report.priceValidUntil = "2027-02-28";
        const Workbook book(report);
        QVERIFY(book.lines(QStringLiteral("Answer"))
                    .join(u'\n')
                    .contains(QStringLiteral("Prices valid until,2027-02-28")));
        const QStringList lines = book.lines(QStringLiteral("Order"));
        QVERIFY(lines.size() > 8);
        for (const OrderLine& line : order.lines)
            QCOMPARE(std::llround(cellOf(lines, QString::fromStdString(line.text), 6) * 100), line.amount);
        QCOMPARE(std::llround(cellOf(lines, QStringLiteral("Total before tax"), 6) * 100), order.beforeTax);
        QCOMPARE(std::llround(cellOf(lines, QStringLiteral("Total"), 6) * 100), order.total);
        const QStringList cash = book.lines(QStringLiteral("Cash flow"));
        for (std::size_t m = 0; m < order.months.size(); ++m)
            QCOMPARE(std::llround(cellOf(cash, QStringLiteral("Total"), static_cast<int>(m) + 1) * 100),
                     order.months[m].paid);
    }

    /// The other currency is computed from the dollars by the rate in its cell, each line rounded once.
    void convertedAmountsAreTheSameCents() {
        const OrderedMachines use{
            .item = "p5.48xlarge", .label = {}, .count = 2, .hours = 1337.123, .price = nanoDollars(55.04)};
        const Order order =
            orderOf({use}, {},
                    {.start = 20'832,
                     .support = 30'000,
                     .tax = 190'000,
                     .conversion = Conversion{.currency = "EUR", .rate = 921'300'000, .date = "2026-11-18"}});
        const Workbook book(reportOf(order));
        const QStringList lines = book.lines(QStringLiteral("Order"));
        QVERIFY(lines.first().contains(QStringLiteral("EUR for one USD, rate of 2026-11-18")));
        for (const OrderLine& line : order.lines)
            QCOMPARE(std::llround(cellOf(lines, QString::fromStdString(line.text), 9) * 100), line.converted);
        QCOMPARE(std::llround(cellOf(lines, QStringLiteral("Total"), 9) * 100), order.convertedTotal);
        const QStringList cash = book.lines(QStringLiteral("Cash flow"));
        for (std::size_t m = 0; m < order.months.size(); ++m)
            QCOMPARE(std::llround(cellOf(cash, QStringLiteral("Total, EUR"), static_cast<int>(m) + 1) * 100),
                     order.months[m].converted);
    }

    /// A changed price reaches the total: the amounts are formulas, not numbers.
    void amountsAreFormulas() {
        const Result<std::string> bytes = reportXlsx(reportOf(bill()));
        QVERIFY(static_cast<bool>(bytes));
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("book.xlsx")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(*bytes));
        file.close();
        QProcess unzip;
        unzip.start(
            QStringLiteral("python3"),
            {QStringLiteral("-c"),
             QStringLiteral("import sys,zipfile;"
                            "print(zipfile.ZipFile(sys.argv[1]).read('xl/worksheets/sheet2.xml').decode())"),
             file.fileName()});
        QVERIFY(unzip.waitForFinished(30'000));
        const QString sheet = QString::fromUtf8(unzip.readAllStandardOutput());
        QVERIFY(sheet.contains(QStringLiteral("<f>ROUND(C2*E2*(1-F2),2)</f>")));
        QVERIFY(sheet.contains(QStringLiteral("<f>ROUND(SUM(G2:G5)*C6,2)</f>"))); // support: of four lines
        QVERIFY(sheet.contains(QStringLiteral("<f>SUM(G2:G7)</f>")));             // before tax
    }

    void sameReportSameBytes() {
        const Result<std::string> a = reportXlsx(reportOf(bill())), b = reportXlsx(reportOf(bill()));
        QVERIFY(a && b);
        QVERIFY(*a == *b);
    }

    /// Text that looks like a formula stays text.
    void hostileNamesAreText() {
        Order order = bill();
        order.lines[0].text = "=HYPERLINK(\"http://x\",\"y\")";
        const Workbook book(reportOf(order, "=1+1"));
        QVERIFY(book.lines(QStringLiteral("Answer")).value(0).contains(QStringLiteral("=1+1")));
        QVERIFY(book.lines(QStringLiteral("Order")).join(u'\n').contains(QStringLiteral("=HYPERLINK(")));
    }
};

QTEST_GUILESS_MAIN(TestReportXlsx)

} // namespace tst_report_xlsx

#include "tst_report_xlsx.moc"
