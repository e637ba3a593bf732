// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search.h"

#include "model/base/quantiles.h"
#include "model/estimate/difference.h"
#include "model/estimate/figures.h"
#include "model/estimate/serving_estimate.h"
#include "model/search/findings.h"
#include "model/search/judge.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_walker.h"
#include "model/search/search_basis.h"
#include "model/search/work_order.h"
#include "model/units/format.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace alidade {

namespace {

constexpr std::size_t mostFront = 10'000;
constexpr std::size_t mostSampled = 4000;

std::string unfitReason(const PlanEvaluator& plan) {
    return "Does not fit: " + plan.largestMemoryPart() + " take most of the memory";
}

class Search {
public:
    Search(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
           const SearchOptions& options)
        : question_(question)
        , catalog_(catalog)
        , profile_(profile)
        , options_(options)
        , judge_(question)
        , axes_{question.objectives.front(), question.objectives.size() > 1
                                                 ? question.objectives[1]
                                                 : findPlanFigure("memory.total_bytes")}
        , plans_(question.plans())
        , machinesAreFree_(std::ranges::any_of(
              question.free, [](const FreeField& each) { return each.path.starts_with("cluster."); })) {}

    /// Tries the plans of the shard.
    SearchFindings tryAll() {
        PresentPlan present;
        judgePresent(present);
        SearchFindings out(question_);
        tryAll(out);
        return out;
    }

    SearchResult answer(SearchFindings& all) {
        SearchResult out;
        out.plans = plans_;
        judgePresent(out.present);
        out.counts = all.counts;
        out.complete = all.counts.total() == plans_;
        if (presentScore_) {
            out.present.rank = all.better + 1;
        }
        describe(all, out);
        out.axes = axes_;
        out.sample = all.sample.plans();
        for (Rejection& each : all.rejected.sorted()) {
            each.example = editOf(question_, each.index);
            out.rejected.push_back(std::move(each));
        }
        return out;
    }

    FoundPlan at(std::uint64_t index) {
        PresentPlan present;
        judgePresent(present);
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        PlanWalker walker(question_);
        if (plan.tryOut(walker.at(index), judge_.percentiles()) == PlanOutcome::illegal) {
            return {.index = index,
                    .set = editOf(question_, index),
                    .figures = {},
                    .changes = changesAt(walker),
                    .marks = {}};
        }
        return found({judge_.scoresOf(plan), changesAt(walker), index}, plan, walker);
    }

    /// Why findings are of other figures; empty: they are not.
    std::string differs(const SearchFindings& findings) const {
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        PlanWalker walker(question_);
        for (const RankedPlan& each : findings.best.sorted()) {
            if (each.index >= plans_ ||
                plan.tryOut(walker.at(each.index), judge_.percentiles()) != PlanOutcome::carries ||
                judge_.scoresOf(plan) != each.scores) {
                return "plan " + std::to_string(each.index) +
                       " has other figures now; the scenario, the catalog or the calibration has changed";
            }
        }
        return {};
    }

private:
    void judgePresent(PresentPlan& out) {
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        const PlanOutcome outcome = plan.tryOut(question_.base, judge_.percentiles());
        presentDigits_ = presentDigits(question_, plan.resolved() ? &plan.scenario() : nullptr);
        if (outcome == PlanOutcome::illegal) {
            out.why = plan.whyIllegal().message;
            return;
        }
        out.figures = figuresOf(plan);
        out.why = outcome == PlanOutcome::unfit        ? unfitReason(plan)
                  : outcome == PlanOutcome::overloaded ? overloadReason
                                                       : judge_.miss(plan);
        if (out.why.empty()) {
            presentScore_ = judge_.scoresOf(plan)[0];
        }
    }

    void tryAll(SearchFindings& all) {
        const int wanted =
            options_.threads > 0 ? options_.threads : static_cast<int>(std::thread::hardware_concurrency());
        const WorkloadSpec& workload = question_.base.workload;
        const WorkOrder order(plans_, options_.shard, workload.isServing() || workload.isReinforcement());
        const auto threads = static_cast<int>(
            std::clamp<std::uint64_t>(order.parts(), 1, static_cast<std::uint64_t>(std::max(1, wanted))));
        std::atomic<std::uint64_t> next{0}, tried{0};
        std::mutex mutex;
        std::uint64_t spreadParts = 0; // that were handed over
        std::atomic<bool> telling{false};
        // What a thread has found so far goes to the others' before the end.
        const auto handOver = [&](SearchFindings& mine, std::uint64_t ofSpread, bool asked) {
            std::unique_lock lock(mutex);
            all.add(mine);
            mine = SearchFindings(question_);
            spreadParts += ofSpread;
            if (!(asked || spreadParts == order.spread()) || telling.exchange(true)) {
                return;
            }
            const SearchFindings soFar = all;
            lock.unlock();
            options_.partial(soFar);
            telling = false;
        };
        const auto work = [&] {
            SearchFindings mine(question_);
            std::uint64_t round = 0, ofSpread = 0;
            std::vector<WorkOrder::Range> ranges;
            PlanEvaluator plan(catalog_, profile_, options_.adjust);
            PlanWalker walker(question_);
            for (std::uint64_t part = next++; part < order.parts() && !options_.stop.stop_requested();
                 part = next++) {
                if (part < order.spread()) {
                    ++ofSpread;
                } else if (ofSpread > 0 && options_.partial) {
                    handOver(mine, std::exchange(ofSpread, 0), false);
                }
                order.ranges(part, ranges);
                std::uint64_t count = 0;
                for (const auto& [begin, end] : ranges) {
                    // Asked after each plan: a service may take milliseconds.
                    for (std::uint64_t i = begin; i < end && !options_.stop.stop_requested(); ++i, ++count) {
                        tryOne(i, walker, plan, mine);
                        if (options_.round != nullptr && *options_.round > round) {
                            round = *options_.round;
                            handOver(mine, 0, true);
                        }
                    }
                }
                tried += count;
                if (options_.progress) {
                    options_.progress(tried);
                }
            }
            const std::scoped_lock lock(mutex);
            all.add(mine);
        };
        std::vector<std::jthread> others;
        for (int i = 1; i < threads; ++i) {
            others.emplace_back(work);
        }
        work();
    }

    void tryOne(std::uint64_t index, PlanWalker& walker, PlanEvaluator& plan, SearchFindings& out) const {
        const ScenarioSpec& spec = walker.at(index);
        switch (plan.tryOut(spec, judge_.percentiles(), walker.layoutOnly())) {
        case PlanOutcome::illegal:
            ++out.counts.illegal;
            out.rejected.add(plan.illegalMessage(), index);
            return;
        case PlanOutcome::unfit:
            ++out.counts.unfit;
            out.rejected.add(unfitReason(plan), index);
            return;
        case PlanOutcome::overloaded:
            ++out.counts.missed;
            out.rejected.add(overloadReason, index);
            return;
        case PlanOutcome::carries:
            break;
        }
        if (const std::string why = judge_.miss(plan); !why.empty()) {
            ++out.counts.missed;
            out.rejected.add(why, index);
            return;
        }
        ++out.counts.evaluated;
        const RankedPlan ranked{judge_.scoresOf(plan), changesAt(walker), index};
        out.better += presentScore_ && ranked.scores[0] < *presentScore_ ? 1 : 0;
        out.best.add(ranked);
        out.sample.add({{plan.figure(*axes_[0]), plan.figure(*axes_[1])}, index});
        out.ofChoice.add(question_, walker, ranked);
        if (machinesAreFree_) {
            FewestMachines::add(out.fewest, {plan.figure(*gpus_), ranked});
        }
        if (question_.objectives.size() > 1) {
            out.front.add(ranked);
        }
    }

    int changesAt(const PlanWalker& walker) const {
        int out = 0;
        for (std::size_t i = 0; i < presentDigits_.size(); ++i) {
            out += presentDigits_[i] != walker.digit(i) ? 1 : 0;
        }
        return out;
    }

    std::vector<std::pair<const PlanFigure*, double>> figuresOf(const PlanEvaluator& plan) const {
        std::vector<std::pair<const PlanFigure*, double>> out;
        for (const PlanFigure& each : planFigures()) {
            if (each.isOf(plan.scenario().spec.workload)) {
                const double value = plan.figure(each);
                if (!std::isnan(value) &&
                    (judge_.percentiles() || each.path.find("percentiles") == std::string_view::npos)) {
                    out.emplace_back(&each, value);
                }
            }
        }
        return out;
    }

    /// A plan of the answer with all that is said of it. A service is estimated in full: where the closed
    /// form does not hold, its engine is simulated.
    FoundPlan found(const RankedPlan& ranked, PlanEvaluator& plan, PlanWalker& walker) const {
        plan.tryOut(walker.at(ranked.index), judge_.percentiles());
        FoundPlan out{.index = ranked.index,
                      .set = editOf(question_, ranked.index),
                      .figures = figuresOf(plan),
                      .changes = ranked.changes,
                      .marks = {}};
        if (plan.scenario().isServing() && !options_.closedForm) {
            const Estimate played = servingEstimate(plan.scenario(), {.loadLimit = false});
            for (auto& [figure, value] : out.figures) {
                const auto at = findFigure(played, figure->path);
                value = at ? at->value : value;
            }
            out.missesTargets = played.serving && played.serving->meetsTargets == false;
        }
        const PlanFigure& figure = *question_.objectives.front();
        const double factor = std::exp(quantile90 * plan.logSd(figure)), value = out.figure(figure);
        out.low = value / factor;
        out.high = value * factor;
        out.surelyFits = plan.memoryHigh() <= plan.usableMemory();
        if (!out.surelyFits) {
            out.marks.emplace_back("the high end of its memory band does not fit");
        }
        for (const Problem& problem : plan.scenario().problems) {
            if (problem.severity == Severity::warning) {
                out.marks.push_back(problem.message);
            }
        }
        return out;
    }

    /// A plan of the answer while it is compared with others.
    struct Candidate {
        FoundPlan plan;
        RankedPlan rank;
        std::string machine = {};
        std::string run = {};  ///< machines, their number, software and precision
        double logSd = 0;      ///< of the first objective
        double mostPair = 0.0; ///< mostPairLogSd()
    };

    /// A plan as the evaluator has it, to be compared with others.
    Candidate candidateOf(const RankedPlan& ranked, const PlanEvaluator& plan) const {
        const Scenario& s = plan.scenario();
        Candidate out{.plan = {}, .rank = ranked};
        out.machine = s.priceItem;
        out.run = s.priceItem + ' ' + std::to_string(plan.figure(*gpus_));
        const PlanSpec& spec = s.spec.plan;
        for (const auto& each : {spec.framework, spec.engine, spec.precision, spec.weights, spec.kvCache}) {
            out.run += ' ' + each.value_or("");
        }
        out.logSd = plan.logSd(*question_.objectives.front());
        out.mostPair = mostPairLogSd(s);
        return out;
    }

    /// The best plans as they are after a full estimate: those that still keep the limits, in order.
    std::vector<Candidate> candidates(SearchFindings& all, SearchCounts& counts) const {
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        PlanWalker walker(question_);
        std::vector<Candidate> out;
        // A full estimate of a service may simulate its engine; of a training plan it costs nothing.
        const std::size_t most = question_.base.workload.isServing() ? question_.top : keptPlans(question_);
        for (const RankedPlan& each : all.best.sorted()) {
            FoundPlan candidate = found(each, plan, walker);
            const auto twin = std::ranges::find_if(
                out, [&](const Candidate& c) { return c.plan.figures == candidate.figures; });
            if (twin != out.end()) {
                ++twin->plan.same;
                continue;
            }
            if (out.size() == most) {
                break;
            }
            const auto value = [&](const PlanFigure& figure) {
                return judge_.judged(candidate.figure(figure), plan.logSd(figure), figure);
            };
            const std::string why =
                candidate.missesTargets ? Judge::missedTargets : judge_.missedLimit(value);
            if (!why.empty()) {
                --counts.evaluated;
                ++counts.missed;
                all.rejected.add(why, each.index);
                continue;
            }
            RankedPlan rank = each;
            rank.scores = judge_.scores(value);
            out.push_back(candidateOf(rank, plan));
            out.back().plan = std::move(candidate);
        }
        std::ranges::stable_sort(out, [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
        return out;
    }

    void describe(SearchFindings& all, SearchResult& out) const {
        std::vector<Candidate> found = candidates(all, out.counts);
        for (Candidate& each : found) {
            each.plan.equalToBest = !toldApart(found.front(), each);
        }
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        if (presentScore_ && !found.empty()) {
            plan.tryOut(question_.base, judge_.percentiles());
            out.present.equalToBest =
                !toldApart(found.front(), candidateOf({{*presentScore_, 0}, 0, 0}, plan));
        }
        const auto second =
            std::ranges::find(found, false, [](const Candidate& each) { return each.plan.equalToBest; });
        if (second != found.end() && !options_.closedForm) {
            out.runnerUp = runnerUp(found.front().plan, second->plan, plan);
        }
        for (Candidate& each : found) {
            const auto prefers = [](const FoundPlan& a, const FoundPlan& b) {
                return a.surelyFits != b.surelyFits ? a.surelyFits : a.changes < b.changes;
            };
            if (each.plan.equalToBest && (!out.recommended || prefers(each.plan, *out.recommended))) {
                out.recommended = each.plan;
            }
            if (out.best.size() < question_.top) {
                out.best.push_back(std::move(each.plan));
            }
        }
        PlanWalker walker(question_);
        for (const RankedPlan& each : all.front.plans()) {
            if (out.front.size() == mostFront) {
                break;
            }
            out.front.push_back(this->found(each, plan, walker));
        }
        if (options_.closedForm) { // of a search that goes on; see SearchOptions
            return;
        }
        if (out.recommended) {
            plan.tryOut(walker.at(out.recommended->index), judge_.percentiles());
            out.assumes = restsOn(plan.scenario());
        }
        if (all.fewest) {
            out.fewest = this->found(all.fewest->plan, plan, walker);
        }
        describeEffects(all, plan, walker, out);
    }

    /// A plan as its closed form has it, to be compared with others.
    Candidate candidateAt(const RankedPlan& ranked, PlanEvaluator& plan, PlanWalker& walker) const {
        plan.tryOut(walker.at(ranked.index), judge_.percentiles());
        return candidateOf(ranked, plan);
    }

    void describeEffects(const SearchFindings& all, PlanEvaluator& plan, PlanWalker& walker,
                         SearchResult& out) const {
        const std::vector<RankedPlan> ranked = all.best.sorted();
        if (ranked.empty()) {
            return;
        }
        const Candidate best = candidateAt(ranked.front(), plan, walker);
        const auto& ofChoice = all.ofChoice.plans();
        std::size_t first = 0;
        for (std::size_t i = 0; i < question_.free.size(); ++i) {
            const std::size_t choices = question_.free[i].choices.size();
            FieldEffect effect{.field = i, .values = {}};
            for (std::size_t k = 0; k < choices; ++k) {
                if (first + k >= ofChoice.size() || !ofChoice[first + k]) {
                    ++effect.failing;
                    continue;
                }
                const Candidate each = candidateAt(*ofChoice[first + k], plan, walker);
                effect.values.push_back(
                    {k, plan.figure(*question_.objectives.front()), !toldApart(best, each)});
            }
            first += choices;
            if (choices > 1) {
                out.effects.push_back(std::move(effect));
            }
        }
    }

    /// What the first plan that is worse than the best one would need to be level with it.
    RunnerUp runnerUp(const FoundPlan& best, const FoundPlan& second, PlanEvaluator& plan) const {
        const PlanFigure& figure = *question_.objectives.front();
        RunnerUp out{.plan = second, .ratio = second.figure(figure) / best.figure(figure)};
        PlanWalker walker(question_);
        const auto estimateOf = [&](const FoundPlan& each) {
            plan.tryOut(walker.at(each.index), judge_.percentiles());
            return plan.estimate();
        };
        const auto first = estimateOf(best), other = estimateOf(second);
        const auto difference = first && other ? differenceOf(*first, *other) : std::nullopt;
        if (!difference || difference->after <= difference->before) {
            return out;
        }
        const auto& parts = difference->parts;
        const auto most = std::ranges::max_element(parts, {}, &DifferencePart::seconds);
        out.gap = difference->after - difference->before;
        out.most = most->seconds;
        out.bound = most->bound;
        const auto& spent = other->training           ? other->training->breakdown
                            : other->serving->answers ? other->serving->breakdown
                                                      : other->serving->prefillBreakdown;
        for (const auto& share : spent) {
            out.spent += share.bound == out.bound ? share.seconds : 0;
        }
        return out;
    }

    /// Whether the model can tell which of two plans is better; see search(). Scores have one sign.
    bool toldApart(const Candidate& best, const Candidate& other) const {
        const double a = best.rank.scores[0], b = other.rank.scores[0];
        if (a == b) {
            return false;
        }
        // Errors of plans on one machine correlate: the variance of their difference.
        const double shared =
            best.machine == other.machine ? 2 * errorCorrelationOnOneMachine * best.logSd * other.logSd : 0;
        double sd = std::sqrt(best.logSd * best.logSd + other.logSd * other.logSd - shared);
        if (best.run == other.run && question_.objectives.front()->error == FigureError::time) {
            sd = std::min(sd, best.mostPair);
        }
        return a * b <= 0 || std::abs(std::log(b / a)) > quantile90 * sd;
    }

    static constexpr const char* overloadReason = "More requests arrive than it can serve";

    const SearchQuestion& question_;
    const Catalog& catalog_;
    const Profile& profile_;
    const SearchOptions& options_;
    Judge judge_;
    std::array<const PlanFigure*, 2> axes_; ///< of the sample
    const PlanFigure* gpus_ = findPlanFigure("gpus");
    std::uint64_t plans_;
    bool machinesAreFree_;
    std::vector<std::optional<std::size_t>> presentDigits_;
    std::optional<double> presentScore_;
};

} // namespace

SearchCounts& SearchCounts::operator+=(const SearchCounts& other) {
    evaluated += other.evaluated;
    pruned += other.pruned;
    illegal += other.illegal;
    unfit += other.unfit;
    missed += other.missed;
    return *this;
}

bool FieldEffect::matters() const {
    return std::ranges::any_of(values, [](const ChoiceEffect& each) { return !each.equalToBest; });
}

double FoundPlan::figure(const PlanFigure& which) const {
    for (const auto& [figure, value] : figures) {
        if (figure == &which) {
            return value;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::size_t keptPlans(const SearchQuestion& question) { return std::max<std::size_t>(200, question.top * 4); }

SearchFindings::SearchFindings(const SearchQuestion& question)
    : best(keptPlans(question))
    , sample(mostSampled) {}

void SearchFindings::add(const SearchFindings& other) {
    counts += other.counts;
    best.add(other.best);
    front.add(other.front);
    rejected.add(other.rejected);
    sample.add(other.sample);
    ofChoice.add(other.ofChoice);
    if (other.fewest) {
        FewestMachines::add(fewest, *other.fewest);
    }
    better += other.better;
}

SearchFindings searchShard(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                           const SearchOptions& options) {
    return Search(question, catalog, profile, options).tryAll();
}

SearchResult searchAnswer(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                          SearchFindings findings, const SearchOptions& options) {
    return Search(question, catalog, profile, options).answer(findings);
}

FoundPlan planAt(std::uint64_t index, const SearchQuestion& question, const Catalog& catalog,
                 const Profile& profile) {
    const SearchOptions options{.closedForm = true};
    return Search(question, catalog, profile, options).at(index);
}

std::string wrongWith(const SearchFindings& findings, const SearchQuestion& question, const Catalog& catalog,
                      const Profile& profile) {
    return Search(question, catalog, profile, {}).differs(findings);
}

SearchResult search(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                    const SearchOptions& options) {
    return searchAnswer(question, catalog, profile, searchShard(question, catalog, profile, options),
                        options);
}

} // namespace alidade
