// SPDX-License-Identifier: GPL-3.0-or-later
#include "played_timeline.h"
#include "views/timeline/timeline_blocks.h"

#include <QTest>

#include <set>

namespace tst_timeline_data {

using namespace alidade;
using namespace alidade::sample_timeline;
using namespace alidade::views;

class TestTimelineData : public QObject {
    Q_OBJECT

private slots:
    void eventsAreFoundByTime();
    void eachStepNeedsTheOneBefore();
    void everyScheduleIsOneWayForEachMicrobatch_data();
    void everyScheduleIsOneWayForEachMicrobatch();
    void waitingIsWhatNoWorkTakes();
    void workAtTheSameTimeHasTracks();
    void wideBlocksAreSingleAndNarrowOnesMerge();
    void mergedBlocksKeepTheShares();
};

void TestTimelineData::eventsAreFoundByTime() {
    const TimelineData data(played({4, 2, 8, PipelineSchedule::interleaved}));
    QCOMPARE(data.stages(), 4);
    QCOMPARE(data.chunks(), 2);
    QCOMPARE(data.microbatches(), 8);
    QCOMPARE(data.events().size(), std::size_t{4 * 2 * 8 * 2});
    for (int i = 0; i < static_cast<int>(data.events().size()); ++i) {
        const TimelineEvent& e = at(data, i);
        QVERIFY(i >= data.first(e.stage) && i < data.first(e.stage + 1));
        QCOMPARE(data.at(e.stage, (e.start + e.end) / 2), i);
        QCOMPARE(data.tracks(i), 1);
    }
    QCOMPARE(data.at(3, 1e-6), -1); // the last stage waits for the first
    QCOMPARE(data.nextFrom(3, 1e-6), data.first(3));
    QCOMPARE(data.nextFrom(0, data.makespan()), -1);
    QCOMPARE(data.firstEndingAfter(2, data.makespan() + 1), data.first(3));
}

void TestTimelineData::eachStepNeedsTheOneBefore() {
    const TimelineData data(played({4, 1, 8, PipelineSchedule::zeroBubbleH1}));
    QVERIFY(data.hasWeightWork());
    for (int microbatch = 0; microbatch < 8; ++microbatch) {
        QCOMPARE(data.needs(indexOf(data, 0, microbatch, 'F')), -1);
        QCOMPARE(data.needs(indexOf(data, 2, microbatch, 'F')), indexOf(data, 1, microbatch, 'F'));
        QCOMPARE(data.needs(indexOf(data, 3, microbatch, 'B')), indexOf(data, 3, microbatch, 'F'));
        QCOMPARE(data.needs(indexOf(data, 1, microbatch, 'B')), indexOf(data, 2, microbatch, 'B'));
        QCOMPARE(data.needs(indexOf(data, 2, microbatch, 'W')), indexOf(data, 2, microbatch, 'B'));
        QCOMPARE(data.feeds(indexOf(data, 1, microbatch, 'F')), indexOf(data, 2, microbatch, 'F'));
        QCOMPARE(data.feeds(indexOf(data, 0, microbatch, 'B')), -1);
    }
    for (int i = 0; i < static_cast<int>(data.events().size()); ++i)
        if (data.needs(i) >= 0)
            QVERIFY(at(data, data.needs(i)).end <= at(data, i).start + 1e-12);
}

void TestTimelineData::everyScheduleIsOneWayForEachMicrobatch_data() {
    QTest::addColumn<PipelineSchedule>("schedule");
    QTest::addColumn<int>("chunks");
    for (const auto& [schedule, chunks] : {std::pair{PipelineSchedule::gpipe, 1},
                                           {PipelineSchedule::oneForwardOneBackward, 1},
                                           {PipelineSchedule::interleaved, 3},
                                           {PipelineSchedule::zeroBubbleH1, 1},
                                           {PipelineSchedule::zeroBubbleV, 2},
                                           {PipelineSchedule::dualPipe, 1},
                                           {PipelineSchedule::dualPipeV, 2}}) {
        const std::string_view name = scheduleName(schedule);
        QTest::newRow(std::string(name).c_str()) << schedule << chunks;
    }
}

/// Whatever the placement of layers: each step but the first of a micro-batch needs one that had ended, each
/// weight gradient its own backward, and no stage does more than two things at once.
void TestTimelineData::everyScheduleIsOneWayForEachMicrobatch() {
    QFETCH(PipelineSchedule, schedule);
    QFETCH(int, chunks);
    const TimelineData data(played({8, chunks, 24, schedule}));
    QVERIFY(!data.empty());
    int first = 0;
    for (int i = 0; i < static_cast<int>(data.events().size()); ++i) {
        const TimelineEvent& e = at(data, i);
        QVERIFY(data.tracks(i) <= 2);
        const int needed = data.needs(i);
        if (needed < 0) {
            QCOMPARE(e.kind, 'F');
            ++first;
            continue;
        }
        QCOMPARE(at(data, needed).microbatch, e.microbatch);
        QVERIFY(at(data, needed).end <= e.start + 1e-9 * data.makespan());
        if (e.kind == 'W')
            QCOMPARE(at(data, needed).stage, e.stage);
        else
            QCOMPARE(data.feeds(needed), i);
    }
    QCOMPARE(first, 24);
}

void TestTimelineData::waitingIsWhatNoWorkTakes() {
    const TimelineData data(played({4, 1, 8}));
    // 1F1B with equal stages: each waits (p - 1)(F + B) of m (F + B) + that.
    QVERIFY(std::abs(data.makespan() - (8 + 3) * 3e-3) < 1e-12);
    for (int stage = 0; stage < 4; ++stage) {
        const TimelineShares shares = data.shares(stage, 0, data.makespan());
        QVERIFY(std::abs(shares.idle() - 3 * 3e-3) < 1e-12);
        QVERIFY(std::abs(shares.forward - 8e-3) < 1e-12);
        QVERIFY(std::abs(shares.backward - 16e-3) < 1e-12);
        double waited = 0;
        for (int i = data.first(stage); i < data.first(stage + 1); ++i)
            waited += data.idleBefore(i);
        const double after = data.makespan() - at(data, data.first(stage + 1) - 1).end;
        QVERIFY(std::abs(waited + after - shares.idle()) < 1e-12);
    }
    const TimelineShares part = data.shares(0, 0.5e-3, 2.25e-3);
    QVERIFY(std::abs(part.forward - 1.75e-3) < 1e-12);
    QCOMPARE(part.span, 1.75e-3);
}

void TestTimelineData::workAtTheSameTimeHasTracks() {
    Estimate estimate = sample::estimate();
    estimate.training->timeline = {{0, 0, 0, 'F', 0, 1}, {0, 1, 0, 'F', 1, 2},   {0, 2, 0, 'F', 2, 4},
                                   {0, 0, 0, 'B', 2, 5}, {0, 1, 0, 'B', 6, 7.5}, {1, 0, 0, 'F', 1, 2}};
    const TimelineData data(estimate);
    QCOMPARE(data.tracks(0), 1);
    QCOMPARE(data.tracks(2), 2);
    QCOMPARE(data.tracks(3), 2);
    QVERIFY(data.track(2) != data.track(3));
    QCOMPARE(data.tracks(4), 1);
    QCOMPARE(data.at(0, 3, data.track(2)), 2);
    QCOMPARE(data.at(0, 3, data.track(3)), 3);
    QCOMPARE(data.at(0, 4.5, data.track(2)), 3); // one track alone is left
    QCOMPARE(data.idleBefore(4), 1.0);
    QCOMPARE(data.shares(0, 0, 7.5).idle(), 1.0);
    QCOMPARE(data.shares(0, 0, 7.5).forward, 3.0); // of the two seconds together each has one
    QCOMPARE(data.shares(0, 0, 7.5).backward, 3.5);
    QCOMPARE(data.shares(0, 3, 4.5).forward, 0.5);
    QCOMPARE(data.shares(0, 3, 4.5).backward, 1.0);
}

void TestTimelineData::wideBlocksAreSingleAndNarrowOnesMerge() {
    const TimelineData data(played({4, 1, 64}));
    const auto wide = laneBlocks(data, 1, 0, 20e-3, 2000);
    for (const LaneBlock& block : wide) {
        const TimelineEvent& e = at(data, block.event);
        QVERIFY(e.end > 0 && e.start < 20e-3);
        QVERIFY(std::abs(block.left - std::max(e.start, 0.0) * 1e5) < 1e-6);
        QVERIFY(std::abs(block.right - std::min(e.end, 20e-3) * 1e5) < 1e-6);
    }
    // All that overlaps the time is there, once.
    std::set<int> there;
    for (const LaneBlock& block : wide)
        there.insert(block.event);
    std::set<int> wanted;
    for (int i = data.first(1); i < data.first(2); ++i)
        if (at(data, i).start < 20e-3)
            wanted.insert(i);
    QCOMPARE(there, wanted);
    const auto narrow = laneBlocks(data, 1, 0, data.makespan(), 60);
    QVERIFY(narrow.size() <= 60);
    QVERIFY(std::ranges::all_of(narrow, [](const LaneBlock& block) { return block.event < 0; }));
    QVERIFY(laneBlocks(data, 1, 0, 0, 60).empty());
}

void TestTimelineData::mergedBlocksKeepTheShares() {
    const TimelineData data(played({4, 1, 512}));
    const int pixels = 40;
    double forward = 0, backward = 0;
    for (const LaneBlock& block : laneBlocks(data, 2, 0, data.makespan(), pixels)) {
        forward += static_cast<double>(block.forward) * (block.right - block.left);
        backward += static_cast<double>(block.backward) * (block.right - block.left);
    }
    const TimelineShares shares = data.shares(2, 0, data.makespan());
    // Shares are drawn in eighths of a pixel.
    QVERIFY(std::abs(forward / pixels - shares.forward / shares.span) < 1.0 / 16);
    QVERIFY(std::abs(backward / pixels - shares.backward / shares.span) < 1.0 / 16);
    // A single event far narrower than a pixel is still to be seen.
    Estimate lonely = sample::estimate();
    lonely.training->timeline = {{0, 0, 0, 'F', 0, 1e-6}, {0, 0, 0, 'B', 1, 1 + 1e-6}};
    const auto blocks = laneBlocks(TimelineData(lonely), 0, 0, 2, 100);
    QCOMPARE(blocks.size(), std::size_t{2});
    QVERIFY(blocks[0].forward > 0.2F);
    QVERIFY(blocks[1].backward > 0.2F);
    QCOMPARE(blocks[1].left, 50.0);
}

QTEST_APPLESS_MAIN(TestTimelineData)

} // namespace tst_timeline_data

#include "tst_timeline_data.moc"
