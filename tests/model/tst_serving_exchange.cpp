// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens on the way between attention-data ranks and their experts, and how evenly they spread over the
// ranks.
#include "model/explain/normal.h"
#include "tests/model/serving_rig.h"

#include <cmath>
#include <string_view>

namespace tst_serving_exchange {

using namespace alidade;
using namespace alidade::test;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

/// Two attention-data ranks of two GPUs: each has a prompt of 20 tokens and 3 sequences, 11.5 rows a GPU.
/// Each token goes to 2 of 16 experts of 32 elements, on 4 ranks.
ServingRig twoRanks() {
    ServingRig rig;
    rig.layer.feedForward = FeedForward::moe;
    rig.plan.attentionDataParallel = 2;
    rig.plan.expertGroup.ranks = rig.plan.expertGroup.ranksPerNvlinkDomain = 4;
    rig.in[Input::attentionDataParallel] = 2;
    rig.in[Input::expertImbalance] = 1.25;
    rig.in[Input::nvlinkBandwidth] = 10;
    rig.in[Input::servingExchangeEfficiency] = 0.5;
    rig.in[Input::servingExchangeLatency] = 3;
    rig.in[Input::servingExchangeFill] = 2;
    rig.in[Input::dispatchLatency] = 7;
    rig.in[Input::dispatchEfficiencyNvlink] = 0.5;
    rig.in[Input::networkBandwidth] = 2;
    rig.in[Input::networkDispatchEfficiency] = 0.5;
    rig.in[Input::networkDispatchLatency] = 100;
    return rig;
}

ServingRig unevenExperts(double skew) {
    ServingRig rig;
    rig.layer.feedForward = FeedForward::moe;
    rig.in[Input::servingExpertSkew] = skew;
    return rig;
}

/// The dispatch or combine of a built layer; an operation without bytes if there is none.
CommCost<double> exchange(const ServingRig& rig, std::string_view op) {
    for (const auto& each : rig.out->communication)
        if (each.op == op)
            return each;
    return {};
}

} // namespace

class TestServingExchange : public QObject {
    Q_OBJECT

private slots:
    /// Two choices among 4 ranks hit 3 (1 - (3/4)^2) = 21/16 others: FP8 there, 16 bits back. Four ranks wait
    /// 9/13 of what eight do, and fill their pipeline in root of 3/7.
    void insideADomain() {
        ServingRig rig = twoRanks();
        rig.built();
        for (const auto& [op, elementBytes] : {std::pair("dispatch", 1.0), std::pair("combine", 2.0)}) {
            const auto cost = exchange(rig, op);
            const double bytes = 11.5 * 32 * elementBytes * 21 / 16;
            QVERIFY2(near(cost.bytes, bytes), op);
            QVERIFY(near(cost.wireBytes, bytes) && near(cost.nvlinkBytes, bytes));
            QCOMPARE(cost.networkBytes, 0.0);
            QVERIFY(near(cost.seconds, 3 * 9 / 13.0 + 2 * std::sqrt(3 / 7.0 * bytes) + bytes / 5));
            QCOMPARE(cost.exposed, cost.seconds);
            QCOMPARE(cost.fabric, Bound::nvlink);
            QCOMPARE(cost.kind, GroupKind::expert);
        }
        QVERIFY(near(rig.out->byPart[StepPart::expertNvlink],
                     exchange(rig, "dispatch").seconds + exchange(rig, "combine").seconds));
        QCOMPARE(rig.out->byPart[StepPart::expertNetwork], 0.0);
    }

    /// With 32 ranks for 16 experts each expert is on two of them: four choices.
    void expertsOnSeveralRanks() {
        ServingRig rig = twoRanks();
        rig.plan.expertGroup.ranks = rig.plan.expertGroup.ranksPerNvlinkDomain = 32;
        rig.built();
        const auto ofMany = exchange(rig, "dispatch");
        QVERIFY(near(ofMany.bytes, 11.5 * 32 * 31 * (1 - std::pow(31.0 / 32, 4))));
        QVERIFY(near(ofMany.seconds, 3 + 2 * std::sqrt(ofMany.bytes) + ofMany.bytes / 5)); // as eight
        rig.plan.expertGroup.ranks = rig.plan.expertGroup.ranksPerNvlinkDomain = 16;
        rig.built();
        QVERIFY(near(exchange(rig, "dispatch").bytes, 11.5 * 32 * 15 * (1 - std::pow(15.0 / 16, 2))));
    }

    void whereNothingTravels() {
        ServingRig alone = twoRanks();
        alone.plan.attentionDataParallel = 1;
        alone.built();
        QCOMPARE(exchange(alone, "dispatch").bytes, 0.0);
        ServingRig one = twoRanks();
        one.plan.expertGroup.ranks = one.plan.expertGroup.ranksPerNvlinkDomain = 1;
        one.built();
        QCOMPARE(exchange(one, "combine").bytes, 0.0);
    }

    /// Of two domains of two ranks. In prefill a token crosses once to each domain with one of its experts:
    /// 2 (1 - (8 x 7) / (16 x 15)) = 23/15 of them are hit, half of them another one; and 4 (1 - (12 x 11) /
    /// (16 x 15)) = 9/5 ranks, half of them through NVLink. The busiest rank has a quarter more.
    void acrossDomainsInPrefill() {
        ServingRig rig = twoRanks();
        rig.plan.expertGroup.ranksPerNvlinkDomain = 2;
        rig.plan.expertGroup.ranksPerNode = 2;
        rig.built();
        for (const auto& [op, elementBytes] : {std::pair("dispatch", 1.0), std::pair("combine", 2.0)}) {
            const auto cost = exchange(rig, op);
            const double payload = 11.5 * 32 * elementBytes * 1.25;
            QVERIFY2(near(cost.networkBytes, payload * 23 / 30), op);
            QVERIFY(near(cost.nvlinkBytes, payload * 9 / 10));
            QVERIFY(near(cost.seconds, 107 + payload * 23 / 30)); // 1 byte a second; 5 over NVLink
            QCOMPARE(cost.fabric, Bound::efa);
        }
        QVERIFY(near(rig.out->byPart[StepPart::expertNetwork],
                     exchange(rig, "dispatch").seconds + exchange(rig, "combine").seconds));
        QCOMPARE(rig.out->byPart[StepPart::expertNvlink], 0.0);
    }

    /// Steps without prompts send a copy to each chosen expert: half of two to the other domain, a quarter to
    /// the neighbor.
    void acrossDomainsInDecode() {
        ServingRig rig = twoRanks();
        rig.plan.expertGroup.ranksPerNvlinkDomain = 2;
        rig.plan.expertGroup.ranksPerNode = 2;
        rig.load = {.decodeSequences = 6, .decodeContext = 100};
        rig.built();
        const auto cost = exchange(rig, "dispatch");
        const double payload = 1.5 * 32 * 1.25; // 3 rows of 2 GPUs
        QVERIFY(near(cost.networkBytes, payload));
        QVERIFY(near(cost.nvlinkBytes, payload / 2));
        QVERIFY(near(cost.seconds, 107 + payload));
    }

    /// Popularity of 256 experts on up to 16 ranks: c sqrt((e - 1)/E) of each, the largest of them. On more,
    /// replicas of popular experts leave a quarter.
    void replicasOfPopularExperts() {
        ServingRig rig = unevenExperts(1.2);
        rig.in[Input::routedExperts] = 256;
        rig.load.prefillTokens = 1e14; // chance plays no part
        const auto skew = [&rig](int ranks) {
            rig.plan.expertParallel = ranks;
            rig.in[Input::expertParallel] = ranks;
            const ServingContext<double> context = rig.context();
            return expertSkew(context, context.rows(rig.load));
        };
        QVERIFY(std::abs(skew(16) - (1 + normalQuantile(15.625 / 16.25) * 1.2 * std::sqrt(15 / 256.0))) <
                1e-5);
        QVERIFY(std::abs(skew(32) - 1.25) < 1e-5);
        QVERIFY(std::abs(skew(72) - 1.25) < 1e-5);
    }

    /// Rows that are spread over four ranks by chance alone: 1 + z / sqrt(rows of a rank), which are one at
    /// least. 6 sequences with 2 choices each are 3 rows of a rank; 3 are 1.5, one is half a row.
    void fewRowsSpreadUnevenly() {
        ServingRig rig = unevenExperts(0);
        rig.load.prefillTokens = rig.load.prompts = 0;
        const auto skew = [&rig](double sequences) {
            rig.load.decodeSequences = sequences;
            const ServingContext<double> context = rig.context();
            return expertSkew(context, context.rows(rig.load));
        };
        const double z = blomMaximum(4);
        QVERIFY(near(skew(6), 1 + z / std::sqrt(3)));
        QVERIFY(near(skew(3), 1 + z / std::sqrt(1.5)));
        QVERIFY(near(skew(2), 1 + z));
        QVERIFY(near(skew(1), 1 + z));
        rig.plan.expertParallel = 1;
        rig.in[Input::expertImbalance] = 1.25;
        QCOMPARE(skew(1), 1.25);
    }

    /// Of 64 experts a rank of four has 16; 8 of them are touched with a deviation of sqrt(16 / 4). The
    /// busiest of four ranks lies at the quantile (4 - 0.375) / 4.25 (Blom), and has 16 at most.
    void busiestOfFourRanks() {
        ServingRig rig;
        rig.in[Input::routedExperts] = 64;
        rig.in[Input::expertParallel] = 4;
        const double z = normalQuantile((4 - 0.375) / 4.25);
        QVERIFY(std::abs(busiestExperts(rig.context(), 8.0) - (8 + 2 * z)) < 1e-9);
        QCOMPARE(busiestExperts(rig.context(), 15.9), 16.0);
        rig.plan.expertParallel = 1;
        QCOMPARE(busiestExperts(rig.context(), 8.0), 8.0);
    }
};

QTEST_APPLESS_MAIN(TestServingExchange)

} // namespace tst_serving_exchange

#include "tst_serving_exchange.moc"
