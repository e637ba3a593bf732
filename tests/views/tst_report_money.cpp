// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of an order as HTML and PDF print them add up to the cent to the total that is printed.
#include "data/report/document_sections.h"
#include "data/scenario/scenario_json.h"
#include "tests/views/counting_engine.h"
#include "tests/views/report_tools.h"
#include "views/report/html.h"
#include "views/report/pdf.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>

namespace tst_report_money {

using namespace alidade;
using namespace alidade::views;

namespace {

/// The report of a sample in Capacity Blocks, with support, contingency and tax.
struct Made {
    explicit Made(const Edit& more = {}, data::NumberLocale locale = data::NumberLocale::en) {
        const auto catalog = test::shippedCatalog();
        Edit order{{"cluster.purchase", "capacity_block"},
                   {"order.start", "2027-01-04"},
                   {"order.support", "0.03"},
                   {"order.contingency", "0.1"},
                   {"order.tax", "0.19"}};
        order.insert(order.end(), more.begin(), more.end());
        const ScenarioSpec spec = *applyEdit(test::sampleSpec("llama-3.1-70b-64xp5.48xlarge"), order);
        const Profile& profile = catalog->defaultProfile;
        estimate = *alidade::estimate(spec, *catalog, profile);
        data::ReportInput input{&estimate, {}, data::writeScenario(spec), "mine"};
        input.document = std::make_shared<const PlanDocument>(
            *planDocument(spec, *catalog, profile, estimate, {.options = false}));
        report = data::buildReport(std::span(&input, 1),
                                   {.programVersion = "9.8.7", .date = "2026-11-20", .locale = locale});
    }
    Estimate estimate;
    data::Report report;
};
const Made& made() {
    static const Made all;
    return all;
}

Cents centsOf(QString text) {
    text.remove(u'$').remove(u',');
    return std::llround(text.toDouble() * 100);
}

} // namespace

class TestReportMoney : public QObject {
    Q_OBJECT

private slots:
    void htmlAddsUp() {
        const QString html = QString::fromUtf8(reportHtml(made().report, Paper::a4));
        const auto start = html.indexOf(QStringLiteral("<h2>What to order</h2>"));
        QVERIFY(start > 0);
        const QString body =
            html.mid(start, html.indexOf(QStringLiteral("</tbody>"), start) - start); // of its first table
        static const QRegularExpression lastCell(
            QStringLiteral("<td[^>]*>\\$([0-9,]+\\.[0-9]{2})</td>\\s*</tr>"));
        std::vector<Cents> amounts;
        for (auto it = lastCell.globalMatch(body); it.hasNext();)
            amounts.push_back(centsOf(it.next().captured(1)));
        const Order& order = *made().report.order;
        QCOMPARE(amounts.size(), order.lines.size() + 1);
        Cents sum = 0;
        for (std::size_t i = 0; i + 1 < amounts.size(); ++i)
            sum += amounts[i];
        QCOMPARE(sum, amounts.back());
        QCOMPARE(amounts.back(), order.total);
    }

    /// German numbers and a second currency: both columns of the page add up, and the plots follow.
    void germanPagesAddUp() {
        const Made german({{"order.currency", "EUR"},
                           {"order.exchange_rate", "0.9213"},
                           {"order.exchange_date", "2026-11-18"}},
                          data::NumberLocale::de);
        const Order& order = *german.report.order;
        const QString html = QString::fromUtf8(reportHtml(german.report, Paper::a4));
        const auto start = html.indexOf(QStringLiteral("<h2>What to order</h2>"));
        QVERIFY(start > 0);
        const QString body = html.mid(start, html.indexOf(QStringLiteral("</tbody>"), start) - start);
        static const QRegularExpression lastCells(QStringLiteral(
            "<td[^>]*>\\$([0-9.]+,[0-9]{2})</td>\\s*<td[^>]*>([0-9.]+,[0-9]{2})</td>\\s*</tr>"));
        const auto cents = [](QString text) {
            return std::llround(text.remove(u'.').replace(u',', u'.').toDouble() * 100);
        };
        std::vector<std::pair<Cents, Cents>> amounts;
        for (auto it = lastCells.globalMatch(body); it.hasNext();) {
            const auto match = it.next();
            amounts.emplace_back(cents(match.captured(1)), cents(match.captured(2)));
        }
        QCOMPARE(amounts.size(), order.lines.size() + 1);
        std::pair<Cents, Cents> sum{0, 0};
        for (std::size_t i = 0; i < order.lines.size(); ++i) {
            sum.first += amounts[i].first;
            sum.second += amounts[i].second;
        }
        QCOMPARE(sum.first, order.total);
        QCOMPARE(sum.second, order.convertedTotal);
        QCOMPARE(amounts.back(), sum);
        QVERIFY(html.contains(QStringLiteral("at 0,9213 EUR for one US dollar, rate of 18.11.2026")));
        QVERIFY(html.contains(QStringLiteral("Llama 3.1 70B")));
        QVERIFY(!html.contains(QStringLiteral("Llama 3,1")));
        QVERIFY(!html.contains(QStringLiteral("p5,48")));
        // No English number is left, in a text or in a picture, but for names and versions.
        const QString words = QString(html)
                                  .remove(QRegularExpression(QStringLiteral("<style>.*</style>"),
                                                             QRegularExpression::DotMatchesEverythingOption))
                                  .remove(QRegularExpression(QStringLiteral("<[^>]*>")));
        static const QRegularExpression english(QStringLiteral("[0-9],[0-9]{3}(\\.[0-9]|,[0-9]{3})"));
        const auto left = english.match(words);
        QVERIFY2(!left.hasMatch(), qPrintable(words.mid(left.capturedStart() - 40, 80)));
        const QString again = QString::fromUtf8(reportHtml(made().report, Paper::a4));
        QVERIFY(again.contains(QStringLiteral("2027-01-04")) && !again.contains(QStringLiteral("4.1.2027")));
    }

    void pdfAddsUp() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("order.pdf")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(reportPdf(made().report, Paper::a4));
        file.close();
        const auto text = tests::runTool(QStringLiteral("pdftotext"),
                                         {QStringLiteral("-layout"), QStringLiteral("-l"),
                                          QStringLiteral("1"), file.fileName(), QStringLiteral("-")});
        QCOMPARE(text.exitCode, 0);
        const auto start = text.output.indexOf(QStringLiteral("What to order"));
        QVERIFY(start >= 0);
        static const QRegularExpression atEnd(QStringLiteral("\\$([0-9,]+\\.[0-9]{2})\\s*\\n"));
        std::vector<Cents> amounts;
        for (auto it = atEnd.globalMatch(text.output.mid(start)); it.hasNext();)
            amounts.push_back(centsOf(it.next().captured(1)));
        const Order& order = *made().report.order;
        QVERIFY(amounts.size() > order.lines.size());
        Cents sum = 0;
        for (std::size_t i = 0; i < order.lines.size(); ++i)
            sum += amounts[i];
        QCOMPARE(sum, amounts[order.lines.size()]);
        QCOMPARE(sum, order.total);
    }
};

QTEST_MAIN(TestReportMoney)

} // namespace tst_report_money

#include "tst_report_money.moc"
