// SPDX-License-Identifier: GPL-3.0-or-later
// What a buyer's document computes, against values derived by hand.
#include "model/document/bill.h"
#include "model/document/options.h"
#include "model/document/risks.h"

#include <QTest>

#include <cmath>

namespace tst_document {

using namespace alidade;

namespace {

Order orderOfMonths(std::vector<Cents> months) {
    Order out;
    for (std::size_t i = 0; i < months.size(); ++i) {
        out.months.push_back({std::to_string(i + 1), months[i]});
        out.beforeTax += months[i];
    }
    out.total = out.beforeTax;
    return out;
}

/// A plan that can be used. All errors are independent: each figure has this standard deviation of ln.
OptionCandidate planOf(const char* name, Cents total, double days, double logSd = 0.05,
                       const char* machine = "a") {
    OptionCandidate out{.name = name};
    out.result.runs = out.result.fits = out.result.carries = true;
    out.result.total = total;
    out.result.days = days;
    out.errors.machine = machine;
    out.errors.logSd.assign(planFigures().size(), logSd);
    out.errors.timeParts = {days};
    return out;
}

const ConsideredOption& named(const std::vector<ConsideredOption>& all, const std::string& name) {
    for (const ConsideredOption& each : all)
        if (each.name == name)
            return each;
    qFatal("no option %s", name.c_str());
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT

private slots:
    void monthsAddUpToTheTotals() {
        const Bill bill{.expected = orderOfMonths({100, 250, 75}),
                        .low = orderOfMonths({100, 200}),
                        .high = orderOfMonths({100, 250, 150, 40})};
        const std::vector<CashMonth> cash = cashFlow(bill);
        QCOMPARE(cash.size(), 4U); // as many as the longest has
        QCOMPARE(cash[1].soFar, 350);
        QCOMPARE(cash[2].soFar, 425);
        QCOMPARE(cash[3].paid, 0);
        QCOMPARE(cash[3].soFar, bill.expected.total);
        QCOMPARE(cash[3].lowSoFar, bill.low->total);
        QCOMPARE(cash[3].highSoFar, bill.high->total);
        QCOMPARE(cash[3].name, std::string("4"));
    }

    void withoutABandLowAndHighAreTheExpectedOnes() {
        const std::vector<CashMonth> cash =
            cashFlow({.expected = orderOfMonths({7, 5}), .low = {}, .high = {}});
        QCOMPARE(cash[1].lowSoFar, 12);
        QCOMPARE(cash[1].highSoFar, 12);
    }

    void aMonthHasSevenHundredThirtyHours() {
        QCOMPARE(perMonth(1'000'000, 1460), 500'000); // two months
        QCOMPARE(perMonth(100, 2190), 33);            // a third, to the cent
        QCOMPARE(perMonth(100, 0), 0);
    }

    void ratesOfBlocksChangeWithTheQuarter() {
        QCOMPARE(*rateChangeAfter("capacity_block", "2026-11-25"), std::string("2027-01-01"));
        QCOMPARE(*rateChangeAfter("capacity_block", "2026-01-01"), std::string("2026-04-01"));
        QCOMPARE(*rateChangeAfter("capacity_block", "2026-09-30"), std::string("2026-10-01"));
        QVERIFY(!rateChangeAfter("on_demand", "2026-11-25"));
        QVERIFY(!rateChangeAfter("capacity_block", "soon"));
    }

    void blocksAreBoughtEightWeeksAhead() {
        QCOMPARE(*firstDayToBuy("capacity_block", "2027-01-04"), std::string("2026-11-09"));
        QVERIFY(!firstDayToBuy("on_demand", "2027-01-04"));
        QVERIFY(!firstDayToBuy("capacity_block", ""));
    }

    /// ln 2 / 0.5 = 1.3863 standard deviations: 8.28 % are beyond.
    void chancesAreThoseOfALogNormal() {
        QVERIFY(std::abs(chanceOfFactor(2, 0.5) - 0.0828) < 1e-4);
        QCOMPARE(chanceOfFactor(1, 0.5), 0.5);
        QCOMPARE(chanceOfFactor(2, 0), 0.0);
    }

    /// Independent errors of 5 % each: ln of a ratio has 0.0707; 80 % of the ratios lie within a factor of
    /// exp(1.2816 x 0.0707) = 1.095.
    void differencesWithinTheErrorAreNamedAsSuch() {
        const std::vector<OptionCandidate> all{
            planOf("chosen", 1'000'00, 10), planOf("equal", 1'080'00, 10.5, 0.05, "b"),
            planOf("dear", 1'110'00, 10, 0.05, "c"), planOf("cheap", 900'00, 12, 0.05, "d")};
        const std::vector<ConsideredOption> judged = judgedOptions(all, 0);
        QCOMPARE(judged.front().name, std::string("chosen"));
        QCOMPARE(judged.front().state, OptionState::chosen);
        const ConsideredOption& equal = named(judged, "equal");
        QVERIFY(equal.equal);
        QCOMPARE(equal.state, OptionState::open);
        QVERIFY2(equal.reason.find("within the model's error") != std::string::npos, equal.reason.c_str());
        const ConsideredOption& dear = named(judged, "dear");
        QVERIFY(!dear.equal);
        QCOMPARE(dear.state, OptionState::rejected);
        QCOMPARE(dear.reason, std::string("11 % dearer"));
        const ConsideredOption& cheap = named(judged, "cheap");
        QCOMPARE(cheap.state, OptionState::open);
        QCOMPARE(cheap.reason, std::string("10 % cheaper, 20 % slower"));
    }

    void whatCannotBeUsedIsRejectedWithItsReason() {
        std::vector<OptionCandidate> all{planOf("chosen", 100, 10), planOf("big", 90, 9),
                                         planOf("late", 80, 40)};
        all[1].result.fits = all[1].result.carries = false;
        all[1].result.why = "does not fit: 12.2 GB too much";
        all[0].result.deadlineDays = all[2].result.deadlineDays = 30;
        const std::vector<ConsideredOption> judged = judgedOptions(all, 0);
        QCOMPARE(named(judged, "big").state, OptionState::rejected);
        QCOMPARE(named(judged, "big").reason, std::string("Does not fit: 12.2 GB too much"));
        QCOMPARE(named(judged, "late").state, OptionState::rejected);
        QCOMPARE(named(judged, "late").reason, std::string("Misses the deadline by 10.0 days"));
        QCOMPARE(judged.back().name, std::string("big")); // its total says nothing
    }

    void theCheapestIsRecommendedUnlessAnEarlierOneIsEqual() {
        QCOMPARE(recommendedOption(std::vector{planOf("a", 200, 10), planOf("b", 100, 10, 0.05, "b")}), 1U);
        QCOMPARE(recommendedOption(std::vector{planOf("a", 101, 10), planOf("b", 100, 10, 0.05, "b")}), 0U);
        std::vector<OptionCandidate> all{planOf("a", 100, 10), planOf("b", 200, 10, 0.05, "b")};
        all[0].result.carries = false;
        QCOMPARE(recommendedOption(all), 1U);
        all[1].result.carries = false;
        QCOMPARE(recommendedOption(all), 0U);
    }

    /// Without known errors nothing is certain.
    void unknownErrorsMakeNoDifferenceCertain() {
        std::vector<OptionCandidate> all{planOf("a", 100, 10), planOf("b", 200, 20)};
        all[1].errors.logSd.clear();
        QVERIFY(named(judgedOptions(all, 0), "b").equal);
    }
};

QTEST_GUILESS_MAIN(TestDocument)

} // namespace tst_document

#include "tst_document.moc"
