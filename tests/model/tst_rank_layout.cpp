// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/rank_layout.h"

#include <QTest>

#include <algorithm>
#include <vector>

namespace tst_rank_layout {

using namespace alidade;

namespace {

using Ranks = std::vector<int>;

/// 24 ranks: 2 tensor x 2 context x 3 data x 2 stages; of experts 2 tensor x 3 x 2 data. Of the 6 ranks with
/// the same weights 3 share training state.
constexpr Degrees degrees{.tensor = 2,
                          .context = 2,
                          .data = 3,
                          .pipeline = 2,
                          .expertTensor = 2,
                          .expert = 3,
                          .expertData = 2,
                          .shard = 3,
                          .expertShard = 2};

bool has(const RankLayout& layout, GroupKind kind) {
    const std::vector<GroupKind> kinds = layout.kinds();
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

} // namespace

/// Groups of ranks, numbered by hand.
class TestRankLayout : public QObject {
    Q_OBJECT

private slots:
    /// rank = t + 2 c + 4 d + 12 p, and for experts t + 2 e + 6 d + 12 p: 17 = 1 + 4 + 12.
    void usualOrder() {
        const RankLayout layout(degrees, "tp-cp-ep-dp-pp");
        QCOMPARE(layout.ranks(), 24);
        const Coordinates at = layout.coordinates(17);
        QCOMPARE(at.tensor, 1);
        QCOMPARE(at.context, 0);
        QCOMPARE(at.data, 1);
        QCOMPARE(at.pipeline, 1);
        QCOMPARE(at.expertTensor, 1);
        QCOMPARE(at.expert, 2);
        QCOMPARE(at.expertData, 0);
        QVERIFY(layout.groupOf(GroupKind::tensor, 17) == (Ranks{16, 17}));
        QVERIFY(layout.groupOf(GroupKind::context, 17) == (Ranks{17, 19}));
        QVERIFY(layout.groupOf(GroupKind::pipeline, 17) == (Ranks{5, 17}));
        QVERIFY(layout.groupOf(GroupKind::data, 17) == (Ranks{13, 15, 17, 19, 21, 23}));
        QVERIFY(layout.groupOf(GroupKind::shard, 17) == (Ranks{13, 15, 17}));
        QVERIFY(layout.groupOf(GroupKind::shard, 19) == (Ranks{19, 21, 23}));
        QVERIFY(layout.groupOf(GroupKind::replica, 17) == (Ranks{17, 23}));
        QVERIFY(layout.groupOf(GroupKind::expertTensor, 17) == (Ranks{16, 17}));
        QVERIFY(layout.groupOf(GroupKind::expert, 17) == (Ranks{13, 15, 17}));
        QVERIFY(layout.groupOf(GroupKind::expertData, 17) == (Ranks{17, 23}));
        for (const GroupKind kind : allGroupKinds)
            QVERIFY(has(layout, kind));
    }

    /// Data before context: rank = t + 2 d + 6 c + 12 p.
    void dataFirst() {
        const RankLayout layout(degrees, "tp-dp-cp-ep-pp");
        QCOMPARE(layout.coordinates(17).data, 2);
        QCOMPARE(layout.coordinates(17).context, 0);
        QVERIFY(layout.groupOf(GroupKind::context, 17) == (Ranks{17, 23}));
        QVERIFY(layout.groupOf(GroupKind::data, 17) == (Ranks{13, 15, 17, 19, 21, 23}));
        // Stages between the two: rank = t + 2 d + 6 p + 12 c.
        const RankLayout apart(degrees, "tp-dp-pp-cp-ep");
        QVERIFY(apart.groupOf(GroupKind::data, 0) == (Ranks{0, 2, 4, 12, 14, 16}));
        QVERIFY(apart.groupOf(GroupKind::shard, 14) == (Ranks{12, 14, 16}));
        QVERIFY(apart.groupOf(GroupKind::replica, 14) == (Ranks{2, 14}));
    }

    /// Stages between context and data: rank = t + 2 c + 4 p + 8 d.
    void stagesInBetween() {
        const RankLayout layout(degrees, "tp-cp-pp-dp-ep");
        QVERIFY(layout.groupOf(GroupKind::data, 1) == (Ranks{1, 3, 9, 11, 17, 19}));
        QVERIFY(layout.groupOf(GroupKind::data, 11) == (Ranks{1, 3, 9, 11, 17, 19}));
        QVERIFY(layout.groupOf(GroupKind::shard, 11) == (Ranks{11, 17, 19}));
        QVERIFY(layout.groupOf(GroupKind::replica, 3) == (Ranks{3, 17}));
        QVERIFY(layout.groupOf(GroupKind::pipeline, 3) == (Ranks{3, 7}));
        // Without context parallelism only data ranks are counted.
        Degrees plain = degrees;
        plain.context = 1;
        QVERIFY(RankLayout(plain, "tp-cp-pp-dp-ep").groupOf(GroupKind::data, 1) == (Ranks{1, 5, 9}));
    }

    /// State that all data ranks share: no parts of the group; groups of one are none.
    void kindsOfGroups() {
        Degrees all = degrees;
        all.shard = 6;
        all.expertTensor = 1;
        const RankLayout layout(all, "tp-cp-ep-dp-pp");
        QVERIFY(has(layout, GroupKind::data));
        QVERIFY(!has(layout, GroupKind::shard));
        QVERIFY(!has(layout, GroupKind::replica));
        QVERIFY(!has(layout, GroupKind::expertTensor));
        QVERIFY(has(layout, GroupKind::expert));
        all.shard = 1; // every rank keeps its own: all are replicas
        QVERIFY(!has(RankLayout(all, "tp-cp-ep-dp-pp"), GroupKind::shard));
        QVERIFY(!has(RankLayout(all, "tp-cp-ep-dp-pp"), GroupKind::replica));
        QVERIFY(RankLayout().kinds().empty());
    }

    /// Engines of 2 tensor x 3 attention-data x 2 stages, two of them: rank = t + 2 a + 6 p + 12 r.
    void engines() {
        const RankLayout layout = RankLayout::serving(2, 3, 2, 2);
        QCOMPARE(layout.ranks(), 24);
        QVERIFY(layout.groupOf(GroupKind::tensor, 17) == (Ranks{16, 17}));
        QVERIFY(layout.groupOf(GroupKind::expert, 17) == (Ranks{12, 13, 14, 15, 16, 17}));
        QVERIFY(layout.groupOf(GroupKind::pipeline, 17) == (Ranks{17, 23}));
        for (const GroupKind silent : {GroupKind::context, GroupKind::data, GroupKind::shard,
                                       GroupKind::replica, GroupKind::expertData}) {
            QVERIFY(!has(layout, silent));
        }
        QCOMPARE(layout.coordinates(17).context, 2);
        QCOMPARE(layout.coordinates(17).data, 1);
    }
};

QTEST_APPLESS_MAIN(TestRankLayout)

} // namespace tst_rank_layout

#include "tst_rank_layout.moc"
