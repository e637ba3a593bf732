// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/pipeline_idle.h"
#include "model/schedule/schedule_rules.h"
#include "model/schedule/timeline.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

namespace tst_schedule_contracts {

using namespace alidade;

namespace {

using S = PipelineSchedule;

PipelineTimes<double> timesOf(const PipelinePlan& plan) {
    return {plan.schedule,      plan.stages,   plan.microbatches, plan.chunks,
            plan.virtualStages, plan.transfer, plan.combined};
}

/// A legal plan of three devices (four for DualPipe) with unequal stages, in units of so many seconds. The
/// last stage holds a head.
PipelinePlan unequal(S schedule, double unit) {
    PipelinePlan out{.schedule = schedule, .stages = 3, .microbatches = 8, .transfer = 0.25 * unit};
    out.chunks = std::max(1, scheduleChunks(schedule) == 0 ? 2 : scheduleChunks(schedule));
    out.combined = 0.875;
    if (schedule == S::dualPipe)
        out.stages = 4;
    for (int i = 0; i < out.stages * out.chunks; ++i) {
        const double more = i % 2 == 0 ? 0.5 : 0.25 * i;
        out.virtualStages.push_back({unit * (1 + more), unit * (1.5 + more), unit * (0.75 + more)});
    }
    out.virtualStages.back().forward += 2 * unit;
    out.virtualStages.back().backwardInput += 2 * unit;
    return out;
}

} // namespace

/// What callers of the schedules rely on: complete refusals at their bounds, units, and what a value means
/// that nothing has been said about.
class TestScheduleContracts : public QObject {
    Q_OBJECT

private slots:
    void refusals_data() {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<QString>("words"); // none: the plan is fine
        const auto row = [](S schedule, int stages, int microbatches, int chunks, const char* words) {
            QTest::addRow("%s, %d stages, %d micro-batches, %d chunks", scheduleName(schedule).data(), stages,
                          microbatches, chunks)
                << static_cast<int>(schedule) << stages << microbatches << chunks
                << QString::fromLatin1(words);
        };
        const char* const nothing =
            "A pipeline needs at least one stage, one micro-batch and one chunk of layers";
        row(S::gpipe, 0, 1, 1, nothing);
        row(S::gpipe, 1, 0, 1, nothing);
        row(S::gpipe, 1, 1, 0, nothing);
        row(S::gpipe, 1, 1, 1, "");
        row(S::gpipe, 256, 1, 1, "");
        row(S::gpipe, 257, 1, 1, "A pipeline may have at most 256 stages, not 257");
        row(S::zeroBubbleH2, 4, 8, 1,
            "The zb-h2 schedule lets each stage step its optimizer before the others are done; use zb-h1 or "
            "zb-v");
        row(S::interleaved, 4, 8, 1,
            "The interleaved schedule needs at least 2 chunks of layers per stage, not 1; with 1 it is the "
            "1f1b schedule");
        row(S::interleaved, 4, 8, 2, "");
        row(S::interleaved, 1, 8, 2, "The interleaved schedule needs at least 2 stages");
        row(S::interleaved, 2, 1, 3, "");
        row(S::zeroBubbleH1, 4, 8, 2,
            "The zb-h1 schedule has 1 chunk of layers per stage, not 2; chunks need the interleaved "
            "schedule, "
            "or 2 of them zb-v or dualpipe-v");
        row(S::zeroBubbleV, 4, 8, 3,
            "The zb-v schedule has 2 chunks of layers per stage, one on each arm of a V, not 3");
        row(S::zeroBubbleV, 1, 8, 2, "The zb-v schedule needs at least 2 stages");
        row(S::zeroBubbleV, 2, 1, 2, "");
        row(S::dualPipe, 5, 10, 1,
            "The dualpipe schedule needs an even number of stages, not 5; each device holds one stage of "
            "each "
            "direction");
        row(S::dualPipe, 4, 7, 1,
            "The dualpipe schedule needs at least 8 micro-batches (twice the stages), not 7");
        row(S::dualPipe, 4, 8, 1, "");
        row(S::dualPipe, 4, 9, 1,
            "The dualpipe schedule needs an even number of micro-batches, half for each direction, not 9");
        row(S::dualPipe, 4, 10, 1, "");
        row(S::dualPipeV, 5, 9, 2,
            "The dualpipe-v schedule needs at least 10 micro-batches (twice the stages), not 9");
        row(S::dualPipeV, 5, 11, 2, "");
    }
    void refusals() {
        QFETCH(int, schedule);
        QFETCH(int, stages);
        QFETCH(int, microbatches);
        QFETCH(int, chunks);
        QFETCH(QString, words);
        const auto refused = scheduleRefusal(static_cast<S>(schedule), stages, microbatches, chunks);
        QCOMPARE(QString::fromStdString(refused.value_or("")), words);
        QCOMPARE(bool(refused), !words.isEmpty());
    }

    /// A forward and two gradients of each chunk and micro-batch: 2 x 2 x 3 x 333,334 are more than four
    /// million.
    void aTimelineIsNotDrawnBeyondALimit() {
        const PipelinePlan plan{
            .schedule = S::interleaved, .stages = 2, .microbatches = 333'334, .chunks = 2};
        const auto refused = simulate(plan);
        QVERIFY(!refused);
        QCOMPARE(QString::fromStdString(refused.error()),
                 QStringLiteral("The timeline has too many operations to draw; use fewer micro-batches"));
        PipelinePlan fewer = plan; // 3,999,996 of them: what is missing are the times
        fewer.microbatches = 333'333;
        const auto incomplete = simulate(fewer);
        QVERIFY(!incomplete);
        QCOMPARE(QString::fromStdString(incomplete.error()),
                 QStringLiteral("a timeline needs the times of all virtual stages (stages x chunks)"));
    }

    void units_data() {
        QTest::addColumn<int>("schedule");
        for (const S schedule : {S::gpipe, S::oneForwardOneBackward, S::interleaved, S::zeroBubbleH1,
                                 S::zeroBubbleV, S::dualPipe, S::dualPipeV}) {
            QTest::newRow(scheduleName(schedule).data()) << static_cast<int>(schedule);
        }
    }
    /// A thousandth of every time is a thousandth of the step: no second hides among milliseconds.
    void units() {
        QFETCH(int, schedule);
        constexpr double part = 1.0 / 1024;
        const PipelinePlan large = unequal(static_cast<S>(schedule), 1);
        const PipelinePlan small = unequal(static_cast<S>(schedule), part);
        QVERIFY(!scheduleRefusal(large.schedule, large.stages, large.microbatches, large.chunks));
        QCOMPARE(criticalPath(timesOf(small)), part * criticalPath(timesOf(large)));
        QCOMPARE(simulate(small)->makespan, part * simulate(large)->makespan);
        const PipelineIdle<double> a = pipelineIdle(timesOf(large)), b = pipelineIdle(timesOf(small));
        QCOMPARE(b.bubble, part * a.bubble);
        QCOMPARE(b.transfer, part * a.transfer);
        QCOMPARE(b.overlapped, part * a.overlapped);
        QCOMPARE(b.busiest, a.busiest);
        QCOMPARE(busiestDevice(timesOf(small)).seconds, part * busiestDevice(timesOf(large)).seconds);
    }

    void chainsAndShares_data() { units_data(); }
    /// The entries of the chain, each as often as it says, are the chain without transfers. A pair of
    /// DualPipe counts 7/8 of its forward and backward.
    void chainsAndShares() {
        QFETCH(int, schedule);
        for (const double unit : {1.0, 0.001}) {
            PipelinePlan plan = unequal(static_cast<S>(schedule), unit);
            const CriticalPaths both = criticalPaths(timesOf(plan));
            QCOMPARE(both.with, criticalPath(timesOf(plan)));
            QVERIFY(both.with > both.without);
            plan.transfer = 0;
            QCOMPARE(both.without, criticalPath(timesOf(plan)));
            QCOMPARE(criticalPaths(timesOf(plan)).with, both.without);
            const std::vector<PathShare> shares = criticalPathShares(timesOf(plan));
            QCOMPARE(shares.size(), plan.virtualStages.size());
            double sum = 0;
            for (std::size_t k = 0; k < shares.size(); ++k) {
                const StageSeconds<double>& t = plan.virtualStages[k];
                sum += shares[k].forward * t.forward + shares[k].backwardInput * t.backwardInput +
                       shares[k].backwardWeight * t.backwardWeight;
            }
            QVERIFY(std::abs(sum - both.without) < 1e-9 * sum);
        }
    }

    /// One stage that nobody waits for: all its work, one micro-batch after the other.
    void oneStage() {
        for (const S schedule : {S::gpipe, S::oneForwardOneBackward, S::zeroBubbleH1}) {
            PipelinePlan plan{.schedule = schedule, .stages = 1, .microbatches = 5, .transfer = 3};
            plan.virtualStages = {{0.01, 0.02, 0.03}};
            QCOMPARE(criticalPath(timesOf(plan)), 0.3);
            QCOMPARE(simulate(plan)->makespan, 0.3);
            QCOMPARE(pipelineIdle(timesOf(plan)).bubble, 0.0);
            QCOMPARE(pipelineIdle(timesOf(plan)).transfer, 0.0);
        }
    }

    /// ZB-H2 holds 2 p - 1 micro-batches at most (Qi et al. 2024); its chain is not known.
    void zeroBubbleH2() {
        QCOMPARE(inflight(S::zeroBubbleH2, 4, 0, 100), 7.0);
        QCOMPARE(inflight(S::zeroBubbleH2, 4, 3, 100), 7.0);
        QCOMPARE(inflight(S::zeroBubbleH2, 4, 0, 6), 6.0);
        const std::vector<StageSeconds<double>> stages(4, {1, 1, 1});
        QCOMPARE(criticalPath({.schedule = S::zeroBubbleH2, .stages = 4, .microbatches = 8, .times = stages}),
                 0.0);
    }

    /// Without a word a pipeline is one stage that takes one micro-batch in one piece, and nothing is known
    /// to take time.
    void nothingSaid() {
        const PipelineTimes<double> times;
        QCOMPARE(times.stages, 1);
        QCOMPARE(times.microbatches, std::int64_t(1));
        QCOMPARE(times.chunks, 1);
        QCOMPARE(times.transfer, 0.0);
        QCOMPARE(times.combined, 1.0);
        const PipelinePlan plan{.virtualStages = {{1, 2, 4}}};
        QCOMPARE(simulate(plan)->makespan, 7.0);
        QCOMPARE(inflight(S::oneForwardOneBackward, 4, 0, 9), 4.0);
        QCOMPARE(inflight(S::interleaved, 4, 1, 9), inflight(S::interleaved, 4, 1, 9, 1));
        const CriticalPaths paths;
        QCOMPARE(paths.without, 0.0);
        QCOMPARE(paths.with, 0.0);
        const PathShare share;
        QCOMPARE(share.forward, 0.0);
        QCOMPARE(share.backwardInput, 0.0);
        QCOMPARE(share.backwardWeight, 0.0);
        const BusiestDevice busiest;
        QCOMPARE(busiest.device, 0);
        QCOMPARE(busiest.seconds, 0.0);
        const PipelineIdle<double> idle;
        QCOMPARE(idle.bubble + idle.transfer + idle.overlapped, 0.0);
        QCOMPARE(idle.busiest, 0);
        const StageSeconds<double> stage;
        QCOMPARE(stage.total(), 0.0);
        const PipelineOp first;
        QCOMPARE(first.microbatch, 0);
        QCOMPARE(first.chunk, 0);
        const PipelineEvent event;
        QCOMPARE(event.stage, 0);
        QCOMPARE(event.microbatch, 0);
        QCOMPARE(event.chunk, 0);
        QCOMPARE(event.start, 0.0);
        QCOMPARE(event.end, 0.0);
        QVERIFY(!event.together);
        QCOMPARE(PipelineTimeline().makespan, 0.0);
    }
};

QTEST_GUILESS_MAIN(TestScheduleContracts)

} // namespace tst_schedule_contracts

#include "tst_schedule_contracts.moc"
