// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/pipeline_idle.h"
#include "model/schedule/schedule_rules.h"
#include "model/schedule/timeline.h"

#include <QTest>

#include <random>

namespace tst_schedule_idle {

using namespace alidade;

namespace {

using S = PipelineSchedule;

constexpr S all[] = {S::gpipe,        S::oneForwardOneBackward, S::interleaved,
                     S::zeroBubbleH1, S::zeroBubbleV,           S::dualPipe,
                     S::dualPipeV};

S oneOfAll(int i) { return all[static_cast<std::size_t>(i) % std::size(all)]; }

struct Draw {
    std::mt19937_64 engine{2026};
    int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
    double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }
    bool oneIn(int n) { return whole(1, n) == 1; }

    PipelinePlan shape(S schedule) {
        PipelinePlan out{.schedule = schedule, .stages = whole(2, 32)};
        const int p = out.stages;
        out.microbatches = oneIn(4) ? whole(1, p) : oneIn(2) ? p * whole(1, 6) : whole(p, 6 * p);
        out.chunks = scheduleChunks(schedule) == 0 ? whole(2, 8) : scheduleChunks(schedule);
        if (schedule == S::dualPipe) {
            out.stages = p + p % 2;
            out.microbatches = 2 * (out.stages + whole(0, p));
        } else if (schedule == S::dualPipeV) {
            out.microbatches = p * 2 + whole(0, 2 * p);
        }
        return out;
    }

    /// Layers of F 1, B 0.8..1.5, W 0.5..1.2 with an embedding and a head; the layers do or do not divide.
    PipelinePlan plan(S schedule, bool equal) {
        PipelinePlan out = shape(schedule);
        const double input = real(0.8, 1.5), weight = real(0.5, 1.2);
        const int layers = whole(1, 6), deal = whole(0, 2);
        out.combined = oneIn(3) ? real(0.75, 1) : 1;
        std::vector<StageSeconds<double>> stages;
        for (int s = 0; s < out.stages; ++s) {
            double n = layers * out.chunks;
            if (!equal && deal == 1 && layers > 1 && oneIn(3))
                n -= out.chunks; // does not divide
            else if (!equal && deal == 2)
                n *= real(0.85, 1.15);
            stages.push_back({n, n * input, n * weight});
        }
        out.virtualStages = evenChunks(stages, out.chunks);
        if (!equal) {
            const double lookUp = real(0, 0.3), head = real(0, 2.5);
            out.virtualStages.front().forward += lookUp;
            out.virtualStages.front().backwardWeight += lookUp;
            StageSeconds<double>& last = out.virtualStages.back();
            last = {last.forward + head, last.backwardInput + head * real(0.9, 1.1),
                    last.backwardWeight + head};
        }
        return out;
    }
};

PipelineTimes<double> timesOf(const PipelinePlan& plan) {
    return {plan.schedule,      plan.stages,   plan.microbatches, plan.chunks,
            plan.virtualStages, plan.transfer, plan.combined};
}

QByteArray words(const PipelinePlan& plan, double closed, double played) {
    return QStringLiteral("%1 p %2 m %3 v %4: closed form %5, timeline %6")
        .arg(QLatin1String(scheduleName(plan.schedule).data()))
        .arg(plan.stages)
        .arg(plan.microbatches)
        .arg(plan.chunks)
        .arg(closed, 0, 'g', 12)
        .arg(played, 0, 'g', 12)
        .toUtf8();
}

} // namespace

class TestScheduleIdle : public QObject {
    Q_OBJECT

private slots:
    void equalStagesAreExact() {
        Draw draw;
        for (int i = 0; i < 350; ++i) {
            PipelinePlan plan = draw.plan(oneOfAll(i), true);
            // On a V, transfers inside the steady turns are not counted: below.
            const bool v = plan.schedule == S::zeroBubbleV || plan.schedule == S::dualPipe ||
                           plan.schedule == S::dualPipeV;
            plan.transfer = !v && draw.oneIn(3) ? draw.real(0.001, 0.05) : 0;
            const double closed = criticalPath(timesOf(plan)), played = simulate(plan)->makespan;
            QVERIFY2(std::abs(closed - played) <= 1e-9 * played, words(plan, closed, played));
        }
    }

    void equalStagesOfAVWithTransfersStayWithinAPercent() {
        Draw draw;
        for (int i = 0; i < 150; ++i) {
            PipelinePlan plan = draw.plan(all[4 + static_cast<std::size_t>(i % 3)], true);
            plan.transfer = draw.real(0.001, 0.02);
            const double closed = criticalPath(timesOf(plan)), played = simulate(plan)->makespan;
            QVERIFY2(std::abs(closed - played) <= 0.01 * played, words(plan, closed, played));
        }
    }

    void unevenStagesStayWithinAPercent() {
        Draw draw;
        for (int i = 0; i < 560; ++i) {
            PipelinePlan plan = draw.plan(oneOfAll(i), false);
            plan.transfer = draw.oneIn(3) ? draw.real(0.001, 0.05) : 0;
            const double closed = criticalPath(timesOf(plan)), played = simulate(plan)->makespan;
            QVERIFY2(std::abs(closed - played) <= 0.01 * played, words(plan, closed, played));
        }
    }

    /// Any times at all: a chain that exists is never longer than the step.
    void gpipeAnd1f1bAreExactForAnyTimes() {
        Draw draw;
        for (int i = 0; i < 200; ++i) {
            PipelinePlan plan = draw.shape(i % 2 ? S::gpipe : S::oneForwardOneBackward);
            for (int s = 0; s < plan.stages; ++s)
                plan.virtualStages.push_back({draw.real(0.1, 2), draw.real(0.1, 2), draw.real(0.1, 2)});
            const double closed = criticalPath(timesOf(plan)), played = simulate(plan)->makespan;
            QVERIFY2(std::abs(closed - played) <= 1e-9 * played, words(plan, closed, played));
        }
    }

    /// Chunks of one device that differ: the first device is the busiest, the last chunk holds the head, and
    /// the chain goes back from there to the first device through the last chunk of the second one, whose
    /// backward takes 4 s, and not 1 s as that of its first chunk. Seven micro-batches pass in groups of four
    /// and three.
    void theWayBackFromTheHeadIsThroughLastChunks() {
        PipelinePlan plan{.schedule = S::interleaved, .stages = 3, .microbatches = 7, .chunks = 2};
        plan.virtualStages = {{3, 6, 0}, {1, 1, 0}, {1, 2, 0}, {3, 6, 0}, {1, 4, 0}, {5, 6, 0}};
        QCOMPARE(simulate(plan)->makespan, 136.0);
        QCOMPARE(criticalPath(timesOf(plan)), 136.0);
    }

    void idleIsWhatTheBusiestDeviceWaits() {
        Draw draw;
        for (int i = 0; i < 140; ++i) {
            PipelinePlan plan = draw.plan(oneOfAll(i), i % 2);
            plan.transfer = draw.real(0.001, 0.05);
            const PipelineIdle<double> idle = pipelineIdle(timesOf(plan));
            const BusiestDevice busiest = busiestDevice(timesOf(plan));
            QCOMPARE(idle.busiest, busiest.device);
            QCOMPARE(busiest.seconds - idle.overlapped + idle.bubble + idle.transfer,
                     criticalPath(timesOf(plan)));
            QVERIFY(idle.bubble >= 0 && idle.transfer >= 0);
        }
    }

    void overlappedIsWhatPairsSaveOnTheTimeline() {
        Draw draw;
        for (int i = 0; i < 40; ++i) {
            PipelinePlan plan = draw.plan(i % 2 ? S::dualPipe : S::dualPipeV, false);
            plan.combined = draw.real(0.7, 0.95);
            std::vector<double> pairs(static_cast<std::size_t>(plan.stages));
            const auto timeline = simulate(plan);
            QVERIFY(timeline);
            for (const PipelineEvent& event : timeline->events) {
                const bool second = event.together && event.work != PipelineWork::forward;
                pairs[static_cast<std::size_t>(event.stage)] += second ? event.end - event.start : 0;
            }
            for (int device = 0; device < plan.stages; ++device) {
                const double together = pairs[static_cast<std::size_t>(device)];
                const double saved = together / plan.combined - together;
                QVERIFY(std::abs(overlappedWork(timesOf(plan), device) - saved) <= 1e-9 * together);
            }
        }
    }

    /// For equal chunks the times of the stages say as much as those of the virtual stages.
    void wholeStagesStandForTheirEqualChunks() {
        Draw draw;
        for (int i = 0; i < 100; ++i) {
            PipelinePlan plan = draw.plan(S::interleaved, true);
            std::vector<StageSeconds<double>> stages(plan.virtualStages.begin(),
                                                     plan.virtualStages.begin() + plan.stages);
            for (auto& s : stages)
                s = {s.forward * plan.chunks, s.backwardInput * plan.chunks, s.backwardWeight * plan.chunks};
            PipelineTimes<double> whole = timesOf(plan);
            whole.times = stages;
            QVERIFY(std::abs(criticalPath(whole) / criticalPath(timesOf(plan)) - 1) < 1e-12);
        }
    }

    void tracedBubblesExplainTheSameNumber() {
        Draw draw;
        for (int i = 0; i < 80; ++i) {
            PipelinePlan plan = draw.plan(oneOfAll(i), i % 2);
            plan.transfer = 0.02;
            Trace trace;
            const auto leaf = [&trace](double value) {
                return Traced::leaf(trace, value, "stage_time", Dimension::seconds, "test", SourceKind::user);
            };
            std::vector<StageSeconds<Traced>> times;
            for (const auto& t : plan.virtualStages)
                times.push_back({leaf(t.forward), leaf(t.backwardInput), leaf(t.backwardWeight)});
            const PipelineIdle<double> plain = pipelineIdle(timesOf(plan));
            const PipelineIdle<Traced> traced =
                pipelineIdle(PipelineTimes<Traced>{plan.schedule, plan.stages, plan.microbatches, plan.chunks,
                                                   times, leaf(plan.transfer), plan.combined});
            const double most = criticalPath(timesOf(plan));
            QVERIFY2(std::abs(traced.bubble.value() - plain.bubble) <= 1e-12 * most,
                     words(plan, traced.bubble.value(), plain.bubble));
            QVERIFY(std::abs(traced.transfer.value() - plain.transfer) <= 1e-12 * most);
            QCOMPARE(traced.busiest, plain.busiest);
        }
    }

    void refusalsSayWhatWouldBeRight() {
        const auto says = [](S schedule, int stages, int microbatches, int chunks, const char* words) {
            return scheduleRefusal(schedule, stages, microbatches, chunks).value_or("").find(words) !=
                   std::string::npos;
        };
        QVERIFY(says(S::interleaved, 4, 8, 1, "at least 2 chunks"));
        QVERIFY(says(S::interleaved, 1, 8, 2, "at least 2 stages"));
        QVERIFY(says(S::oneForwardOneBackward, 4, 8, 2, "interleaved"));
        QVERIFY(says(S::zeroBubbleV, 4, 8, 1, "V"));
        QVERIFY(says(S::dualPipe, 5, 10, 1, "even number of stages"));
        QVERIFY(says(S::dualPipe, 4, 6, 1, "at least 8 micro-batches"));
        QVERIFY(says(S::dualPipe, 4, 9, 1, "even number of micro-batches"));
        QVERIFY(says(S::dualPipeV, 4, 7, 2, "at least 8 micro-batches"));
        QVERIFY(says(S::gpipe, 0, 7, 1, "at least one stage"));
        QVERIFY(says(S::gpipe, 300, 7, 1, "at most 256 stages"));
        QVERIFY(!scheduleRefusal(S::dualPipe, 4, 8, 1) && !scheduleRefusal(S::dualPipeV, 4, 9, 2));
        QVERIFY(!scheduleRefusal(S::interleaved, 8, 3, 2) && !scheduleRefusal(S::gpipe, 1, 1, 1));
        QCOMPARE(parameterCopies(S::dualPipe), 2);
        QCOMPARE(parameterCopies(S::dualPipeV), 1);
    }

    /// (p - 1)(F + G) of Narayanan et al. 2021, as the sum of the other stages.
    void the1f1bFormulaIsTheSumOfTheOtherStages() {
        Trace trace;
        std::vector<StageSeconds<Traced>> times;
        for (int s = 0; s < 4; ++s) {
            times.push_back({Traced::leaf(trace, 1, "forward", Dimension::seconds, "test", SourceKind::user),
                             Traced::leaf(trace, 2, "backward", Dimension::seconds, "test", SourceKind::user),
                             Traced(0)});
        }
        const auto idle =
            pipelineIdle(PipelineTimes<Traced>{.stages = 4, .microbatches = 16, .times = times});
        const Explanation told = explain(named(idle.bubble, "bubble_time", Dimension::seconds));
        QCOMPARE(told.value, 9.0);
        QCOMPARE(told.terms.front().name, std::string("other_stages_time"));
    }
};

QTEST_APPLESS_MAIN(TestScheduleIdle)

} // namespace tst_schedule_idle

#include "tst_schedule_idle.moc"
