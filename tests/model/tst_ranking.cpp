// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/random.h"
#include "model/search/ranking.h"

#include <QTest>

#include <algorithm>
#include <random>

namespace tst_ranking {

using namespace alidade;

namespace {

std::vector<RankedPlan> somePlans(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> score(0, 60); // few values: ties
    std::vector<RankedPlan> out;
    for (int i = 0; i < count; ++i) {
        const int first = score(random),
                  second = 60 - first + score(random) / 3; // one at the cost of the other
        out.push_back({{static_cast<double>(first), static_cast<double>(second)},
                       score(random) % 3,
                       static_cast<std::uint64_t>(i)});
    }
    return out;
}

std::vector<std::uint64_t> indices(const std::vector<RankedPlan>& plans) {
    std::vector<std::uint64_t> out;
    std::ranges::transform(plans, std::back_inserter(out), &RankedPlan::index);
    return out;
}

bool beats(const RankedPlan& a, const RankedPlan& b) {
    return a.scores[0] <= b.scores[0] && a.scores[1] <= b.scores[1] && a.scores != b.scores;
}

} // namespace

/// Lists of a search: what they hold does not depend on the order in which plans arrive.
class RankingTest : public QObject {
    Q_OBJECT

private slots:
    void theBestAreKept() {
        std::vector<RankedPlan> plans = somePlans(500, 1);
        std::vector<RankedPlan> sorted = plans;
        std::sort(sorted.begin(), sorted.end());
        sorted.resize(20);
        for (unsigned seed = 0; seed < 5; ++seed) {
            BestList one(20), other(20);
            for (std::size_t i = 0; i < plans.size(); ++i)
                (i % 3 == 0 ? one : other).add(plans[i]);
            one.add(other);
            QCOMPARE(indices(one.sorted()), indices(sorted));
            std::shuffle(plans.begin(), plans.end(), std::mt19937(seed));
        }
        BestList none(0);
        none.add(plans.front());
        QVERIFY(none.sorted().empty());
    }

    void theFrontIsWhatNothingBeats() {
        std::vector<RankedPlan> plans = somePlans(400, 2);
        std::vector<RankedPlan> expected;
        for (const RankedPlan& each : plans) {
            const bool beaten = std::ranges::any_of(plans, [&](const RankedPlan& other) {
                return beats(other, each) || (other.scores == each.scores && other < each);
            });
            if (!beaten)
                expected.push_back(each);
        }
        std::ranges::sort(expected, {}, [](const RankedPlan& p) { return p.scores[0]; });
        QVERIFY(expected.size() > 3);
        for (unsigned seed = 0; seed < 5; ++seed) {
            ParetoFront one, other;
            for (std::size_t i = 0; i < plans.size(); ++i)
                (i % 2 == 0 ? one : other).add(plans[i]);
            one.add(other);
            QCOMPARE(indices(one.plans()), indices(expected));
            std::shuffle(plans.begin(), plans.end(), std::mt19937(seed));
        }
    }

    /// The same plans, whatever their order, from all over the space.
    void theSampleIsSpread() {
        constexpr std::uint64_t plans = 10'000;
        PlanSample forward(100), one(100), other(100), all(20'000);
        for (std::uint64_t i = 0; i < plans; ++i) {
            forward.add({{1.0 * static_cast<double>(i), 0}, i});
            const std::uint64_t back = plans - 1 - i;
            (back % 7 == 0 ? one : other).add({{1.0 * static_cast<double>(back), 0}, back});
            all.add({{0, 0}, i});
        }
        one.add(other);
        const auto sample = forward.plans(), same = one.plans();
        QCOMPARE(sample.size(), std::size_t{100});
        QCOMPARE(all.plans().size(), std::size_t{plans});
        for (std::size_t i = 0; i < sample.size(); ++i) {
            QCOMPARE(sample[i].index, same[i].index);
            QCOMPARE(sample[i].values[0], static_cast<double>(sample[i].index));
        }
        // A quarter of the space has a quarter of the sample, more or less.
        const auto early =
            std::ranges::count_if(sample, [](const SampledPlan& p) { return p.index < plans / 4; });
        QVERIFY2(early > 12 && early < 38, qPrintable(QString::number(early)));
    }

    /// The published first output for the seed 1,234,567, and the ends of what is drawn from such bits.
    void randomBits() {
        QCOMPARE(splitMix64(1'234'567), std::uint64_t{6'457'827'717'110'365'317U});
        QCOMPARE(uniformOf(0), 0x1p-54);
        QVERIFY(uniformOf(~std::uint64_t{0} << 12U) < 1);
        QCOMPARE(uniformOf(std::uint64_t{1} << 63U), 0.5);
    }

    /// Messages that differ in their numbers are one reason, told by its first example.
    void reasonsAreCounted() {
        RejectionList one, other;
        other.add("Tensor 3 does not divide the 64 heads", 5);
        one.add("Tensor 12 does not divide the 64 heads", 9);
        one.add("Does not fit", 1);
        other.add("Tensor 5 does not divide the 64 heads", 7);
        one.add(other);
        const std::vector<Rejection> all = one.sorted();
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].why, std::string("Tensor 3 does not divide the 64 heads"));
        QCOMPARE(all[0].count, std::uint64_t{3});
        QCOMPARE(all[0].index, std::uint64_t{5});
        QCOMPARE(all[1].count, std::uint64_t{1});
        QCOMPARE(all[0].further, (std::vector<std::uint64_t>{7, 9}));
        QVERIFY(all[1].further.empty());
    }

    /// Of the plans that failed for one reason the first ones in the space are kept, whoever tried them.
    void examplesAreTheFirst() {
        constexpr std::uint64_t plans = 1000;
        for (unsigned seed = 0; seed < 5; ++seed) {
            std::vector<std::uint64_t> order(plans);
            std::ranges::generate(order, [i = std::uint64_t{0}]() mutable { return i++; });
            std::ranges::shuffle(order, std::mt19937(seed));
            RejectionList one, other;
            for (std::size_t i = 0; i < order.size(); ++i)
                (i % 3 == 0 ? one : other).add("Step " + std::to_string(order[i]), order[i]);
            one.add(other);
            const std::vector<Rejection> all = one.sorted();
            QCOMPARE(all.size(), std::size_t{1});
            QCOMPARE(all[0].count, plans);
            QCOMPARE(all[0].index, std::uint64_t{0});
            QCOMPARE(all[0].why, std::string("Step 0"));
            QCOMPARE(all[0].further.size(), mostExamples - 1);
            for (std::size_t i = 0; i < all[0].further.size(); ++i)
                QCOMPARE(all[0].further[i], i + 1);
        }
    }
};

QTEST_GUILESS_MAIN(RankingTest)

} // namespace tst_ranking

#include "tst_ranking.moc"
