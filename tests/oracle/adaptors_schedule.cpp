// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/schedule/pipeline_idle.h"
#include "model/schedule/timeline.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/bubble.h"
#include "tests/oracle/reference/timeline_summary.h"
#include "tests/oracle/reference/timeline_v.h"

namespace alidade::oracle {

using namespace reference;

namespace {

PipelineSchedule schedule(const Json& a) {
    return choose<PipelineSchedule>({{"gpipe", PipelineSchedule::gpipe},
                                     {"1f1b", PipelineSchedule::oneForwardOneBackward},
                                     {"interleaved", PipelineSchedule::interleaved},
                                     {"zb_h1", PipelineSchedule::zeroBubbleH1},
                                     {"zb_h2", PipelineSchedule::zeroBubbleH2},
                                     {"zb_v", PipelineSchedule::zeroBubbleV},
                                     {"dualpipe", PipelineSchedule::dualPipe},
                                     {"dualpipe_v", PipelineSchedule::dualPipeV}},
                                    word(a, "schedule", ""));
}

Json bubble(const Json& a) {
    const StageSeconds<double> t{number(a, "F"), number(a, "B"), number(a, "W", 0)};
    const int chunks = whole(a, "v", 1), stages = whole(a, "p", 1);
    if (schedule(a) == PipelineSchedule::zeroBubbleH2) // no framework offers it: not in the program
        return bubbleTime(schedule(a), number(a, "p"), t);
    const std::vector<StageSeconds<double>> times(static_cast<std::size_t>(stages), t);
    return pipelineIdle(PipelineTimes<double>{schedule(a), stages, whole(a, "m", 1), chunks, times}).bubble;
}

Json live(const Json& a) {
    return inflight(schedule(a), whole(a, "p", 1), whole(a, "i", 0), whole(a, "m", 1), whole(a, "v", 1));
}

PipelinePlan plan(const Json& a, PipelineSchedule kind, int chunks) {
    PipelinePlan out{.schedule = kind,
                     .stages = whole(a, "p", 1),
                     .microbatches = whole(a, "m", 1),
                     .chunks = chunks,
                     .virtualStages = {},
                     .transfer = number(a, "p2p", 0)};
    // Where a schedule has no weight-gradient operation, tb of the cases is the full backward.
    const StageSeconds<double> stage{number(a, "tf"), number(a, "tb"),
                                     splitsBackward(kind) ? number(a, "tw", 0) : 0};
    out.virtualStages = evenChunks(std::vector(static_cast<std::size_t>(out.stages), stage), chunks);
    return out;
}

PipelineTimeline simulated(const Json& a) {
    const auto result = simulatePipeline(plan(a, schedule(a), whole(a, "v", 1)));
    if (!result)
        throw Refused(result.error());
    return *result;
}

Json inCaseWords(const PipelineTimeline& timeline) {
    Json out = Json::array();
    for (const PipelineEvent& e : timeline.events) {
        const char* op = e.work == PipelineWork::forward         ? "F"
                         : e.work == PipelineWork::backwardInput ? "B"
                                                                 : "W";
        out.push_back({{"stage", e.stage},
                       {"op", op},
                       {"mb", e.microbatch},
                       {"chunk", e.chunk},
                       {"start", e.start},
                       {"end", e.end}});
    }
    return {{"makespan", timeline.makespan}, {"events", std::move(out)}};
}

Json events(const Json& a) { return inCaseWords(simulated(a)); }

/// List scheduling over a V. With equal times and many micro-batches the order of ZB-V waits as little.
Json eventsV(const Json& a) {
    const bool equal = number(a, "tf") == number(a, "tb") && number(a, "tb") == number(a, "tw");
    const PipelinePlan v = plan(a, PipelineSchedule::zeroBubbleV, 2);
    const auto result =
        equal && v.microbatches >= 2 * v.stages ? simulatePipeline(v) : simulateV(v, whole(a, "cap", 0));
    if (!result)
        throw Refused(result.error());
    Json out = inCaseWords(*result);
    out["bubble"] = summarize(*result, whole(a, "p", 1)).bubble;
    return out;
}

Json summary(const Json& a) {
    const PipelineSummary s = summarize(simulated(a), whole(a, "p", 1));
    return {{"makespan", s.makespan}, {"bubble", s.bubble}, {"bubble_fraction", s.bubbleFraction}};
}

} // namespace

void addSchedules(Adaptors& table) {
    table["bubble_time"] = bubble;
    table["inflight"] = live;
    table["timeline"] = events;
    table["timeline_v"] = eventsV;
    table["timeline_summary"] = summary;
}

} // namespace alidade::oracle
