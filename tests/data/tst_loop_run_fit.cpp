// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow cost=20
// The constants of the start of a closed loop are what the shipped measurements say.
#include "data/catalog/catalog_reader.h"
#include "data/validation/published_json.h"
#include "model/validation/serving_runs.h"
#include "model/validation/summaries.h"
#include "model/validation/validate.h"

#include <QTest>

#include <cmath>
#include <memory>
#include <vector>

namespace tst_loop_run_fit {

using namespace alidade;

namespace {

using Constant = double LoopRunConstants::*;

/// A published first token, and the loop that it was measured in.
struct Row {
    double measured = 0;
    ServingRuns::LoopStart start;
};

double errorOf(const std::vector<Row>& rows, const LoopRunConstants& constants) {
    double sum = 0;
    for (const Row& row : rows) {
        const double ttft = row.start.ttft + firstTokenDelay(row.start.run, constants);
        sum += std::abs(std::log(ttft / row.measured));
    }
    return sum / static_cast<double>(rows.size());
}

} // namespace

/// Loops of equal answers, whose first tokens depend most on the start: those of different answers hardly
/// tell the constants.
class TestLoopRunFit : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto catalog = data::loadShippedCatalog().catalog;
        PublishedRows published;
        published.serving = data::shippedPublished().serving;
        const ValidationReport report = validate(published, *catalog, catalog->defaultProfile);
        const auto scratch = std::make_unique<ServingTotals>();
        for (const ValidationRow& row : report.rows) {
            if (row.quantity != "ttft_s" || !isJudged(row))
                continue;
            const auto runs =
                ServingRuns::of(*row.scenario, servingRunOf(row), *catalog, catalog->defaultProfile);
            QVERIFY(runs);
            if (const auto start = runs->loopStart(runs->inputs()[0], *scratch);
                start && start->run.lengthCv <= 0 && firstTokenDelay(start->run) > 0) {
                rows_.push_back({row.measured, *start});
            }
        }
        qInfo("%zu rows, error %.3f", rows_.size(), errorOf(rows_, {}));
        QVERIFY(rows_.size() > 60);
    }

    /// The value of the least mean error of the first token, the other constants as shipped.
    void areNearTheBest_data() {
        QTest::addColumn<Constant>("constant");
        QTest::addColumn<double>("factor");
        QTest::newRow("group") << &LoopRunConstants::group << 1.2;
        QTest::newRow("spread") << &LoopRunConstants::spread << 1.3;
        QTest::newRow("fullest") << &LoopRunConstants::fullest << 1.05;
        QTest::newRow("least CV") << &LoopRunConstants::leastCv << 1.2;
    }
    void areNearTheBest() {
        QFETCH(Constant, constant);
        QFETCH(double, factor);
        LoopRunConstants tried;
        const double shipped = tried.*constant;
        double best = shipped, least = errorOf(rows_, tried);
        for (int i = -40; i <= 40; ++i) {
            tried.*constant = shipped * std::pow(1.04, i);
            if (tried.fullest >= 1)
                break; // a wait without end
            const double error = errorOf(rows_, tried);
            if (error < least) {
                least = error;
                best = tried.*constant;
            }
        }
        qInfo("%g is shipped, %.3g fits best", shipped, best);
        QVERIFY(std::max(shipped / best, best / shipped) <= factor);
    }

private:
    std::vector<Row> rows_;
};

QTEST_APPLESS_MAIN(TestLoopRunFit)

} // namespace tst_loop_run_fit

#include "tst_loop_run_fit.moc"
