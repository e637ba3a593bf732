// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/bound.h"
#include "model/search/question.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// What became of the plans of a space; they add up to its size once all were tried.
struct SearchCounts {
    std::uint64_t evaluated = 0; ///< run, fit and keep every limit
    std::uint64_t pruned = 0;    ///< left out because a bound proves that they cannot win
    std::uint64_t illegal = 0;   ///< break a rule
    std::uint64_t unfit = 0;     ///< do not fit in memory
    std::uint64_t missed = 0;    ///< run and fit, but miss a limit, a target or the load
    std::uint64_t total() const { return evaluated + pruned + illegal + unfit + missed; }
    /// Plans whose totals were computed: the memory of all of them, time and cost of those that fit.
    std::uint64_t computed() const { return evaluated + unfit + missed; }
    SearchCounts& operator+=(const SearchCounts& other);
};

/// One plan of the answer.
struct FoundPlan {
    std::uint64_t index = 0; ///< within the space
    Edit set;                ///< of the scenario, to become this plan
    std::vector<std::pair<const PlanFigure*, double>> figures;
    double low = 0, high = 0;       ///< 10 % and 90 % quantiles of the first objective
    bool equalToBest = false;       ///< the model cannot tell it from the best one, see search()
    int changes = 0;                ///< free fields whose value differs from the present plan
    bool surelyFits = true;         ///< the high end of its memory band fits, too
    std::vector<std::string> marks; ///< what to know before choosing it
    bool missesTargets = false;     ///< serving: of TTFT or ITL, once estimated in full
    std::uint64_t same = 0;         ///< more plans of the list with exactly these figures, which are left out

    double figure(const PlanFigure& which) const; ///< NaN if it has none
};

/// Plans that failed for one reason.
struct Rejection {
    std::string why; ///< of the first one, with its numbers
    std::uint64_t count = 0;
    std::uint64_t index = 0; ///< of the first one
    Edit example;            ///< the first one
    /// Places of those that follow it in the space, ascending: at most mostExamples with the first.
    std::vector<std::uint64_t> further = {};
};

/// As many plans that failed for one reason are kept.
inline constexpr std::size_t mostExamples = 20;

/// One of the plans that a picture shows.
struct SampledPlan {
    std::array<double, 2> values{}; ///< of the figures of the picture
    std::uint64_t index = 0;
};

/// What the best plan with one value of a free field comes to.
struct ChoiceEffect {
    std::size_t choice = 0;  ///< of the field
    double value = 0;        ///< first objective of the best plan that has it
    bool equalToBest = true; ///< the model cannot tell that plan from the best one
};

/// Whether the choice of a free field matters, if all others may follow it.
struct FieldEffect {
    std::size_t field = 0;            ///< of the question's free ones
    std::vector<ChoiceEffect> values; ///< of those with which a plan runs, fits and keeps the limits
    std::size_t failing = 0;          ///< values with which none does

    /// Some of its values cost more than the error of the model.
    bool matters() const;
};

/// How much longer the step of a plan takes than that of the best plan, and where it loses most.
struct StepGap {
    double seconds = 0;           ///< 0: the step is not slower, or that is not known
    double most = 0;              ///< s of these in the class of time in which it loses most
    double spent = 0;             ///< s that it spends there in all
    Bound bound = Bound::compute; ///< that class
};

/// The first plan that the model can tell from the best one, and what it would need to be level with it.
struct RunnerUp {
    FoundPlan plan;
    double ratio = 1; ///< of its first objective to that of the best plan
    StepGap behind;
};

/// Where the plan that the search started from stands.
struct PresentPlan {
    /// 1: nothing found is better; absent: it does not run, fit or keep the limits.
    std::optional<std::uint64_t> rank;
    std::string why;                                           ///< if it has no rank
    std::vector<std::pair<const PlanFigure*, double>> figures; ///< empty if it is illegal
    bool equalToBest = false;
    StepGap behind;
};

/// The answer to a question.
struct SearchResult {
    std::uint64_t plans = 0; ///< size of the space
    SearchCounts counts;
    bool complete = true;         ///< false: stopped before all plans were tried
    std::vector<FoundPlan> best;  ///< by the first objective, at most as many as asked for
    std::vector<FoundPlan> front; ///< Pareto front of two objectives, by the first; empty for one
    /// The plan to take: among those equal to the best, first one whose memory surely fits, then the one with
    /// the fewest changes. It need not be in the list. Absent if no plan was found.
    std::optional<FoundPlan> recommended;
    /// What the recommended plan rests on, in words: routing, tuning of the software, hidden traffic.
    std::vector<std::string> assumes;
    std::optional<RunnerUp> runnerUp; ///< absent: all plans found are equal within the error
    /// The best of the plans with the fewest GPUs; only where the machines or their number are free.
    std::optional<FoundPlan> fewest;
    std::vector<FieldEffect> effects; ///< of the free fields with more than one value
    PresentPlan present;
    std::vector<Rejection> rejected; ///< most frequent first
    /// The figures of the sample: the first objective, and the second one or the memory.
    std::array<const PlanFigure*, 2> axes{};
    /// Some thousand of the plans that run, fit and keep the limits, spread over the space at random but
    /// always the same; all of them if there are fewer.
    std::vector<SampledPlan> sample;
};

/// A question with its answer, for those who print it.
struct SearchAnswer {
    SearchQuestion question;
    SearchResult result;
    double seconds = 0;  ///< that the search took
    std::string nearest; ///< published run most like the recommended plan, in words; empty: not looked for

    double plansPerSecond() const {
        return seconds > 0 ? static_cast<double>(result.counts.computed()) / seconds : 0;
    }
};

/// A part of a space: of its blocks of plans every `of`-th, beginning with block `index`, 0 .. of - 1.
struct SearchShard {
    std::uint64_t index = 0, of = 1;
};

/// The most shards that a space may be split into.
inline constexpr std::uint64_t mostShards = 10'000;

struct SearchFindings;
class PlanMemory;

struct SearchOptions {
    int threads = 0; ///< 0: as many as the machine has
    SearchShard shard = {};
    std::stop_token stop = {};
    /// Called now and then, from any thread, with the number of plans tried.
    std::function<void(std::uint64_t)> progress = {};
    /// Whenever this has grown, what was found so far is reported. Null: it never is.
    const std::atomic<std::uint64_t>* round = nullptr;
    /// Called with what was found so far, from any thread but never from two at once: first after a few
    /// thousand plans spread over the whole space (a few hundred of a service; a small space has no such
    /// answer), the same ones on any number of threads unless a round came before, then in each round.
    /// searchAnswer() makes an answer of it. What is found in the end does not depend on it.
    std::function<void(const SearchFindings&)> partial = {};
    /// Gets what all plans came to, to ask the same space other questions; null: nothing is remembered.
    PlanMemory* memory = nullptr;
    /// For partial answers: no engine of a service is simulated, and nothing is said of choices, the
    /// runner-up, what the present plan lacks, the fewest machines and what the recommendation rests on.
    bool closedForm = false;
    /// Changes numbers of each plan after its catalog look-ups, for what-ifs over them; any thread calls it.
    std::function<void(Scenario&)> adjust = {};
};

/// Tries every plan of the question's space. The answer is the same for any number of threads.
///
/// Plans are ranked by the first objective, equal values by the fewest changes, then by their place in the
/// space. Two plans are told apart if the 80 % interval of the error of their ratio does not contain 1. On
/// the same machine part of the model's error is common to both: among published runs that share model,
/// hardware and batch, the errors of two plans correlate by about one half, so that ln of the ratio has the
/// standard deviation of a single figure; across machines the errors count as independent (sqrt 2). With the
/// same number of machines, software and precision, it is at most what published runs show; see
/// mostPairLogSd().
///
/// Serving: ranked by the closed form; where it does not hold, the engine of the best plans is simulated, and
/// they are ranked again. \pre completeQuestion(); the space has at most mostPlans plans
SearchResult search(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                    const SearchOptions& options = {});

} // namespace alidade
