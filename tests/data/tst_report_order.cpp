// SPDX-License-Identifier: GPL-3.0-or-later
// What a buyer's document says of the end of its prices, and of the storage of reinforcement learning.
#include "data/catalog/catalog_reader.h"
#include "data/catalog/shipped.h"
#include "data/json/json.h"
#include "data/report/document_sections.h"
#include "data/report/writers.h"
#include "data/scenario/samples.h"
#include "data/scenario/scenario_json.h"
#include "model/estimate/reinforcement.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_report_order {

using namespace alidade;
using namespace alidade::data;

namespace {

using Json = nlohmann::json;

/// The report of a sample, with its order alone.
struct Made {
    Made(std::string_view id, const Edit& edit, const std::string& validUntil = {}) {
        static const auto catalog = loadShippedCatalog().catalog;
        const ScenarioReading reading = readScenario(sampleScenarioText(id).value_or(""));
        spec = *applyEdit(*reading.spec, edit);
        const Profile& profile = catalog->defaultProfile;
        estimate = *alidade::estimate(spec, *catalog, profile);
        document = std::make_shared<const PlanDocument>(*planDocument(
            spec, *catalog, profile, estimate, {.options = false, .risks = false, .assumptions = false}));
        ReportInput input{&estimate, {}, writeScenario(spec), "mine"};
        input.document = document;
        report = buildReport(std::span(&input, 1), {.programVersion = "9.8.7",
                                                    .date = "2026-11-20",
                                                    .branding = {},
                                                    .sections = {},
                                                    .validUntil = validUntil});
    }
    const ReportSection& order() const {
        return *std::ranges::find(report.sections, "order", &ReportSection::id);
    }
    ScenarioSpec spec;
    Estimate estimate;
    std::shared_ptr<const PlanDocument> document;
    Report report;
};

} // namespace

class TestReportOrder : public QObject {
    Q_OBJECT

private slots:
    void validityIsTheAuthorsDayFirst_data() {
        QTest::addColumn<QByteArray>("purchase");
        QTest::addColumn<QByteArray>("set");
        QTest::addColumn<QByteArray>("day");
        QTest::addColumn<QByteArray>("sentence");
        const auto row = [](const char* title, const char* purchase, const char* set, const char* day,
                            const char* sentence) {
            QTest::newRow(title) << QByteArray(purchase) << QByteArray(set) << QByteArray(day)
                                 << QByteArray(sentence);
        };
        row("on demand", "on_demand", "", "", "valid for orders of the day of this document.");
        row("on demand, set", "on_demand", "2027-02-28", "2027-02-28",
            "Valid until 2027-02-28. List prices may change on any day.");
        row("block", "capacity_block", "", "2027-01-01",
            "Valid until 2027-01-01, when a new rate of Capacity Blocks is due.");
        row("block, set", "capacity_block", "2026-12-15", "2026-12-15", "Valid until 2026-12-15. The blocks");
        row("block, set past the next rate", "capacity_block", "2027-02-28", "2027-02-28",
            "Valid until 2027-02-28. A new rate of Capacity Blocks is due on 2027-01-01.");
    }
    void validityIsTheAuthorsDayFirst() {
        QFETCH(QByteArray, purchase);
        QFETCH(QByteArray, set);
        QFETCH(QByteArray, day);
        QFETCH(QByteArray, sentence);
        const Made run("llama-3.1-70b-64xp5.48xlarge",
                       {{"cluster.purchase", purchase.toStdString()}, {"order.start", "2027-01-04"}},
                       set.toStdString());
        QVERIFY(run.order().firstPage);
        const std::string& note = run.order().tables.front().note;
        QVERIFY2(note.find(sentence.toStdString()) != std::string::npos, note.c_str());
        QCOMPARE(run.report.priceValidUntil, day.toStdString());
        const Json json = Json::parse(reportJson(run.report));
        QCOMPARE(json.value("price_valid_until", ""), day.toStdString());
        const std::string csv = reportCsv(run.report);
        QCOMPARE(csv.find(",validity,") != std::string::npos, !day.isEmpty());
        QVERIFY(csv.find(",validity," + day.toStdString()) != std::string::npos || day.isEmpty());
    }

    void aDayOfValidityIsADateToCome() {
        QCOMPARE(*validUntilDay("2026-11-20", "2026-11-20"), std::string("2026-11-20"));
        QCOMPARE(*validUntilDay("2028-02-29", "2026-11-20"), std::string("2028-02-29"));
        for (const char* bad : {"", "soon", "2027-02-29", "2027-1-4", "04.01.2027", "2027-01-04 ", "=1+1"})
            QVERIFY2(validUntilDay(bad, "2026-11-20").error().find("such as 2027-01-04") != std::string::npos,
                     bad);
        QCOMPARE(validUntilDay("2026-11-19", "2026-11-20").error(),
                 std::string("2026-11-19 is before the date of the document, 2026-11-20"));
    }

    /// Without a document too, the blocks are those that AWS sells: whole days, paid in full.
    void blocksAreNamedAsTheyAreSold_data() {
        QTest::addColumn<QByteArray>("sample");
        QTest::addColumn<QByteArray>("blocks");
        QTest::newRow("training") << QByteArray("llama-3.1-70b-64xp5.48xlarge")
                                  << QByteArray("Capacity Block, 64 x p5.48xlarge, 49 days");
        QTest::newRow("service") << QByteArray("serve-deepseek-r1-1xu-p6e-gb200x72")
                                 << QByteArray("Capacity Block, 1 x u-p6e-gb200x72, 35 days");
    }
    void blocksAreNamedAsTheyAreSold() {
        QFETCH(QByteArray, sample);
        QFETCH(QByteArray, blocks);
        const Made run(sample.toStdString(), {{"cluster.purchase", "capacity_block"}});
        const Report plain = buildReport(run.estimate, {}, {"9.8.7", "2026-11-20"});
        const auto order = std::ranges::find(plain.sections, "order", &ReportSection::id);
        QVERIFY(order != plain.sections.end());
        const std::vector<Cell>& first = order->tables.front().rows.front();
        QCOMPARE(first.front().text, blocks.toStdString());
        QCOMPARE(first.back().text, exactMoney(run.estimate.cost->order->lines.front().amount));
        QVERIFY2(order->text.front().find("paid in full when they are bought") != std::string::npos,
                 order->text.front().c_str());
        std::string answer;
        for (const Sentence& sentence : run.report.answer)
            answer += plainText(sentence) + ' ';
        QVERIFY2(answer.find("for per") == std::string::npos, answer.c_str());
    }

    void storageOfReinforcementLearningIsOrdered_data() {
        QTest::addColumn<QByteArray>("sample");
        QTest::addColumn<QByteArray>("algorithm");
        QTest::addColumn<double>("models"); // that are saved
        QTest::newRow("GRPO") << QByteArray("grpo-qwen3-32b-8xp5en.48xlarge") << QByteArray("grpo") << 1.0;
        QTest::newRow("PPO with a critic")
            << QByteArray("grpo-qwen3-32b-8xp5en.48xlarge") << QByteArray("ppo") << 2.0;
        QTest::newRow("two pools") << QByteArray("grpo-qwen3-32b-one-step-off-8xp5en.48xlarge")
                                   << QByteArray("grpo") << 1.0;
    }
    void storageOfReinforcementLearningIsOrdered() {
        QFETCH(QByteArray, sample);
        QFETCH(QByteArray, algorithm);
        QFETCH(double, models);
        const Made run(sample.toStdString(), {{"workload.algorithm", algorithm.toStdString()}});
        // 2 + 12 bytes a parameter: weights, master weights and moments. Room for three, as it is sold.
        const Reinforcement& rl = *run.estimate.reinforcement;
        const double parameters = rl.checkpointBytes / models / 14;
        QVERIFY2(parameters > 32.5e9 && parameters < 33e9, qPrintable(QString::number(parameters)));
        QVERIFY(rl.storageBytes >= 3 * rl.checkpointBytes);
        QCOMPARE(std::remainder(rl.storageBytes, 4800.0 * 1024 * 1024 * 1024), 0.0); // with EFA
        const OrderLine& line = run.document->bill->expected.lines.at(1);
        QVERIFY2(line.text.starts_with("FSx for Lustre, persistent2-1000"), line.text.c_str());
        const double months = *rl.runTime / 3600 / 730;
        QVERIFY(std::abs(dollarsOf(line.amount) - rl.storageDollarsPerMonth * months) < 1);
        QVERIFY(run.order().text.back().find("a contingency (order.contingency) covers failures") !=
                std::string::npos);
    }

    void storageIsThatOfTheScenario_data() {
        QTest::addColumn<QByteArray>("sample");
        QTest::newRow("training") << QByteArray("llama-3.1-70b-64xp5.48xlarge");
        QTest::newRow("reinforcement learning") << QByteArray("grpo-qwen3-32b-8xp5en.48xlarge");
    }
    void storageIsThatOfTheScenario() {
        QFETCH(QByteArray, sample);
        const std::pair<std::string, std::string> bytes{"run.storage_bytes", "41231686041600"}; // 38,400 GiB
        const auto with = [&sample](const Edit& edit) { return Made(sample.toStdString(), edit); };
        const Made given = with({{"run.storage", "fsx-lustre-persistent2-125"}, bytes});
        QCOMPARE(given.document->bill->expected.lines.at(1).text,
                 std::string("FSx for Lustre, persistent2-125, 38,400 GB"));
        const Made kept = with({{"run.storage", "s3-standard"}, bytes});
        QCOMPARE(kept.document->bill->expected.lines.at(1).text,
                 std::string("Amazon S3, standard, 38,400 GB"));
        // Storage that is not a line of the order is named, with the reason.
        const Made unpriced = with({{"run.storage", "fsx-lustre-persistent2-500"}}),
                   objects = with({{"run.storage", "s3-standard"}});
        for (const auto& [made, reason] :
             {std::pair(&unpriced, "the catalog has no price of fsx-lustre-persistent2-500"),
              std::pair(&objects, "s3-standard is billed by what is kept in it")}) {
            QCOMPARE(made->document->bill->expected.lines.size(), 1U);
            const std::string& text = made->order().text.back();
            QVERIFY2(text.find(std::string("Storage is not included: ") + reason) != std::string::npos,
                     text.c_str());
        }
        // A step of reinforcement learning does not depend on it.
        if (given.estimate.reinforcement)
            QCOMPARE(objects.estimate.reinforcement->stepTime, given.estimate.reinforcement->stepTime);
    }
};

QTEST_GUILESS_MAIN(TestReportOrder)

} // namespace tst_report_order

#include "tst_report_order.moc"
