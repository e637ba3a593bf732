// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/json.h"
#include "data/report/printing.h"
#include "data/report/writers.h"
#include "tests/data/sample_estimate.h"

#include <QFloat16>
#include <QTest>

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace tst_report_writers {

using namespace alidade;
using namespace alidade::data;

namespace {

const ReportContext context{"9.8.7", "2026-11-20"};

using Rows = std::vector<std::vector<std::string>>;

/// A reader of RFC 4180; false if the text breaks its rules.
bool readCsv(const std::string& text, Rows& rows) {
    std::size_t i = 0;
    while (i < text.size()) {
        rows.emplace_back();
        for (;;) {
            std::string field;
            if (i < text.size() && text[i] == '"') {
                for (++i;; ++i) {
                    if (i >= text.size())
                        return false;
                    if (text[i] != '"')
                        field += text[i];
                    else if (i + 1 < text.size() && text[i + 1] == '"')
                        field += text[i++];
                    else
                        break;
                }
                ++i;
            } else {
                while (i < text.size() && text[i] != ',' && text[i] != '\r') {
                    if (text[i] == '"' || text[i] == '\n')
                        return false;
                    field += text[i++];
                }
            }
            rows.back().push_back(field);
            if (i < text.size() && text[i] == ',') {
                ++i;
                continue;
            }
            if (text.substr(i, 2) != "\r\n")
                return false;
            i += 2;
            break;
        }
    }
    return true;
}

/// The lines of one table without those two columns that all lines have.
Rows tableOf(const Rows& rows, const std::string& id) {
    Rows out;
    for (const auto& row : rows)
        if (row.at(1) == id)
            out.emplace_back(row.begin() + 2, row.end());
    return out;
}

Report reportOf(const Estimate& e) {
    const std::vector<ReportInput> inputs{
        {&e, sample::suggestions(), R"({"alidade": 1, "name": "x"})", "mine"}};
    return buildReport(inputs, context);
}

} // namespace

class TestReportWriters : public QObject {
    Q_OBJECT

private slots:
    void csvIsRectangular() {
        Rows rows;
        QVERIFY(readCsv(reportCsv(reportOf(sample::estimate())), rows));
        QVERIFY(rows.size() > 100);
        for (const auto& row : rows)
            QCOMPARE(row.size(), rows.front().size());
    }

    void csvHoldsAllTablesInSiUnits() {
        const Estimate e = sample::estimate();
        const Report report = reportOf(e);
        Rows rows;
        QVERIFY(readCsv(reportCsv(report), rows));
        for (const ReportSection& section : report.sections)
            for (const Table& table : section.tables)
                QCOMPARE(tableOf(rows, table.id).size(), table.rows.size() + 1);
        const Rows stages = tableOf(rows, "stages");
        QCOMPARE(stages[0][2], std::string("Forward (s)"));
        double forward = 0;
        std::from_chars(stages[1][2].data(), stages[1][2].data() + stages[1][2].size(), forward);
        QCOMPARE(forward, e.training->stages[0].forward); // the same double, not its printed text
        const Rows figures = tableOf(rows, "figures");
        QCOMPARE(figures[0][2], std::string("Unit of Value"));
        QCOMPARE(figures[1][2], std::string("s"));
        QCOMPARE(tableOf(rows, "key_figures").size(), 5U);
    }

    void csvQuotesAndGuards_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<std::string>("read");
        QTest::newRow("comma") << std::string("a, b") << std::string("a, b");
        QTest::newRow("quotes") << std::string("a \"b\"") << std::string("a \"b\"");
        QTest::newRow("line") << std::string("a\r\nb") << std::string("a  b");
        QTest::newRow("formula") << std::string("=1+1") << std::string("'=1+1");
        QTest::newRow("command") << std::string("@SUM(A1,A2)") << std::string("'@SUM(A1,A2)");
        QTest::newRow("plus") << std::string("+1") << std::string("'+1");
        QTest::newRow("minus") << std::string("-1\",x") << std::string("'-1\",x");
        QTest::newRow("tab") << std::string("\t=1") << std::string("' =1");
        QTest::newRow("blank") << std::string(" =1") << std::string("' =1");
        QTest::newRow("escape") << std::string("a\x1b[2J\xc2\x9b") << std::string("a\uFFFD[2J\uFFFD");
        QTest::newRow("direction") << std::string("a\u202eb") << std::string("a\uFFFDb");
        QTest::newRow("no UTF-8") << std::string("a\xff") << std::string("a\uFFFD");
        QTest::newRow("plain") << std::string("a=1") << std::string("a=1");
    }
    void csvQuotesAndGuards() {
        QFETCH(std::string, name);
        QFETCH(std::string, read);
        Estimate e = sample::estimate();
        e.scenario.name = name;
        e.cost->lines[0].name = name;
        Rows rows;
        QVERIFY(readCsv(reportCsv(buildReport(e, {}, context)), rows));
        QCOMPARE(rows.front()[0], read);
        QCOMPARE(tableOf(rows, "order")[1][0], read);
    }

    /// An amount of round millions is read as one by a person too.
    void csvAmountsHaveNoExponent() {
        Report report;
        report.title = "round";
        Table table{.id = "order", .columns = {quantityColumn("Total", Dimension::dollars)}};
        for (const double amount : {2'000'000.0, 70'000'000.0, 0.25, 0.0, -3'000'000.0})
            table.rows.push_back({moneyCell(amount, Dimension::dollars)});
        report.sections = {{.id = "order", .title = "Order", .tables = {table}}};
        Rows rows;
        QVERIFY(readCsv(reportCsv(report), rows));
        const auto amounts = tableOf(rows, "order");
        for (const auto& [row, text] : {std::pair(1, "2000000"), std::pair(2, "70000000"),
                                        std::pair(3, "0.25"), std::pair(4, "0"), std::pair(5, "-3000000")})
            QCOMPARE(amounts.at(static_cast<std::size_t>(row)).at(0), std::string(text));
    }

    void csvKeepsNegativeNumbers() {
        Rows rows;
        QVERIFY(readCsv(reportCsv(reportOf(sample::estimate())), rows));
        const std::string difference = tableOf(rows, "suggestions")[1][3];
        QVERIFY2(difference.starts_with("-") && std::stod(difference) < -1e6, difference.c_str());
    }

    void jsonIsTheReport() {
        const Estimate e = sample::estimate();
        const Report report = reportOf(e);
        const auto json = nlohmann::json::parse(reportJson(report));
        QCOMPARE(json.at("alidade"), 1);
        QCOMPARE(json.at("title"), report.title);
        QCOMPARE(json.at("answer").size(), report.answer.size());
        QCOMPARE(json.at("answer")[0].get<std::string>(), plainText(report.answer[0]));
        QCOMPARE(json.at("key_figures")[1].at("quantity").at("value").get<double>(), *e.training->runTime);
        QCOMPARE(json.at("key_figures")[1].at("quantity").at("unit"), "s");
        QCOMPARE(json.at("sections").size(), report.sections.size());
        QCOMPARE(json.at("footer").at("date"), "2026-11-20");
        QCOMPARE(json.at("scenario").at("name"), "x");
        for (std::size_t s = 0; s < report.sections.size(); ++s) {
            const auto& section = json.at("sections")[s];
            QCOMPARE(section.at("tables").size(), report.sections[s].tables.size());
            QCOMPARE(section.at("plots").size(), report.sections[s].plots.size());
        }
    }

    void jsonSaysNullForWhatIsNotKnown() {
        Estimate e = sample::estimate();
        e.training->mfu = std::numeric_limits<double>::quiet_NaN();
        const auto json = nlohmann::json::parse(reportJson(buildReport(e, {}, context)));
        bool found = false;
        for (const auto& section : json.at("sections"))
            if (section.at("id") == "figures")
                for (const auto& row : section.at("tables")[0].at("rows"))
                    if (row[0] == "MFU") {
                        found = true;
                        QVERIFY(row[1].at("value").is_null());
                        QCOMPARE(row[1].at("text"), "–");
                    }
        QVERIFY(found);
    }

    void jsonSurvivesBadText() {
        Estimate e = sample::estimate();
        e.scenario.name = "a\xFF\"b";
        const std::vector<ReportInput> inputs{{&e, {}, "{ not json", "x"}};
        const auto json = nlohmann::json::parse(reportJson(buildReport(inputs, context)));
        QVERIFY(json.at("scenario").is_null());
        QCOMPARE(json.at("title").get<std::string>(), std::string("a\xEF\xBF\xBD\"b"));
    }

    void comparisonHoldsItsParts() {
        const Estimate a = sample::estimate(), b = sample::estimateThatDoesNotRun();
        const std::vector<ReportInput> inputs{{&a, {}, "{}", "a"}, {&b, {}, "{}", "b"}};
        const Report report = buildReport(inputs, context);
        const auto json = nlohmann::json::parse(reportJson(report));
        QCOMPARE(json.at("parts").size(), 2U);
        QCOMPARE(json.at("parts")[1].at("title"), report.parts[1].title);
        Rows rows;
        QVERIFY(readCsv(reportCsv(report), rows));
        QCOMPARE(tableOf(rows, "comparison").size(), 3U);
    }
};

QTEST_APPLESS_MAIN(TestReportWriters)

} // namespace tst_report_writers

#include "tst_report_writers.moc"
