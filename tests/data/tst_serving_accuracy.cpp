// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
// How well the shipped constants predict the published serving measurements of quality A and B.
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/validation/error_figures.h"
#include "model/validation/summaries.h"
#include "model/validation/validate.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace tst_serving_accuracy {

using namespace alidade;

class TestServingAccuracy : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void classes_data();
    void classes();
    void everyEngineAndGeneration_data();
    void everyEngineAndGeneration();
    void linesOverTheContext();
    void predictionsAreFinite();

private:
    const ValidationSummary* summary(const std::string& group, const std::string& quantity) const {
        const auto found = std::ranges::find_if(report_.summary, [&](const ValidationSummary& each) {
            return each.group == group && each.quantity == quantity;
        });
        return found == report_.summary.end() ? nullptr : &*found;
    }
    ValidationReport report_;
};

void TestServingAccuracy::initTestCase() {
    PublishedRows rows = data::shippedPublished();
    rows.training.clear();
    rows.collectives.clear();
    const auto catalog = data::loadShippedCatalog().catalog;
    report_ = validate(rows, *catalog, catalog->defaultProfile);
    QVERIFY(report_.rows.size() > 1000);
}

void TestServingAccuracy::classes_data() {
    QTest::addColumn<QString>("group");
    QTest::addColumn<QString>("quantity");
    QTest::addColumn<double>("median");
    QTest::addColumn<double>("mean");
    const double any = 1e9;
    QTest::addRow("dense") << "dense" << "tpot_s" << 0.07 << 0.11;
    // With SGLang's recipes as people run them alongside the vendors' tuned runs of the same models: one set
    // of constants is a compromise between them.
    QTest::addRow("experts") << "moe" << "tpot_s" << 0.14 << 0.19;
    QTest::addRow("gaps") << "all" << "itl_s" << 0.12 << 0.19;
    QTest::addRow("offline") << "load offline" << "output_tokens_per_s_per_gpu" << 0.15 << any;
    QTest::addRow("first token") << "load server (closed loop)" << "ttft_s" << 0.27 << any;
    // Servers as people run them: real prompts and answers, vLLM on H100 and B200. Where the host of the
    // source's B200 machines was busy, steps take several times as long, which is in the mean.
    QTest::addRow("as run") << "source The ML.ENERGY Leaderboard v3.0 data"
                            << "output_tokens_per_s_per_gpu" << 0.07 << 0.12;
    QTest::addRow("gaps as run") << "source The ML.ENERGY Leaderboard v3.0 data"
                                 << "itl_s" << 0.07 << 0.10;
}

void TestServingAccuracy::classes() {
    QFETCH(QString, group);
    QFETCH(QString, quantity);
    QFETCH(double, median);
    QFETCH(double, mean);
    const ValidationSummary* found = summary(group.toStdString(), quantity.toStdString());
    QVERIFY(found);
    QVERIFY2(found->medianAbsError <= median, std::to_string(found->medianAbsError).c_str());
    QVERIFY2(found->meanAbsError <= mean, std::to_string(found->meanAbsError).c_str());
}

void TestServingAccuracy::everyEngineAndGeneration_data() {
    QTest::addColumn<QString>("group");
    for (const char* group :
         {"engine vllm", "engine sglang", "engine sglang-0.5.9", "engine tensorrt-llm",
          "engine tensorrt-llm-1.0", "engine eager-2024", "gpu h100-sxm", "gpu h200-sxm", "gpu b200-sxm"}) {
        QTest::addRow("%s", group) << group;
    }
}

void TestServingAccuracy::everyEngineAndGeneration() {
    QFETCH(QString, group);
    const ValidationSummary* found = summary(group.toStdString(), "tpot_s");
    QVERIFY(found);
    const bool tunedAndAsRun =
        group.startsWith(QStringLiteral("engine sglang")) || group == QStringLiteral("gpu b200-sxm");
    QVERIFY2(found->medianAbsError <= (tunedAndAsRun ? 0.2 : 0.14),
             std::to_string(found->medianAbsError).c_str());
}

void TestServingAccuracy::linesOverTheContext() {
    int lines = 0;
    for (const ValidationRow& row : report_.rows) {
        if (row.quantity == "itl_intercept_s" || row.quantity == "itl_s_per_context_token") {
            ++lines;
            QVERIFY2(std::abs(row.error) <= 0.2, (row.id + " " + row.quantity).c_str());
        }
    }
    QCOMPARE(lines, 4);
}

void TestServingAccuracy::predictionsAreFinite() {
    for (const ValidationRow& row : report_.rows) {
        QVERIFY2(std::isfinite(row.predicted) && row.predicted > 0, row.id.c_str());
        QVERIFY2(row.low < row.predicted && row.predicted < row.high, row.id.c_str());
    }
}

QTEST_APPLESS_MAIN(TestServingAccuracy)

} // namespace tst_serving_accuracy

#include "tst_serving_accuracy.moc"
