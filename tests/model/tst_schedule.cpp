// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/timeline.h"
#include "tests/oracle/reference/bubble.h"
#include "tests/oracle/reference/timeline_summary.h"
#include "tests/oracle/reference/timeline_v.h"

#include <QTest>

#include <map>
#include <random>
#include <tuple>

namespace tst_schedule {

using namespace alidade;
using namespace alidade::reference;

namespace {

constexpr PipelineSchedule fixedOrders[] = {PipelineSchedule::gpipe, PipelineSchedule::oneForwardOneBackward,
                                            PipelineSchedule::interleaved, PipelineSchedule::zeroBubbleH1};

struct Draw {
    std::mt19937_64 engine{77};
    int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
    double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }

    /// Stages of very different length; the V placement has two chunks on each device.
    PipelinePlan plan(bool v) {
        PipelinePlan out;
        out.schedule = v ? PipelineSchedule::zeroBubbleV : fixedOrders[whole(0, 3)];
        const bool interleaved = out.schedule == PipelineSchedule::interleaved;
        out.stages = whole(1, 8);
        out.microbatches = whole(1, 24);
        out.chunks = v ? 2 : interleaved ? whole(1, 4) : 1;
        out.transfer = whole(0, 1) ? real(0, 0.5) : 0;
        for (int i = 0; i < out.stages * out.chunks; ++i)
            out.virtualStages.push_back({real(0.1, 2), real(0.1, 2), real(0.1, 2)});
        return out;
    }
};

PipelinePlan equalPlan(PipelineSchedule schedule, int stages, int microbatches, int chunks = 1) {
    PipelinePlan out{.schedule = schedule, .stages = stages, .microbatches = microbatches, .chunks = chunks};
    out.virtualStages =
        evenChunks(std::vector(static_cast<std::size_t>(stages), StageSeconds<double>{1, 1, 1}), chunks);
    return out;
}

/// The virtual stage of an event; `v`: the second chunk of a device comes back up the V.
int virtualStage(const PipelinePlan& plan, const PipelineEvent& event, bool v) {
    return v && event.chunk == 1 ? 2 * plan.stages - 1 - event.stage
                                 : event.chunk * plan.stages + event.stage;
}

int device(const PipelinePlan& plan, int stage, bool v) {
    return v && stage >= plan.stages ? 2 * plan.stages - 1 - stage : stage % plan.stages;
}

using Key = std::tuple<PipelineWork, int, int>; // work, micro-batch, virtual stage

std::string checkOnceEach(const PipelinePlan& plan, const PipelineTimeline& timeline, bool v,
                          std::map<Key, PipelineEvent>& done) {
    for (const PipelineEvent& event : timeline.events) {
        const int k = virtualStage(plan, event, v);
        if (!done.emplace(Key{event.work, event.microbatch, k}, event).second)
            return "an operation runs twice";
        const StageSeconds<double>& t = plan.virtualStages[static_cast<std::size_t>(k)];
        const double backward =
            splitsBackward(plan.schedule) ? t.backwardInput : t.backwardInput + t.backwardWeight;
        const double expected = event.work == PipelineWork::forward         ? t.forward
                                : event.work == PipelineWork::backwardInput ? backward
                                                                            : t.backwardWeight;
        if (std::abs(event.end - event.start - expected) > 1e-9)
            return "an operation does not last as long as its stage needs";
    }
    const std::size_t kinds = splitsBackward(plan.schedule) ? 3 : 2;
    const bool all =
        done.size() == kinds * plan.virtualStages.size() * static_cast<std::size_t>(plan.microbatches);
    return all ? "" : "an operation is missing";
}

std::string checkDependencies(const PipelinePlan& plan, bool v, const std::map<Key, PipelineEvent>& done) {
    const int last = static_cast<int>(plan.virtualStages.size()) - 1;
    const auto after = [&](const PipelineEvent& event, PipelineWork work, int microbatch, int k) {
        const double transfer = device(plan, k, v) == event.stage ? 0 : plan.transfer;
        return event.start >= done.at({work, microbatch, k}).end + transfer - 1e-9;
    };
    for (const auto& [key, event] : done) {
        const auto& [work, microbatch, k] = key;
        const bool inOrder = work == PipelineWork::forward ? k == 0 || after(event, work, microbatch, k - 1)
                             : work == PipelineWork::backwardInput
                                 ? after(event, PipelineWork::forward, microbatch, k) &&
                                       (k == last || after(event, work, microbatch, k + 1))
                                 : after(event, PipelineWork::backwardInput, microbatch, k);
        if (!inOrder)
            return "an operation starts before what it needs";
    }
    return "";
}

std::string checkDevices(const PipelinePlan& plan, const PipelineTimeline& timeline) {
    std::vector<double> free(static_cast<std::size_t>(plan.stages), 0.0);
    for (const PipelineEvent& event : timeline.events) {
        double& clock = free[static_cast<std::size_t>(event.stage)];
        if (event.start < clock - 1e-9)
            return "a device does two things at once";
        clock = event.end;
    }
    return *std::max_element(free.begin(), free.end()) == timeline.makespan
               ? ""
               : "the makespan is not the last end";
}

/// Nothing is faster than the busiest device or than one micro-batch on its way; nothing is slower than one
/// after the other.
std::string checkBounds(const PipelinePlan& plan, const PipelineTimeline& timeline, bool v) {
    std::vector<double> busy(static_cast<std::size_t>(plan.stages), 0.0);
    double all = 0, path = 0;
    for (int k = 0; k < static_cast<int>(plan.virtualStages.size()); ++k) {
        const StageSeconds<double>& t = plan.virtualStages[static_cast<std::size_t>(k)];
        busy[static_cast<std::size_t>(device(plan, k, v))] += plan.microbatches * t.total();
        all += plan.microbatches * t.total();
        path += t.forward + t.backwardInput;
    }
    const double transfers = 2.0 * static_cast<double>(plan.virtualStages.size() - 1) * plan.transfer;
    const double least = std::max(path, *std::max_element(busy.begin(), busy.end()));
    const double most = all + plan.microbatches * transfers;
    return timeline.makespan >= least - 1e-9 && timeline.makespan <= most + 1e-9 ? "" : "out of bounds";
}

std::string check(const PipelinePlan& plan, const PipelineTimeline& timeline, bool v) {
    std::map<Key, PipelineEvent> done;
    for (const std::string& wrong : {checkOnceEach(plan, timeline, v, done), checkDevices(plan, timeline),
                                     checkBounds(plan, timeline, v)}) {
        if (!wrong.empty())
            return wrong;
    }
    return checkDependencies(plan, v, done);
}

/// Most chunk activations that a device holds at a time, in units of its whole stage.
double peakLive(const std::vector<PipelineOp>& order, bool split, int chunks) {
    int live = 0, peak = 0;
    for (const PipelineOp& op : order) {
        live += op.work == PipelineWork::forward ? 1 : 0;
        peak = std::max(peak, live);
        live -= op.work == (split ? PipelineWork::backwardWeight : PipelineWork::backwardInput) ? 1 : 0;
    }
    return static_cast<double>(peak) / chunks;
}

} // namespace

class TestSchedule : public QObject {
    Q_OBJECT

private slots:
    void randomPlansRunEverythingOnceAndInOrder() {
        Draw draw;
        for (int i = 0; i < 200; ++i) {
            const PipelinePlan plan = draw.plan(false);
            const auto timeline = simulatePipeline(plan);
            QVERIFY2(bool(timeline), timeline.error().c_str());
            const std::string wrong = check(plan, *timeline, false);
            QVERIFY2(wrong.empty(), qPrintable(QStringLiteral("plan %1 (%2, p %3, m %4, v %5): %6")
                                                   .arg(i)
                                                   .arg(QLatin1String(scheduleName(plan.schedule).data()))
                                                   .arg(plan.stages)
                                                   .arg(plan.microbatches)
                                                   .arg(plan.chunks)
                                                   .arg(QLatin1String(wrong.c_str()))));
        }
    }

    void randomPlansOnAVToo() {
        Draw draw;
        for (int i = 0; i < 200; ++i) {
            const PipelinePlan plan = draw.plan(true);
            const int cap = i % 3 == 0 ? 2 : i % 3 == 1 ? draw.whole(2, 2 * plan.stages + 2) : 0;
            const auto timeline = simulateV(plan, cap);
            QVERIFY2(bool(timeline), timeline.error().c_str());
            const std::string wrong = check(plan, *timeline, true);
            QVERIFY2(wrong.empty(),
                     qPrintable(QStringLiteral("plan %1: %2").arg(i).arg(QLatin1String(wrong.c_str()))));
            const int most = cap ? cap : 2 * plan.stages;
            std::vector<int> live(static_cast<std::size_t>(plan.stages));
            for (const PipelineEvent& event : timeline->events) { // in order of start
                int& held = live[static_cast<std::size_t>(event.stage)];
                held += event.work == PipelineWork::forward          ? 1
                        : event.work == PipelineWork::backwardWeight ? -1
                                                                     : 0;
                QVERIFY(held <= most);
            }
        }
    }

    void aSlowerStageNeverShortensTheStep() {
        Draw draw;
        for (int i = 0; i < 100; ++i) {
            PipelinePlan plan = draw.plan(false);
            const double before = simulatePipeline(plan)->makespan;
            const double extra = draw.real(0, 1);
            const int slow = draw.whole(0, static_cast<int>(plan.virtualStages.size()) - 1);
            plan.virtualStages[static_cast<std::size_t>(slow)].forward += extra;
            const double after = simulatePipeline(plan)->makespan;
            QVERIFY(after >= before - 1e-9);
            QVERIFY(after <= before + plan.microbatches * extra + 1e-9);
        }
    }

    /// With many micro-batches the slowest stage alone counts.
    void manyMicrobatchesFollowTheSlowestStage() {
        PipelinePlan plan{.stages = 4, .microbatches = 400};
        plan.virtualStages = {{1, 1, 1}, {1, 1, 1.2}, {1, 1, 1}, {1.3, 1.5, 1.1}};
        const double makespan = simulatePipeline(plan)->makespan;
        QVERIFY(makespan >= 400 * 3.9 && makespan < 400 * 3.9 * 1.02);
    }

    void equalStagesIdleAsTheFormulaSays() {
        Draw draw;
        for (int i = 0; i < 200; ++i) {
            const PipelineSchedule schedule = fixedOrders[draw.whole(0, 3)];
            const bool interleaved = schedule == PipelineSchedule::interleaved;
            const int stages = draw.whole(1, 8), chunks = interleaved && stages > 1 ? draw.whole(2, 4) : 1;
            const int microbatches = interleaved ? stages * draw.whole(1, 4) : stages + draw.whole(0, 20);
            const PipelinePlan plan = equalPlan(schedule, stages, microbatches, chunks);
            const auto timeline = simulatePipeline(plan);
            const double bubble = summarize(*timeline, stages).bubble;
            const double formula = bubbleTime<double>(schedule, stages, {1, 1, 1}, chunks);
            QVERIFY2(std::abs(bubble - formula) < 1e-9,
                     qPrintable(QStringLiteral("%1 p %2 m %3 v %4: %5, formula %6")
                                    .arg(QLatin1String(scheduleName(schedule).data()))
                                    .arg(stages)
                                    .arg(microbatches)
                                    .arg(chunks)
                                    .arg(bubble)
                                    .arg(formula)));
        }
    }

    void theVLiesBetweenItsBounds() {
        for (int stages = 2; stages <= 8; ++stages) {
            const auto timeline = simulateV(equalPlan(PipelineSchedule::zeroBubbleV, stages, 4 * stages, 2));
            const double bubble = summarize(*timeline, stages).bubble;
            QVERIFY(bubble >= bubbleTime<double>(PipelineSchedule::zeroBubbleV, stages, {1, 1, 1}) - 1e-9);
            QVERIFY(bubble <= bubbleTime<double>(PipelineSchedule::zeroBubbleH1, stages, {1, 1, 1}) + 1e-9);
        }
    }

    void liveActivationsAreWhatInflightSays() {
        for (const PipelineSchedule schedule : fixedOrders) {
            const bool split = splitsBackward(schedule);
            for (int stages = 1; stages <= 6; ++stages) {
                const int chunks = schedule == PipelineSchedule::interleaved && stages > 1 ? 3 : 1;
                for (const int microbatches : {stages, 2 * stages, 8 * stages}) {
                    const auto orders = scheduleOrders(schedule, stages, microbatches, chunks);
                    QVERIFY(bool(orders));
                    for (int stage = 0; stage < stages; ++stage) {
                        const double peak =
                            peakLive((*orders)[static_cast<std::size_t>(stage)], split, chunks);
                        const double said = inflight(schedule, stages, stage, microbatches, chunks);
                        QVERIFY2(peak == said,
                                 qPrintable(QStringLiteral("%1 p %2 m %3 stage %4: %5, said %6")
                                                .arg(QLatin1String(scheduleName(schedule).data()))
                                                .arg(stages)
                                                .arg(microbatches)
                                                .arg(stage)
                                                .arg(peak)
                                                .arg(said)));
                    }
                }
            }
        }
    }

    void whatCannotBeOrderedIsRefused() {
        const auto refused = [](const auto& result, const char* words) {
            return !result && result.error().find(words) != std::string::npos;
        };
        QVERIFY(refused(scheduleOrders(PipelineSchedule::oneForwardOneBackward, 4, 8, 2), "1 chunk"));
        QVERIFY(refused(scheduleOrders(PipelineSchedule::dualPipe, 4, 6), "at least 8"));
        QVERIFY(refused(scheduleOrders(PipelineSchedule::zeroBubbleH2, 4, 8), "zb-h1"));
        QVERIFY(refused(scheduleOrders(PipelineSchedule::gpipe, 0, 8), "at least one"));
        QVERIFY(refused(simulatePipeline({.stages = 2, .microbatches = 2, .virtualStages = {{}}}),
                        "virtual stage"));
        QVERIFY(
            refused(simulateV({.stages = 2, .microbatches = 2, .virtualStages = {{}}}), "virtual stages"));
        QVERIFY(refused(simulateV(equalPlan(PipelineSchedule::zeroBubbleV, 2, 2, 2), 1), "room"));
    }
};

QTEST_APPLESS_MAIN(TestSchedule)

} // namespace tst_schedule

#include "tst_schedule.moc"
