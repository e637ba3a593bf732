// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions of published collectives: the time by the law, and how wide its band is.
#include "model/validation/predict_collective.h"
#include "tests/model/fitted_catalog.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tst_collective_predictions {

using namespace alidade;
using namespace alidade::tests;

namespace {

constexpr double tenth = 1.2816; ///< 10 % quantile of a normal distribution, in sd

bool near(double a, double b, double to = 1e-9) { return std::abs(a - b) <= to * std::abs(b); }

/// Links without latencies, of exactly known constants: an all-gather of 8 takes 7/8 of its bytes over 450
/// GB/s x 0.8.
Catalog plainLinks() {
    Catalog out = fittedCatalog();
    makeExact(out.defaultProfile, {});
    for (const char* name :
         {"all_gather_latency", "all_gather_fill", "nvlink_step_latency", "own_part_share"})
        constantIn(out.defaultProfile, name).value = 0;
    constantIn(out.defaultProfile, "all_gather_efficiency").value = 0.8;
    return out;
}

PublishedCollective gather() {
    PublishedCollective row;
    row.gpu = "H100";
    row.gpus = 8;
    row.op = "all_gather";
    row.bytes = 1.6e9;
    row.timeS = 0.01;
    return row;
}

std::optional<CollectivePrediction> predicted(const PublishedCollective& row, const Catalog& catalog) {
    return predictCollective(row, catalog, catalog.defaultProfile, nullptr);
}

/// sd of the logarithm that a band stands for; NaN if it is not about the prediction.
double sdOf(const CollectivePrediction& found) {
    const bool symmetric = near(found.low * found.high, found.seconds * found.seconds, 1e-12);
    return symmetric ? std::log(found.high / found.seconds) / tenth
                     : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

class TestCollectivePredictions : public QObject {
    Q_OBJECT

private slots:
    void timeAndBand() {
        Catalog catalog = plainLinks();
        auto found = predicted(gather(), catalog);
        QCOMPARE(found->measured, 0.01);
        QVERIFY(near(found->seconds, 1.6e9 * 7 / 8 / 3.6e11));
        QVERIFY(near(sdOf(*found), 0.06)); // what rows of one domain scatter by
        QVERIFY(found->high > found->low);
        // The time is inverse to the rate, whose uncertainty adds to it: hypot(0.06, 0.08).
        constantIn(catalog.defaultProfile, "all_gather_efficiency").logSd = 0.08;
        found = predicted(gather(), catalog);
        QVERIFY(near(sdOf(*found), 0.1));
        constantIn(catalog.defaultProfile, "all_reduce_efficiency").logSd = 0.5; // of another operation
        QVERIFY(near(sdOf(*predicted(gather(), catalog)), 0.1));
    }

    /// Of a half that is latency and a half that is the rate: each with half of its own uncertainty.
    void sharesOfTheTime() {
        Catalog catalog = plainLinks();
        Parameter& latency = constantIn(catalog.defaultProfile, "all_gather_latency");
        latency.value = 1.6e9 * 7 / 8 / 3.6e11;
        latency.logSd = 0.16;
        constantIn(catalog.defaultProfile, "all_gather_efficiency").logSd = 0.12;
        const auto found = predicted(gather(), catalog);
        QVERIFY(near(found->seconds, 2 * latency.value));
        QVERIFY(near(sdOf(*found), std::sqrt(0.08 * 0.08 + 0.06 * 0.06 + 0.06 * 0.06), 5e-3));
    }

    /// What a profile leaves out is the default's, with its uncertainty.
    void constantsOfTheDefault() {
        Catalog catalog = plainLinks();
        Profile own = catalog.defaultProfile;
        constantIn(catalog.defaultProfile, "all_gather_efficiency").logSd = 0.08;
        constantIn(catalog.defaultProfile, "all_gather_efficiency").value = 0.4;
        auto found = predictCollective(gather(), catalog, own, nullptr);
        QVERIFY(near(found->seconds, 1.6e9 * 7 / 8 / 3.6e11) && near(sdOf(*found), 0.06));
        own.parameters.erase(std::ranges::find(own.parameters, "all_gather_efficiency", &Parameter::name));
        found = predictCollective(gather(), catalog, own, nullptr);
        QVERIFY(near(found->seconds, 1.6e9 * 7 / 8 / 1.8e11) && near(sdOf(*found), 0.1));
    }

    /// Rows across the network scatter more, those of expert exchanges the most.
    void scatter() {
        const Catalog catalog = plainLinks();
        PublishedCollective row = gather();
        row.nodes = 2;
        row.gpus = 16;
        row.fabric = "InfiniBand 400 Gb/s per GPU";
        QVERIFY(near(sdOf(*predicted(row, catalog)), 0.15));
        row.ep = PublishedExchange();
        row.ep->ranks = 16;
        row.ep->tokensPerRank = 100;
        row.ep->hidden = 1000;
        row.ep->perToken = 8;
        row.ep->mode = "normal";
        QVERIFY(near(sdOf(*predicted(row, catalog)), 0.25));
    }

    void whatHasNoLaw() {
        const Catalog catalog = plainLinks();
        PublishedCollective row = gather();
        row.bytes.reset();
        std::string why = "as it was";
        QVERIFY(!predictCollective(row, catalog, catalog.defaultProfile, &why));
        QCOMPARE(why, std::string("the source does not say for how many bytes"));
        QVERIFY(!predicted(row, catalog));
        why = "as it was";
        QVERIFY(predictCollective(gather(), catalog, catalog.defaultProfile, &why));
        QCOMPARE(why, std::string("as it was"));
    }
};

QTEST_APPLESS_MAIN(TestCollectivePredictions)

} // namespace tst_collective_predictions

#include "tst_collective_predictions.moc"
