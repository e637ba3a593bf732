// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: numbers
#include "model/search/work_order.h"

#include <QTest>

#include <cstdint>
#include <vector>

namespace tst_work_order {

using namespace alidade;

class WorkOrderTest : public QObject {
    Q_OBJECT

private slots:
    /// The parts of all shards together are every plan, once.
    void everyPlanComesOnce_data() {
        QTest::addColumn<quint64>("plans");
        QTest::addColumn<quint64>("shards");
        QTest::addColumn<bool>("slow");
        for (const quint64 plans : {1, 15, 16, 255, 257, 4'096, 4'097, 100'003})
            for (const quint64 shards : {1, 2, 7, 600})
                for (const bool slow : {false, true})
                    QTest::addRow("%d plans, %d shards, %d", int(plans), int(shards), int(slow))
                        << plans << shards << slow;
    }
    void everyPlanComesOnce() {
        QFETCH(quint64, plans);
        QFETCH(quint64, shards);
        QFETCH(bool, slow);
        std::vector<int> tried(plans, 0);
        std::vector<WorkOrder::Range> ranges;
        for (quint64 shard = 0; shard < shards; ++shard) {
            const WorkOrder order(plans, {shard, shards}, slow);
            for (std::uint64_t part = 0; part < order.parts(); ++part) {
                order.ranges(part, ranges);
                std::uint64_t last = 0;
                for (const auto& [begin, end] : ranges) {
                    QVERIFY(begin >= last && begin < end && end <= plans);
                    last = end;
                    for (std::uint64_t i = begin; i < end; ++i) {
                        QCOMPARE(i / WorkOrder::blockPlans % shards, shard);
                        ++tried[i];
                    }
                }
            }
        }
        for (const int count : tried)
            QCOMPARE(count, 1);
    }

    /// However few of the first parts were tried, they are from all over the space, and few plans.
    void theFirstOnesComeFromEverywhere() {
        constexpr std::uint64_t plans = 10'000'000, shares = 16;
        const WorkOrder order(plans, {}, false);
        QCOMPARE(order.spread(), WorkOrder::mostSpread);
        std::vector<WorkOrder::Range> ranges;
        std::vector<bool> seen(shares, false);
        for (std::uint64_t part = 0; part < shares; ++part) {
            order.ranges(part, ranges);
            QCOMPARE(ranges.size(), std::size_t{1});
            QVERIFY(ranges[0].end - ranges[0].begin <= WorkOrder::mostOfSpread);
            seen[ranges[0].begin * shares / plans] = true;
        }
        for (const bool each : seen)
            QVERIFY(each);
    }

    /// Some thousand parts, however large the space is, of 16 chunks of 16 plans at least, and at most 256
    /// times as many.
    void partsOfASpace() {
        const auto parts = [](std::uint64_t plans) {
            const WorkOrder order(plans, {}, false);
            return order.parts() - order.spread();
        };
        QCOMPARE(parts(100'000), std::uint64_t{391});        // 6,250 chunks / 16
        QCOMPARE(parts(25'600'000), std::uint64_t{4'167});   // 1,600,000 chunks are 24.4 x 16 x 4,096
        QCOMPARE(parts(1ULL << 32U), std::uint64_t{65'536}); // 2^28 chunks / (16 x 256)
    }
};

QTEST_GUILESS_MAIN(WorkOrderTest)

} // namespace tst_work_order

#include "tst_work_order.moc"
