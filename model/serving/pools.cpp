// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"
#include "model/serving/loaded_engine.h"

namespace alidade {

namespace {

/// Prompts in an engine that has nothing else to do: it rests until one comes.
template <class Backlog>
Backlog promptsAlone(const LoadedEngine& e) {
    const double rate = e.load.requestsPerSecond, chunk = e.limits.chunkTokens;
    Backlog backlog({.prompt = e.means.prompt,
                     .promptCv = e.load.inputCv,
                     .chunk = chunk,
                     .rate = rate,
                     .span = e.span(rate * e.promptAlone(), chunk),
                     .emptyShare = 1});
    typename Backlog::Lattice seconds{};
    seconds[0] = 1 / rate;
    const auto step = [&](double tokens) { return e.table.prefill(tokens); };
    for (int cell = 1; cell < Backlog::cells; ++cell)
        seconds[static_cast<std::size_t>(cell)] = stepsOf(backlog.stepTokens(cell), chunk, step);
    backlog.solve(seconds, {}, 0);
    return backlog;
}

/// Closed: all users wait for one another. \return requests/s
double rateOfAll(const LoadedEngine& e) {
    const double all = e.load.concurrency * e.means.prompt;
    const double tokens = std::min(e.limits.chunkTokens, all);
    return tokens / e.means.prompt / e.table.prefill(tokens);
}

} // namespace

ServingState prefillPool(const LoadedEngine& e, ServingDetail detail) {
    ServingState out;
    const bool closed = e.load.concurrency > 0;
    out.requestsPerSecond = closed ? rateOfAll(e) : e.load.requestsPerSecond;
    const double first = closed ? e.load.concurrency / out.requestsPerSecond
                                : promptsAlone<MeanBacklog>(e).firstToken(e.table.prefill(1)).seconds;
    out.ttft = out.e2e = e.limits.requestOverhead + first;
    out.queueWait = std::max(0.0, first - e.promptAlone());
    out.queued = out.requestsPerSecond * out.queueWait;
    out.inFlight = out.requestsPerSecond * (first - out.queueWait);
    out.prefillShare = std::min(1.0, out.requestsPerSecond * e.promptAlone());
    if (closed) {
        out.ttftPercentiles = {out.ttft, out.ttft, out.ttft, out.ttft};
    } else if (detail == ServingDetail::percentiles) {
        const TimeDistribution times = promptsAlone<PromptBacklog>(e).timesToFirstToken(
            [&](double tokens, double) { return e.table.prefill(tokens); });
        out.ttftPercentiles = percentilesOf(times, e.limits.requestOverhead, first / times.mean());
    }
    return out;
}

ServingState decodePool(const LoadedEngine& e, ServingDetail detail) {
    ServingState out;
    const double steps = e.means.decodeSteps, limit = std::max(1.0, e.means.maxBatch);
    TimeDistribution wait;
    Gaps gaps{e};
    double waiting = 0;
    if (e.load.concurrency > 0) {
        out.batch = std::min(limit, e.load.concurrency);
        out.requestsPerSecond = out.batch / (steps * e.table.decode(out.batch));
        out.queued = e.load.concurrency - out.batch;
        wait.add(out.queued / out.requestsPerSecond, 1);
        gaps.add(out.batch, e.table.decode(out.batch), 1);
    } else {
        const double cv2 = e.load.arrivalCv * e.load.arrivalCv, lengths2 = e.load.outputCv * e.load.outputCv;
        out.requestsPerSecond = e.load.requestsPerSecond;
        const auto gap = [&](double n) { return e.table.decode(std::max(n, 1.0)); };
        const BatchDistribution batches(
            out.requestsPerSecond * steps, gap, limit, out.requestsPerSecond / e.maximumRate,
            1 + (cv2 - 1) * commonTime(e.load.outputCv), (cv2 + lengths2) / 2, e.means.fitted);
        // Little's law: the chain of a number that hardly varies has its mean between two places, but how
        // long a token takes is known.
        out.batch = std::min(limit, out.requestsPerSecond * steps * stepOfTokens(batches, e.table));
        out.queued = batches.inLine();
        waiting = batches.waiting();
        const BatchGroups groups(batches, e.table);
        for (std::size_t i = 0; i < groups.size; ++i)
            gaps.add(groups.batch[i], e.table.decode(groups.batch[i]), groups.share[i]);
        // A request joins at the next step, if there is one under way.
        constexpr int places = 8;
        for (int i = 0; i < places; ++i) {
            wait.add((i + 0.5) / places * e.table.decode(std::max(1.0, out.batch)),
                     (1 - batches.empty()) / places);
        }
        wait.add(0, batches.empty());
    }
    out.inFlight = out.batch;
    out.decodeStep = e.table.decode(std::max(1.0, out.batch));
    const double inLine = e.load.concurrency > 0 ? 0 : out.queued / out.requestsPerSecond;
    out.queueWait = inLine + wait.mean();
    out.ttft = e.limits.requestOverhead + out.queueWait;
    out.itl = out.batch / (out.requestsPerSecond * steps) / e.limits.tokensPerStep;
    out.e2e = out.ttft + out.itl * steps * e.limits.tokensPerStep;
    if (detail == ServingDetail::percentiles) {
        out.ttftPercentiles = percentilesOf(wait.delayed(waiting, inLine), e.limits.requestOverhead, 1);
        out.itlPercentiles = percentilesOf(gaps.gaps, 0, 1 / e.limits.tokensPerStep);
    }
    return out;
}

} // namespace alidade
