// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/schedule_rules.h"
#include "model/schedule/timeline.h"
#include "tests/oracle/reference/bubble.h"
#include "tests/oracle/reference/timeline_summary.h"

#include <QTest>

#include <array>
#include <map>
#include <random>
#include <tuple>

namespace tst_schedule_timeline {

using namespace alidade;
using namespace alidade::reference;

namespace {

using S = PipelineSchedule;

constexpr std::array schedules = {S::gpipe,        S::oneForwardOneBackward, S::interleaved,
                                  S::zeroBubbleH1, S::zeroBubbleV,           S::dualPipe,
                                  S::dualPipeV};

struct Draw {
    std::mt19937_64 engine{5};
    int whole(int low, int high) { return std::uniform_int_distribution(low, high)(engine); }
    double real(double low, double high) { return std::uniform_real_distribution(low, high)(engine); }

    /// Any legal plan, with stages of very different length.
    PipelinePlan plan(S schedule) {
        PipelinePlan out{.schedule = schedule, .stages = whole(2, 9), .microbatches = whole(1, 30)};
        out.chunks = scheduleChunks(schedule) == 0 ? whole(2, 4) : scheduleChunks(schedule);
        if (schedule == S::dualPipe) {
            out.stages += out.stages % 2;
            out.microbatches = 2 * (out.stages + whole(0, 10));
        } else if (schedule == S::dualPipeV) {
            out.microbatches = 2 * out.stages + whole(0, 20);
        }
        out.transfer = whole(0, 1) ? real(0, 0.5) : 0;
        out.combined = whole(0, 1) ? real(0.7, 1) : 1;
        for (int i = 0; i < out.stages * out.chunks; ++i)
            out.virtualStages.push_back({real(0.1, 2), real(0.1, 2), real(0.1, 2)});
        return out;
    }
};

QByteArray words(const PipelinePlan& plan, const std::string& wrong) {
    return QStringLiteral("%1 p %2 m %3 v %4: %5")
        .arg(QLatin1String(scheduleName(plan.schedule).data()))
        .arg(plan.stages)
        .arg(plan.microbatches)
        .arg(plan.chunks)
        .arg(QLatin1String(wrong.c_str()))
        .toUtf8();
}

enum class Part : std::uint8_t { forward, inputGradient, weightGradient };
using Done = std::map<std::tuple<Part, int, int>, PipelineEvent>; // by micro-batch and virtual stage

/// Device of a micro-batch on a virtual stage. DualPipe's second half of the micro-batches goes the other
/// way.
int deviceOf(const PipelinePlan& plan, int microbatch, int stage) {
    const bool back = plan.schedule == S::dualPipe && microbatch >= plan.microbatches / 2;
    return back ? plan.stages - 1 - stage : pipelineDevice(plan.schedule, plan.stages, stage);
}

std::string collect(const PipelinePlan& plan, const PipelineTimeline& timeline, Done& done) {
    for (const PipelineEvent& event : timeline.events) {
        const int stage = pipelineStage(plan.schedule, plan.stages, event.stage, event.chunk);
        if (deviceOf(plan, event.microbatch, stage) != event.stage)
            return "a microbatch is on a device that does not hold its layers";
        const bool whole = event.work == PipelineWork::fullBackward ||
                           (event.work == PipelineWork::backwardInput && !splitsBackward(plan.schedule));
        bool fresh = true;
        if (event.work == PipelineWork::forward)
            fresh = done.emplace(std::tuple{Part::forward, event.microbatch, stage}, event).second;
        if (event.work == PipelineWork::backwardInput || whole)
            fresh = done.emplace(std::tuple{Part::inputGradient, event.microbatch, stage}, event).second;
        if (event.work == PipelineWork::backwardWeight || whole) {
            fresh = done.emplace(std::tuple{Part::weightGradient, event.microbatch, stage}, event).second &&
                    fresh;
        }
        if (!fresh)
            return "an operation runs twice";
    }
    const auto all = 3 * plan.virtualStages.size() * static_cast<std::size_t>(plan.microbatches);
    return done.size() == all ? "" : "an operation is missing";
}

std::string dependencies(const PipelinePlan& plan, const Done& done) {
    const int last = static_cast<int>(plan.virtualStages.size()) - 1;
    for (const auto& [key, event] : done) {
        const auto& [part, microbatch, stage] = key;
        const auto after = [&](Part before, int from) {
            const PipelineEvent& cause = done.at({before, microbatch, from});
            const double transfer = cause.stage == event.stage ? 0 : plan.transfer;
            return event.start >= cause.end + transfer - 1e-9;
        };
        const bool whole = part == Part::weightGradient && event.work != PipelineWork::backwardWeight;
        const bool right =
            part == Part::forward ? stage == 0 || after(Part::forward, stage - 1)
            : part == Part::inputGradient
                ? after(Part::forward, stage) && (stage == last || after(Part::inputGradient, stage + 1))
                : whole || after(Part::inputGradient, stage);
        if (!right)
            return "an operation starts before what it needs";
    }
    return "";
}

/// Operations follow each other on a device, last as long as they need, and only pairs share it.
std::string devices(const PipelinePlan& plan, const PipelineTimeline& timeline) {
    std::vector<double> free(static_cast<std::size_t>(plan.stages)), pair(free);
    double latest = 0;
    for (const PipelineEvent& event : timeline.events) {
        const auto device = static_cast<std::size_t>(event.stage);
        const auto stage =
            static_cast<std::size_t>(pipelineStage(plan.schedule, plan.stages, event.stage, event.chunk));
        const StageSeconds<double>& t = plan.virtualStages[stage];
        const bool both = event.work == PipelineWork::fullBackward || !splitsBackward(plan.schedule);
        const double needs = event.work == PipelineWork::forward          ? t.forward
                             : event.work == PipelineWork::backwardWeight ? t.backwardWeight
                             : both                                       ? t.backwardInput + t.backwardWeight
                                                                          : t.backwardInput;
        const double lasts = event.end - event.start;
        if (!event.together && std::abs(lasts - needs) > 1e-9)
            return "an operation does not last as long as its stage needs";
        if (event.together && event.work == PipelineWork::forward)
            pair[device] = needs;
        else if (event.together && std::abs(lasts - plan.combined * (pair[device] + needs)) > 1e-9)
            return "a pair does not last as long as its stages need";
        const bool second = event.together && event.work != PipelineWork::forward;
        if (!second && event.start < free[device] - 1e-9)
            return "a device does two things at once";
        free[device] = event.end;
        latest = std::max(latest, event.end);
    }
    return latest == timeline.makespan ? "" : "the makespan is not the last end";
}

/// Most activations of a chunk that a device holds at a time, in units of its whole stage. They are freed by
/// the last of both gradients.
double peakLive(const PipelinePlan& plan, const PipelineTimeline& timeline, int device) {
    int live = 0, peak = 0;
    for (const PipelineEvent& event : timeline.events) { // those of a device are in order
        if (event.stage != device)
            continue;
        live += event.work == PipelineWork::forward ? 1 : 0;
        peak = std::max(peak, live);
        const bool frees = event.work == PipelineWork::backwardWeight ||
                           event.work == PipelineWork::fullBackward ||
                           (event.work == PipelineWork::backwardInput && !splitsBackward(plan.schedule));
        live -= frees ? 1 : 0;
    }
    return static_cast<double>(peak) / plan.chunks;
}

} // namespace

class TestScheduleTimeline : public QObject {
    Q_OBJECT

private slots:
    void everyScheduleRunsEverythingOnceAndInOrder() {
        Draw draw;
        for (std::size_t i = 0; i < 350; ++i) {
            const PipelinePlan plan = draw.plan(schedules[i % schedules.size()]);
            const auto timeline = simulate(plan);
            QVERIFY2(bool(timeline), words(plan, timeline.error()));
            Done done;
            std::string wrong = collect(plan, *timeline, done);
            wrong = wrong.empty() ? devices(plan, *timeline) : wrong;
            wrong = wrong.empty() ? dependencies(plan, done) : wrong;
            QVERIFY2(wrong.empty(), words(plan, wrong));
        }
    }

    /// Start times between the papers' own figures: per-device idle of the drawings in deepseek-ai/DualPipe
    /// (8 ranks, 20 micro-batches, F = B = W = 1): (p/2 - 1)(F&B + (B + W) - 3 W); and half of ZB-H1's for
    /// ZB-V.
    void publishedBubbles() {
        const auto bubble = [](S schedule, int stages, int microbatches, int chunks) {
            PipelinePlan plan{
                .schedule = schedule, .stages = stages, .microbatches = microbatches, .chunks = chunks};
            plan.virtualStages = evenChunks(
                std::vector(static_cast<std::size_t>(stages), StageSeconds<double>{1, 1, 1}), chunks);
            return summarize(*simulate(plan), stages).bubble;
        };
        QCOMPARE(bubble(S::dualPipe, 8, 20, 1), bubbleTime<double>(S::dualPipe, 8, {1, 1, 1}));
        QCOMPARE(bubble(S::dualPipe, 16, 60, 1), bubbleTime<double>(S::dualPipe, 16, {1, 1, 1}));
        // Cut in half: 4 devices are 8 stages of half the length.
        QCOMPARE(bubble(S::dualPipeV, 4, 10, 2), bubbleTime<double>(S::dualPipe, 8, {0.5, 0.5, 0.5}));
        QCOMPARE(bubble(S::zeroBubbleV, 8, 32, 2), bubbleTime<double>(S::zeroBubbleV, 8, {1, 1, 1}));
    }

    void liveActivationsAreWhatInflightSays() {
        for (const S schedule : schedules) {
            for (int stages = 2; stages <= 8; ++stages) {
                for (int microbatches = 1; microbatches <= 5 * stages; ++microbatches) {
                    PipelinePlan plan{.schedule = schedule, .stages = stages, .microbatches = microbatches};
                    plan.chunks = scheduleChunks(schedule) == 0 ? 3 : scheduleChunks(schedule);
                    plan.virtualStages.assign(static_cast<std::size_t>(stages * plan.chunks), {1, 1.1, 0.9});
                    const auto timeline = simulate(plan);
                    if (!timeline) {
                        QVERIFY(scheduleRefusal(schedule, stages, microbatches, plan.chunks));
                        continue;
                    }
                    for (int stage = 0; stage < stages; ++stage) {
                        const double peak = peakLive(plan, *timeline, stage);
                        const double said = inflight(schedule, stages, stage, microbatches, plan.chunks);
                        QVERIFY2(peak == said,
                                 words(plan, "stage " + std::to_string(stage) + " holds " +
                                                 std::to_string(peak) + ", said " + std::to_string(said)));
                    }
                }
            }
        }
    }

    void whatCannotRunIsRefused() {
        const auto refused = [](const PipelinePlan& plan, const char* why) {
            const auto result = simulate(plan);
            return !result && result.error().find(why) != std::string::npos;
        };
        PipelinePlan plan{.schedule = S::dualPipe, .stages = 3, .microbatches = 8};
        QVERIFY(refused(plan, "even number of stages"));
        plan = {.schedule = S::gpipe, .stages = 4, .microbatches = 1'000'000};
        QVERIFY(refused(plan, "fewer micro-batches"));
        plan.microbatches = 8;
        QVERIFY(refused(plan, "virtual stage"));
    }
};

QTEST_APPLESS_MAIN(TestScheduleTimeline)

} // namespace tst_schedule_timeline

#include "tst_schedule_timeline.moc"
