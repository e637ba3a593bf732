// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/calibration/live_decode.h"
#include "model/calibration/live_kinds.h"
#include "model/estimate/evaluate_serving.h"
#include "model/explain/normal.h"
#include "model/serving/pool_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace alidade {

namespace {

constexpr double leastReach = 0.05;    ///< sd of the load / its mean that tells slope and intercept apart
constexpr double disagreement = 0.1;   ///< of two counts of the same batch
constexpr std::size_t mostWindows = 8; ///< of one fit: windows of like load are taken together
constexpr double prefillSd = 0.1;      ///< of ln(prefill time / its law): other requests stand beside it

/// What one GPU of a replica holds and reads.
struct Replica {
    double weightBytes = 0, bandwidth = 0, schedulers = 1;
    ServingMemoryT<double> memory;
};

Replica replicaOf(const ServingPool& pool) {
    Replica out;
    const ServingContext<double> context(pool.plan, pool.inputs, pool.networkBound);
    servingMemory(context, out.memory);
    out.weightBytes = weightsPerGpu(context) * pool.inputs[Input::pipelineParallel];
    out.bandwidth = pool.inputs[Input::memoryBandwidth];
    out.schedulers = pool.inputs[Input::attentionDataParallel];
    return out;
}

double contextOf(const DecodeWindow& w) { return w.prompt + w.output / 2; }

std::string percentText(double share) { return figureText(100 * share, " %"); }

/// The gaps of windows of like load, and the pair of regressions.
class Measured {
public:
    Measured(const LiveConstants& constants, std::vector<DecodeWindow> windows)
        : constants_(constants)
        , pool_(constants.scenario().pools.back())
        , replica_(replicaOf(pool_))
        , windows_(std::move(windows)) {}

    const std::vector<DecodeWindow>& windows() const { return windows_; }

    /// Decode steps against load. \returns what is outside physics
    std::string decode(LiveCalibration& out) {
        if (pool_.inputs[Input::draftTokens] > 0) {
            out.notes.push_back(
                "With speculation a gap bundles tokens: decode efficiency is not separated; a run "
                "without it would tell.");
            return {};
        }
        if (constants_.scenario().model.moe) {
            out.notes.push_back(
                "Experts that a step touches grow with its batch as caches do: their bandwidth is "
                "not separated from that of attention.");
            return {};
        }
        std::vector<double> bytes, seconds;
        for (const DecodeWindow& w : windows_) {
            bytes.push_back(w.batch / replica_.schedulers *
                            sequenceBytes(replica_.memory.sequence, contextOf(w)));
            seconds.push_back(w.itl * (1 - w.prefillShare));
        }
        const double errorShare = errorShareOfBatch(windows_);
        const DecodeFit fit = fitDecode(bytes, seconds, replica_.weightBytes, replica_.bandwidth, errorShare);
        if (fit.line.reach < leastReach) {
            out.notes.push_back(
                "The load varied by only " + percentText(fit.line.reach) +
                ": decode efficiency and fixed cost of a step are not told apart; hours with low "
                "and high load would.");
            return {};
        }
        if (fit.efficiency <= 0 || fit.efficiency > 1 + 2 * fit.efficiencySd) {
            return "decode steps read " + percentText(fit.efficiency) +
                   " of the HBM bandwidth, which is outside physics; likely the format of the KV cache, the "
                   "lengths of requests, the number of GPUs of a replica or the GPU of the scenario differ "
                   "from "
                   "those of the engine";
        }
        if (fit.overhead < -3 * fit.overheadSd && fit.overhead < -1e-4) {
            return "the fixed cost of a decode step comes out as " + figureText(1e3 * fit.overhead, " ms") +
                   ", which is outside physics; likely the weights of the engine are in fewer bytes than the "
                   "scenario's plan.weights, or split over more GPUs";
        }
        const double tail = normalQuantile(0.9);
        out.parameters.push_back(measuredFigure(
            "decode_hbm_efficiency", "HBM efficiency of decode steps", "ratio",
            pool_.inputs[Input::servingMemoryEfficiency], fit.efficiency,
            fit.efficiency * std::exp(-tail * fit.efficiencySd),
            std::min(1.0, fit.efficiency * std::exp(tail * fit.efficiencySd)),
            "gap x (1 - prefill share) against bytes of KV cache in " + std::to_string(windows_.size()) +
                " windows, batch " + batchText() + (errorShare > 0 ? ", error of the batch taken out" : "") +
                "; calibrates serving_memory_efficiency and serving_attention_memory_efficiency"));
        out.parameters.push_back(measuredFigure(
            "decode_step_overhead", "Fixed cost of a decode step", "s", modelledOverhead(bytes), fit.overhead,
            fit.overhead - tail * fit.overheadSd, fit.overhead + tail * fit.overheadSd,
            "intercept less the time to read the weights; calibrates launches, engine all-reduce and "
            "serving_step_overhead together"));
        return {};
    }

    void batches(LiveCalibration& out) const {
        std::vector<double> ratio;
        for (const DecodeWindow& w : windows_) {
            if (w.running > 0) {
                ratio.push_back(w.batch / w.running);
            }
        }
        const double middle = spreadOf(ratio).median;
        if (std::abs(middle - 1) > disagreement) {
            out.notes.push_back("Tokens per second times gap give " + percentText(middle) +
                                " of the requests that the engine says are running: prefill among them, "
                                "preemptions, speculation or a wrong number of replicas.");
        }
    }

    /// Apparent efficiency of prefill. \returns what is outside physics
    std::string prefill(LiveCalibration& out) const {
        std::vector<double> apparent, seconds, tokens;
        const double perToken = prefillFlopsPerToken(), peak = prefillPool().inputs[Input::peak];
        for (const DecodeWindow& w : windows_) {
            if (w.prefillTime > 0 && w.prompt > 0) {
                seconds.push_back(w.prefillTime);
                tokens.push_back(w.prompt * (1 - w.hitShare));
                apparent.push_back(tokens.back() * perToken / (w.prefillTime * peak));
            }
        }
        if (seconds.size() < 3) {
            out.notes.push_back("No time of prefill is reported: its efficiency keeps its prior.");
            return {};
        }
        const Spread middle = spreadOf(apparent);
        if (middle.median > 1) {
            return "prefill computes at " + percentText(middle.median) +
                   " of the peak, which is outside physics; likely hits of the prefix cache are not counted, "
                   "or "
                   "the GPU or its number in the scenario differ from those of the engine";
        }
        const RobustLine line = robustLine(tokens, seconds);
        const double before = modelledPrefill();
        if (line.reach > leastReach && line.b > 3 * line.bSd) {
            const double efficiency = perToken / (line.b * peak), sd = line.bSd / line.b;
            out.parameters.push_back(measuredFigure(
                "prefill_efficiency", "Efficiency of prefill", "ratio", before, efficiency,
                efficiency * std::exp(-1.28 * sd), std::min(1.0, efficiency * std::exp(1.28 * sd)),
                "prefill time against computed tokens; fixed cost " + figureText(1e3 * line.a, " ms")));
        } else {
            out.parameters.push_back(boundedFigure("prefill_efficiency", "Efficiency of prefill", "ratio",
                                                   before, middle.median, 1,
                                                   "apparent " + figureText(middle.median) +
                                                       " is the lower bound: a fixed cost of each prefill is "
                                                       "in it; prompts of other lengths would "
                                                       "tell them apart"));
        }
        return {};
    }

    /// Points of the fit: gaps by the estimate's own equilibrium, and the time of a prefill.
    std::vector<LivePoint> points(LiveCalibration& out) const {
        std::vector<DecodeWindow> grouped = groups();
        std::vector<LivePoint> all;
        const std::vector<double> start = priors();
        std::size_t unstable = 0;
        for (const DecodeWindow& w : grouped) {
            LivePoint point{.measured = w.itl, .sd = leastSd, .weight = 1, .predict = {}};
            point.predict = [this, w](const std::vector<double>& theta) { return gap(w, theta); };
            if (std::isfinite(std::log(point.predict(start)))) {
                all.push_back(std::move(point));
            } else {
                ++unstable;
            }
        }
        if (unstable > 0) {
            out.notes.push_back(
                "In " + std::to_string(unstable) + " of " + std::to_string(grouped.size()) +
                " windows the profile's engine could not carry the load that the real one carried: "
                "they do not enter the fit.");
        }
        for (LivePoint& point : all) { // errors of a sweep are partly common: n windows count as root of n
            point.weight = 1 / std::sqrt(static_cast<double>(all.size()));
        }
        std::vector<double> prefills;
        for (const DecodeWindow& w : windows_) {
            if (w.prefillTime > 0) {
                prefills.push_back(w.prefillTime);
            }
        }
        if (!prefills.empty() && !grouped.empty()) {
            const DecodeWindow middle = grouped[grouped.size() / 2];
            const Spread spread = spreadOf(prefills);
            LivePoint point{.measured = spread.median,
                            .sd = std::max(prefillSd, spread.relative),
                            .weight = 1,
                            .predict = {},
                            .judged = false};
            point.predict = [this, middle](const std::vector<double>& theta) {
                return promptTime(middle, theta);
            };
            if (std::isfinite(std::log(point.predict(start)))) {
                all.push_back(std::move(point));
            }
        }
        return all;
    }

private:
    const ServingPool& prefillPool() const { return constants_.scenario().pools.front(); }

    std::vector<double> priors() const {
        std::vector<double> out;
        for (std::size_t j = 0; j < constants_.size(); ++j) {
            out.push_back(constants_.prior(j).mean);
        }
        return out;
    }

    std::string batchText() const {
        double low = std::numeric_limits<double>::infinity(), high = 0;
        for (const DecodeWindow& w : windows_) {
            low = std::min(low, w.batch);
            high = std::max(high, w.batch);
        }
        return figureText(low) + " to " + figureText(high);
    }

    /// Windows of like load together, at most so many.
    std::vector<DecodeWindow> groups() const {
        std::vector<DecodeWindow> sorted = windows_;
        std::erase_if(sorted, [](const DecodeWindow& w) {
            return !(w.requestRate > 0) || !(w.prompt > 0) || !(w.output > 0);
        });
        std::ranges::sort(sorted, {}, &DecodeWindow::requestRate);
        const std::size_t count = std::min(mostWindows, sorted.size());
        std::vector<DecodeWindow> out;
        for (std::size_t g = 0; g < count; ++g) {
            const std::size_t from = g * sorted.size() / count, to = (g + 1) * sorted.size() / count;
            DecodeWindow mean = sorted[from];
            const auto average = [&](double DecodeWindow::* member) {
                double sum = 0;
                for (std::size_t i = from; i < to; ++i) {
                    sum += sorted[i].*member;
                }
                mean.*member = sum / static_cast<double>(to - from);
            };
            for (double DecodeWindow::* member :
                 {&DecodeWindow::itl, &DecodeWindow::prefillShare, &DecodeWindow::batch,
                  &DecodeWindow::requestRate, &DecodeWindow::prompt, &DecodeWindow::output,
                  &DecodeWindow::hitShare}) {
                average(member);
            }
            out.push_back(mean);
        }
        return out;
    }

    /// The pools under the load of a window.
    LiveConstants::PoolInputs under(const DecodeWindow& w, const std::vector<double>& theta) const {
        LiveConstants::PoolInputs inputs = constants_.poolInputs(theta);
        for (Inputs& in : inputs) {
            in[Input::concurrency] = 0;
            in[Input::requestRate] = w.requestRate * pool_.inputs[Input::workers];
            in[Input::inputTokens] = w.prompt;
            in[Input::outputTokens] = w.output;
            in[Input::prefixCacheHit] = w.hitShare;
        }
        return inputs;
    }

    /// Inter-token latency of the estimate; infinite where the engine cannot carry the load.
    double gap(const DecodeWindow& w, const std::vector<double>& theta) const {
        thread_local const auto totals = std::make_unique<ServingTotals>();
        const LiveConstants::PoolInputs inputs = under(w, theta);
        const Scenario& scenario = constants_.scenario();
        evaluateServing<double>(scenario, std::span(inputs).first(scenario.pools.size()), *totals, nullptr,
                                ServingDetail::means);
        return totals->stable ? totals->itl : std::numeric_limits<double>::infinity();
    }

    /// A prompt alone in the engine, chunk by chunk.
    double promptTime(const DecodeWindow& w, const std::vector<double>& theta) const {
        thread_local const auto scratch = std::make_unique<ServingStepCost<double>>();
        const Inputs in = under(w, theta).front();
        const ServingPool& pool = prefillPool();
        const EngineStep step(pool.plan, in, pool.networkBound, *scratch);
        const double fresh = w.prompt * (1 - w.hitShare), chunk = in[Input::chunkTokens];
        double seconds = 0;
        for (double done = 0; done < fresh;) {
            const double now = std::min(chunk, fresh - done);
            seconds += step({.prefillTokens = now,
                             .prefillCached = w.prompt * w.hitShare + done,
                             .prompts = now / fresh,
                             .decodeSequences = 0,
                             .decodeContext = 0});
            done += now;
        }
        return seconds;
    }

    double decodeStep(double batch, const DecodeWindow& w) const {
        thread_local const auto scratch = std::make_unique<ServingStepCost<double>>();
        const EngineStep step(pool_.plan, pool_.inputs, pool_.networkBound, *scratch);
        return step({.decodeSequences = batch, .decodeContext = contextOf(w)});
    }

    /// What the profile's decode step takes beside reading weights and caches, at the middle load, s.
    double modelledOverhead(const std::vector<double>& bytes) const {
        std::vector<double> rest;
        const Inputs& in = pool_.inputs;
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            rest.push_back(decodeStep(windows_[i].batch, windows_[i]) -
                           replica_.weightBytes / (replica_.bandwidth * in[Input::servingMemoryEfficiency]) -
                           bytes[i] / (replica_.bandwidth * in[Input::servingAttentionMemoryEfficiency]));
        }
        return spreadOf(rest).median;
    }

    /// Of one GPU: twice the weights that its prompt tokens meet.
    double prefillFlopsPerToken() const {
        const ServingPlan& plan = prefillPool().plan;
        const double bytes = std::max(1e-9, prefillPool().inputs[Input::denseWeightBytes]);
        const ServingContext<double> context(plan, prefillPool().inputs, prefillPool().networkBound);
        return 2 * weightsPerGpu(context) * prefillPool().inputs[Input::pipelineParallel] / bytes;
    }

    double modelledPrefill() const {
        if (windows_.empty()) {
            return notMeasured;
        }
        const DecodeWindow& w = windows_[windows_.size() / 2];
        return w.prompt * (1 - w.hitShare) * prefillFlopsPerToken() /
               (promptTime(w, priors()) * prefillPool().inputs[Input::peak]);
    }

    const LiveConstants& constants_;
    const ServingPool& pool_;
    Replica replica_;
    std::vector<DecodeWindow> windows_;
};

/// Tokens of KV cache that an engine says it has.
void addCache(const LiveConstants& constants, const Observation& o, const UsableTime& time,
              LiveCalibration& out) {
    const SignalTable* table = o.table(Signal::kvCacheBlocks);
    if (!table || table->rows.empty()) {
        return;
    }
    const std::vector<double> values = usedValues(time, table->row(0, o.grid.points));
    if (values.empty()) {
        return;
    }
    const auto totals = std::make_unique<ServingTotals>();
    evaluateServingAt(constants.scenario(), 1e-6, 0, *totals, ServingDetail::means);
    const double tokens = spreadOf(values).median;
    out.parameters.push_back(
        measuredFigure("kv_cache_tokens", "KV cache of a replica", "tokens", totals->decoding().kvTokens,
                       tokens, tokens, tokens,
                       "exact, as the engine says; a plan that differs has another memory "
                       "share, format or workspace"));
}

} // namespace

Result<LiveCalibration> calibrateServing(const LiveConstants& constants, const Observation& observation,
                                         const UsableTime& time) {
    Result<std::vector<DecodeWindow>> windows = decodeWindows(observation, time);
    if (!windows) {
        return Error{windows.error()};
    }
    if (windows->size() < leastPoints) {
        return Error{"only " + std::to_string(windows->size()) + " windows of " +
                     figureText(time.lookback, " s") + " have decode figures; at least " +
                     std::to_string(leastPoints) + " are needed: choose a longer time"};
    }
    LiveCalibration out;
    out.evidence = CalibrationEvidence::serving;
    out.quantity = "inter-token latency";
    std::vector<double> gaps, shares;
    for (const DecodeWindow& w : *windows) {
        gaps.push_back(w.itl);
        shares.push_back(w.prefillShare);
    }
    out.spread = spreadOf(gaps).relative;
    out.samples = windows->size();
    std::tie(out.start, out.end) = spanOf(time, observation.grid);
    if (spreadOf(shares).median >= 1) {
        return Error{
            "requests spend " + figureText(100 * spreadOf(shares).median) +
            " % of the engine's time in prefill, which is outside physics; prefills overlap, as with "
            "chunks of several prompts in a step: a time of lower load would be right"};
    }
    if (!observation.table(Signal::prefillShare)) {
        out.notes.push_back(
            "The time in prefill is not reported: it is taken for none, and the decode steps for "
            "longer than they are.");
    }
    Measured measured(constants, *std::move(windows));
    for (const std::string& wrong : {measured.decode(out), measured.prefill(out)}) {
        if (!wrong.empty()) {
            return Error{wrong};
        }
    }
    measured.batches(out);
    addCache(constants, observation, time, out);
    const std::vector<LivePoint> points = measured.points(out);
    if (points.empty()) {
        return Error{
            "the engines report neither request rates nor lengths of prompts and answers, or more load "
            "than the scenario's engine could carry; a scenario of the same plan would be right"};
    }
    fitLive(constants, points, sourceOf(observation), out);
    return out;
}

} // namespace alidade
