// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/not_measured.h"
#include "model/calibration/live_decode.h"
#include "model/calibration/live_kinds.h"
#include "model/estimate/evaluate_serving.h"
#include "model/explain/normal.h"
#include "model/serving/pool_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace alidade {

namespace {

constexpr double leastReach = 0.05;     ///< sd of the load / its mean that tells slope and intercept apart
constexpr double disagreement = 0.1;    ///< of two counts of the same batch
constexpr std::size_t mostWindows = 8;  ///< of one fit: windows of like load are taken together
constexpr double gapSd = 0.004;         ///< of ln(gap / the law)
constexpr double prefillSd = 0.1;       ///< of ln(median prefill time / the law)
constexpr double leastPinSd = 0.0005;   ///< of ln(measured efficiency / the constant)
constexpr double leastLineSd = 0.003;   ///< of ln(time on the fitted line / the law)
constexpr double mostFixedSd = 0.2;     ///< of a fixed cost that is held, relative
constexpr double leastFixedCost = 1e-7; ///< s, so that it has a logarithm
constexpr double unseenRowCost = 0.05;  ///< of the profile's, where a fit starts that sees no cost of a row
constexpr double unknownSiteSd = 1.5;   ///< of ln(constant of a site / profile) where sites differ at will
constexpr double ttftSd = 0.05;         ///< of ln(mean TTFT / the law)
/// Batches at which the law must follow the fitted line of decode steps, sequences per engine.
constexpr std::array<double, 6> lineBatches{1, 4, 16, 64, 128, 256};

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
    Measured(LiveConstants constants, std::vector<DecodeWindow> windows)
        : constants_(std::move(constants))
        , pool_(constants_.scenario().pools.back())
        , replica_(replicaOf(pool_))
        , windows_(std::move(windows)) {}

    const LiveConstants& constants() const { return constants_; }

    /// Decode steps against load. \returns an error that names what is physically impossible; empty: none
    std::string decode(LiveCalibration& out) {
        if (pool_.inputs[Input::draftTokens] > 0) {
            out.notes.push_back("With speculative decoding, one gap covers several tokens, so decode "
                                "efficiency cannot be determined. Use a run without it.");
            return {};
        }
        if (constants_.scenario().model.moe) {
            out.notes.push_back("The number of active experts grows with the batch, as the KV cache does, so "
                                "expert and attention bandwidth cannot be separated.");
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
            out.notes.push_back("The load varied by only " + percentText(fit.line.reach) +
                                ", so decode efficiency and the fixed cost of a step cannot be separated. "
                                "Use hours with low and high load.");
            return {};
        }
        if (fit.efficiency <= 0 || fit.efficiency > 1 + 2 * fit.efficiencySd) {
            return "decode steps read " + percentText(fit.efficiency) +
                   " of the HBM bandwidth, which is physically impossible; likely the format of the KV "
                   "cache, the lengths of requests, the number of GPUs of a replica or the GPU of the "
                   "scenario differ from those of the engine";
        }
        if (fit.overhead < -3 * fit.overheadSd && fit.overhead < -1e-4) {
            return "the fixed cost of a decode step comes out as " + figureText(1e3 * fit.overhead, " ms") +
                   ", which is physically impossible; likely the weights of the engine are in fewer bytes "
                   "than the scenario's plan.weights, or split over more GPUs";
        }
        decode_ = fit;
        // The line is straight over all batches, so costs of a row alongside weights and caches are not seen,
        // sampling and streaming among them; and where prompts are slower than decode steps of as many rows,
        // the difference is a cost of the prompt.
        for (const Input input :
             {Input::servingRowFactor, Input::servingSequenceOverhead, Input::servingStepOverhead,
              Input::servingSortBytes, Input::servingFrontEndTime}) {
            if (pool_.inputs[input] > 0) // plain sampling sorts nothing
                constants_.release(input, unknownSiteSd, unseenRowCost * pool_.inputs[input]);
        }
        // A profile has next to none; an engine whose prompts and decode steps do not share a step loses
        // about a decode step to each prompt.
        constants_.release(Input::servingPromptOverhead, 2 * unknownSiteSd, fit.line.a);
        const double tail = normalQuantile(0.9);
        out.parameters.push_back(measuredFigure(
            "decode_hbm_efficiency", "HBM efficiency of decode steps", "ratio",
            pool_.inputs[Input::servingMemoryEfficiency], fit.efficiency,
            fit.efficiency * std::exp(-tail * fit.efficiencySd),
            std::min(1.0, fit.efficiency * std::exp(tail * fit.efficiencySd)),
            "inter-token latency x (1 - prefill share) over KV cache bytes in " +
                std::to_string(windows_.size()) + " windows, batch " + batchText() +
                (errorShare > 0 ? ", corrected for the error of the batch" : "") +
                "; calibrates serving_memory_efficiency and serving_attention_memory_efficiency"));
        out.parameters.push_back(measuredFigure(
            "decode_step_overhead", "Fixed cost per decode step", "s", modeledOverhead(bytes), fit.overhead,
            fit.overhead - tail * fit.overheadSd, fit.overhead + tail * fit.overheadSd,
            "intercept minus the time to read the weights; calibrates launches, engine all-reduce and "
            "serving_step_overhead together"));
        return {};
    }

    void batches(LiveCalibration& out) const {
        std::vector<double> ratio;
        for (const DecodeWindow& w : windows_)
            if (w.running > 0)
                ratio.push_back(w.batch / w.running);
        const double middle = spreadOf(ratio).median;
        if (std::abs(middle - 1) > disagreement) {
            out.notes.push_back("Tokens per second times inter-token latency imply a batch of " +
                                percentText(middle) +
                                " of the running requests that the engine reports. Possible causes: requests "
                                "in prefill, preemption, speculation or a wrong number of replicas.");
        }
    }

    /// Apparent efficiency of prefill. \returns an error that names what is physically impossible; empty:
    /// none
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
            out.notes.push_back("Prefill time is not reported, so prefill efficiency is unchanged.");
            return {};
        }
        const Spread middle = spreadOf(apparent);
        if (middle.median > 1) {
            return "prefill computes at " + percentText(middle.median) +
                   " of the peak, which is physically impossible; likely hits of the prefix cache are not "
                   "counted, or the GPU or its number in the scenario differ from those of the engine";
        }
        const RobustLine line = robustLine(tokens, seconds);
        const double before = modeledPrefill();
        if (line.reach > leastReach && line.b > 3 * line.bSd) {
            const double efficiency = perToken / (line.b * peak), sd = line.bSd / line.b;
            out.parameters.push_back(measuredFigure(
                "prefill_efficiency", "Prefill efficiency", "ratio", before, efficiency,
                efficiency * std::exp(-1.28 * sd), std::min(1.0, efficiency * std::exp(1.28 * sd)),
                "prefill time against computed tokens; fixed cost " + figureText(1e3 * line.a, " ms")));
        } else {
            out.parameters.push_back(boundedFigure("prefill_efficiency", "Prefill efficiency", "ratio",
                                                   before, middle.median, 1,
                                                   "apparent " + figureText(middle.median) +
                                                       " is a lower bound that includes a fixed cost per "
                                                       "prefill; prompts of other lengths separate them"));
        }
        return {};
    }

    /// Points of the fit: what the regressions identified, gaps by the estimate's own equilibrium, and the
    /// time of a prefill.
    std::vector<LivePoint> points(LiveCalibration& out) {
        std::vector<DecodeWindow> grouped = groups();
        if (std::ranges::any_of(grouped, [](const DecodeWindow& w) { return w.ttft > 0; })) {
            constants_.release(Input::servingRequestOverhead, unknownSiteSd);
            constants_.release(Input::servingWaitedSteps, unknownSiteSd);
        }
        std::vector<LivePoint> all;
        const std::vector<double> start = present();
        std::size_t unstable = 0;
        for (const DecodeWindow& w : grouped) {
            LivePoint point{.measured = w.itl, .sd = gapSd, .weight = 1, .predict = {}};
            point.predict = [this, w](const std::vector<double>& theta) { return loaded(w, theta).itl; };
            if (std::isfinite(std::log(point.predict(start)))) {
                all.push_back(std::move(point));
                if (w.ttft > 0) {
                    all.push_back(
                        {.measured = w.ttft,
                         .sd = ttftSd,
                         .weight = 1,
                         .predict = [this,
                                     w](const std::vector<double>& theta) { return loaded(w, theta).ttft; },
                         .judged = false});
                }
            } else {
                ++unstable;
            }
        }
        if (unstable > 0) {
            out.notes.push_back(
                "In " + std::to_string(unstable) + " of " + std::to_string(grouped.size()) +
                " windows the modeled engine cannot sustain the measured load; they are excluded.");
        }
        // Errors of a sweep are partly common: n windows count as the root of n.
        const auto windows = static_cast<double>(std::max<std::size_t>(1, grouped.size() - unstable));
        for (LivePoint& point : all)
            point.weight = 1 / std::sqrt(windows);
        std::vector<double> prefills;
        for (const DecodeWindow& w : windows_)
            if (w.prefillTime > 0)
                prefills.push_back(w.prefillTime);
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
            if (std::isfinite(std::log(point.predict(start))))
                all.push_back(std::move(point));
        }
        addDecodeLine(all);
        return all;
    }

private:
    /// The identified line of decode steps as points: gaps alone cover a narrow range of batches and mix
    /// decode with prefill, so a fit to them splits slope and intercept as the priors like.
    void addDecodeLine(std::vector<LivePoint>& points) const {
        if (!decode_)
            return;
        const RobustLine& line = decode_->line;
        std::vector<double> contexts;
        for (const DecodeWindow& w : windows_)
            contexts.push_back(contextOf(w));
        const double context = spreadOf(contexts).median;
        for (const double batch : lineBatches) {
            const double bytes =
                batch / replica_.schedulers * sequenceBytes(replica_.memory.sequence, context);
            const double seconds = line.a + line.b * bytes;
            const double variance =
                line.aSd * line.aSd + 2 * bytes * line.abCovariance + bytes * bytes * line.bSd * line.bSd;
            points.push_back({.measured = seconds,
                              .sd = std::max(leastLineSd, std::sqrt(std::max(0.0, variance)) / seconds),
                              .weight = 1,
                              .predict =
                                  [this, batch, context](const std::vector<double>& theta) {
                                      return decodeStep(batch, context,
                                                        constants_.poolInputs(theta)[decodePool()]);
                                  },
                              .judged = false});
        }
        // The fixed cost that is shown is what is left of that line at no batch; where it is next to nothing,
        // or below, there is no ratio to hold.
        if (const double share = decode_->overheadSd / decode_->overhead; share > 0 && share < mostFixedSd) {
            points.push_back({.measured = decode_->overhead,
                              .sd = std::max(leastPinSd, 0.3 * share),
                              .weight = 1,
                              .predict =
                                  [this, context](const std::vector<double>& theta) {
                                      return fixedCost(context, constants_.poolInputs(theta)[decodePool()]);
                                  },
                              .judged = false});
        }
        for (const Input input : {Input::servingMemoryEfficiency, Input::servingAttentionMemoryEfficiency}) {
            points.push_back(
                {.measured = decode_->efficiency,
                 .sd = std::max(leastPinSd, 0.3 * decode_->efficiencySd), // to lie within the band
                 .weight = 1,
                 .predict =
                     [this, input](const std::vector<double>& theta) {
                         return constants_.poolInputs(theta)[decodePool()][input];
                     },
                 .judged = false});
        }
    }

    std::size_t decodePool() const { return constants_.scenario().pools.size() - 1; }
    const ServingPool& prefillPool() const { return constants_.scenario().pools.front(); }

    std::vector<double> present() const {
        std::vector<double> out;
        for (std::size_t j = 0; j < constants_.size(); ++j)
            out.push_back(constants_.present(j));
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
                for (std::size_t i = from; i < to; ++i)
                    sum += sorted[i].*member;
                mean.*member = sum / static_cast<double>(to - from);
            };
            for (double DecodeWindow::* member :
                 {&DecodeWindow::itl, &DecodeWindow::prefillShare, &DecodeWindow::batch,
                  &DecodeWindow::requestRate, &DecodeWindow::prompt, &DecodeWindow::output,
                  &DecodeWindow::hitShare, &DecodeWindow::ttft}) {
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

    struct Latencies {
        double itl = std::numeric_limits<double>::infinity();
        double ttft = std::numeric_limits<double>::infinity();
    };

    /// Latencies of the estimate, s; infinite where the engine cannot carry the load.
    Latencies loaded(const DecodeWindow& w, const std::vector<double>& theta) const {
        thread_local const auto totals = std::make_unique<ServingTotals>();
        const LiveConstants::PoolInputs inputs = under(w, theta);
        const Scenario& scenario = constants_.scenario();
        evaluateServing<double>(scenario, std::span(inputs).first(scenario.pools.size()), *totals, nullptr,
                                ServingDetail::means);
        return totals->stable ? Latencies{totals->itl, totals->ttft} : Latencies{};
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
        return seconds - in[Input::servingPromptOverhead]; // the engine reports the time of the first token
    }

    /// \param batch sequences \param context tokens of each
    double decodeStep(double batch, double context, const Inputs& inputs) const {
        thread_local const auto scratch = std::make_unique<ServingStepCost<double>>();
        const EngineStep step(pool_.plan, inputs, pool_.networkBound, *scratch);
        return step({.decodeSequences = batch, .decodeContext = context});
    }

    /// What a decode step of hardly any sequence takes besides reading the weights, s. \param context tokens
    double fixedCost(double context, const Inputs& inputs) const {
        const double one = decodeStep(1, context, inputs);
        const double perSequence = (decodeStep(16, context, inputs) - one) / 15;
        const double reading =
            replica_.weightBytes / (replica_.bandwidth * inputs[Input::servingMemoryEfficiency]);
        return std::max(leastFixedCost, one - perSequence - reading);
    }

    /// What the profile's decode step takes besides reading weights and caches, at the middle load, s.
    double modeledOverhead(const std::vector<double>& bytes) const {
        std::vector<double> rest;
        const Inputs& in = pool_.inputs;
        for (std::size_t i = 0; i < windows_.size(); ++i) {
            rest.push_back(decodeStep(windows_[i].batch, contextOf(windows_[i]), in) -
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

    double modeledPrefill() const {
        if (windows_.empty())
            return notMeasured;
        const DecodeWindow& w = windows_[windows_.size() / 2];
        return w.prompt * (1 - w.hitShare) * prefillFlopsPerToken() /
               (promptTime(w, present()) * prefillPool().inputs[Input::peak]);
    }

    LiveConstants constants_;
    const ServingPool& pool_;
    Replica replica_;
    std::vector<DecodeWindow> windows_;
    std::optional<DecodeFit> decode_; ///< once identified
};

/// Tokens of KV cache that an engine says it has.
void addCache(const LiveConstants& constants, const Observation& o, const UsableTime& time,
              LiveCalibration& out) {
    const SignalTable* table = o.table(Signal::kvCacheBlocks);
    if (!table || table->rows.empty())
        return;
    const std::vector<double> values = usedValues(time, table->row(0, o.grid.points));
    if (values.empty())
        return;
    const auto totals = std::make_unique<ServingTotals>();
    evaluateServingAt(constants.scenario(), 1e-6, 0, *totals, ServingDetail::means);
    const double tokens = spreadOf(values).median;
    out.parameters.push_back(measuredFigure("kv_cache_tokens", "KV cache per replica", "tokens",
                                            totals->decoding().kvTokens, tokens, tokens, tokens,
                                            "exact, reported by the engine; a difference from the plan means "
                                            "another memory share, format or workspace"));
}

} // namespace

Result<LiveCalibration> calibrateServing(const LiveConstants& constants, const Observation& observation,
                                         const UsableTime& time) {
    Result<std::vector<DecodeWindow>> windows = decodeWindows(observation, time);
    if (!windows)
        return Error{windows.error()};
    if (windows->size() < leastPoints) {
        return Error{"only " + std::to_string(windows->size()) + " windows of " +
                     figureText(time.lookback, " s") + " have decode metrics; at least " +
                     std::to_string(leastPoints) + " are required; select a longer time range"};
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
        return Error{"requests spend " + figureText(100 * spreadOf(shares).median) +
                     " % of the engine's time in prefill, which is physically impossible; prefills overlap, "
                     "as with chunks of several prompts in one step; select a time of lower load"};
    }
    if (!observation.table(Signal::prefillShare)) {
        out.notes.push_back("Prefill time is not reported and assumed to be zero, so decode steps appear "
                            "longer than they are.");
    }
    Measured measured(constants, *std::move(windows));
    for (const std::string& wrong : {measured.decode(out), measured.prefill(out)})
        if (!wrong.empty())
            return Error{wrong};
    measured.batches(out);
    addCache(constants, observation, time, out);
    const std::vector<LivePoint> points = measured.points(out);
    if (points.empty()) {
        return Error{"the engines report neither request rates nor prompt and output lengths, or more load "
                     "than the modeled engine can sustain; use the scenario that the engines run"};
    }
    fitLive(measured.constants(), points, out);
    return out;
}

} // namespace alidade
