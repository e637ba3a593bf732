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
#include "model/search/search_pass.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace alidade {

namespace {

constexpr std::size_t mostFront = 10'000;
constexpr std::size_t mostSampled = 4000;

class Search {
public:
    Search(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
           const SearchOptions& options)
        : question_(question)
        , catalog_(catalog)
        , profile_(profile)
        , options_(options)
        , pass_(question, catalog, profile, options)
        , judge_(pass_.judge())
        , plans_(question.plans()) {}

    SearchResult answer(SearchFindings& all) {
        SearchResult out;
        out.plans = plans_;
        out.present = pass_.present();
        out.counts = all.counts;
        all.rejected.add(all.missed);
        out.complete = all.counts.total() == plans_;
        if (pass_.presentScore())
            out.present.rank = all.better + 1;
        describe(all, out);
        out.axes = pass_.axes();
        out.sample = all.sample.plans();
        for (Rejection& each : all.rejected.sorted()) {
            each.example = editOf(question_, each.index);
            out.rejected.push_back(std::move(each));
        }
        return out;
    }

    FoundPlan at(std::uint64_t index) {
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        PlanWalker walker(question_);
        if (plan.tryOut(walker.at(index), judge_.percentiles()) == PlanOutcome::illegal) {
            return {.index = index,
                    .set = editOf(question_, index),
                    .figures = {},
                    .changes = pass_.changesOf(walker.digits()),
                    .marks = {}};
        }
        return found({judge_.scoresOf(plan), pass_.changesOf(walker.digits()), index}, plan, walker);
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
    /// A plan of the answer with all that is said of it.
    FoundPlan found(const RankedPlan& ranked, PlanEvaluator& plan, PlanWalker& walker) const {
        FoundPlan out = compared(ranked, plan, walker);
        describe(out, plan, walker);
        return out;
    }

    /// A plan of the answer without what describe() adds. A service is estimated in full: where the closed
    /// form does not hold, its engine is simulated.
    FoundPlan compared(const RankedPlan& ranked, PlanEvaluator& plan, PlanWalker& walker) const {
        const ScenarioSpec& spec = walker.at(ranked.index);
        const bool serving = question_.base.workload.isServing();
        plan.tryOut(spec, judge_.percentiles(), serving ? std::nullopt : walker.changed());
        FoundPlan out{.index = ranked.index,
                      .set = {},
                      .figures = pass_.figuresOf(plan),
                      .changes = ranked.changes,
                      .marks = {}};
        if (serving && !options_.closedForm) {
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
        return out;
    }

    /// Adds what only a plan that is shown needs: its fields, and what an estimate warns of.
    void describe(FoundPlan& found, PlanEvaluator& plan, PlanWalker& walker) const {
        found.set = editOf(question_, found.index);
        if (!found.surelyFits)
            found.marks.emplace_back("the high end of its memory band does not fit");
        plan.tryOut(walker.at(found.index), false);
        for (const Problem& problem : plan.scenario().problems)
            if (problem.severity == Severity::warning)
                found.marks.push_back(problem.message);
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
        for (const auto& each : {spec.framework, spec.engine, spec.precision, spec.weights, spec.kvCache})
            out.run += ' ' + each.value_or("");
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
            FoundPlan candidate = compared(each, plan, walker);
            const auto twin = std::ranges::find_if(
                out, [&](const Candidate& c) { return c.plan.figures == candidate.figures; });
            if (twin != out.end()) {
                ++twin->plan.same;
                continue;
            }
            if (out.size() == most)
                break;
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
        for (Candidate& each : found)
            each.plan.equalToBest = !toldApart(found.front(), each);
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        if (pass_.presentScore() && !found.empty()) {
            plan.tryOut(question_.base, judge_.percentiles());
            out.present.equalToBest =
                !toldApart(found.front(), candidateOf({{*pass_.presentScore(), 0}, 0, 0}, plan));
        }
        const auto second =
            std::ranges::find(found, false, [](const Candidate& each) { return each.plan.equalToBest; });
        const auto prefers = [](const Candidate& a, const Candidate& b) {
            return a.plan.equalToBest != b.plan.equalToBest ? a.plan.equalToBest
                   : a.plan.surelyFits != b.plan.surelyFits ? a.plan.surelyFits
                                                            : a.plan.changes < b.plan.changes;
        };
        const auto recommended = std::ranges::min_element(found, prefers);
        PlanWalker walker(question_);
        for (auto each = found.begin(); each != found.end(); ++each) {
            const bool shown = std::cmp_less(each - found.begin(), question_.top);
            if (shown || each == second || each == recommended)
                describe(each->plan, plan, walker);
        }
        if (recommended != found.end())
            out.recommended = recommended->plan;
        if (!found.empty() && !options_.closedForm)
            describeGaps(found.front().plan, second == found.end() ? nullptr : &second->plan, out);
        for (std::size_t i = 0; i < std::min(found.size(), question_.top); ++i)
            out.best.push_back(std::move(found[i].plan));
        for (const RankedPlan& each : all.front.plans()) {
            if (out.front.size() == mostFront)
                break;
            out.front.push_back(this->found(each, plan, walker));
        }
        if (options_.closedForm) // of a search that goes on; see SearchOptions
            return;
        if (out.recommended) {
            plan.tryOut(walker.at(out.recommended->index), judge_.percentiles());
            out.assumes = restsOn(plan.scenario());
        }
        if (all.fewest)
            out.fewest = this->found(all.fewest->plan, plan, walker);
        describeEffects(all, plan, walker, out);
    }

    /// A plan as its closed form has it, to be compared with others.
    Candidate candidateAt(const RankedPlan& ranked, PlanEvaluator& plan, PlanWalker& walker) const {
        const ScenarioSpec& spec = walker.at(ranked.index);
        plan.tryOut(spec, judge_.percentiles(), walker.changed());
        return candidateOf(ranked, plan);
    }

    void describeEffects(const SearchFindings& all, PlanEvaluator& plan, PlanWalker& walker,
                         SearchResult& out) const {
        const std::vector<RankedPlan> ranked = all.best.sorted();
        if (ranked.empty())
            return;
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
            if (choices > 1)
                out.effects.push_back(std::move(effect));
        }
    }

    /// The plan that a spec describes in full; none where estimate() has none.
    std::optional<Estimate> estimateOf(const ScenarioSpec& spec) const {
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        return plan.tryOut(spec, judge_.percentiles()) == PlanOutcome::carries ? plan.estimate()
                                                                               : std::nullopt;
    }

    /// How far the step of a plan is behind that of the best one.
    static StepGap gapBetween(const std::optional<Estimate>& best, const std::optional<Estimate>& other) {
        const auto difference = best && other ? differenceOf(*best, *other) : std::nullopt;
        StepGap out;
        if (!difference || difference->after <= difference->before)
            return out;
        const auto most = std::ranges::max_element(difference->parts, {}, &DifferencePart::seconds);
        out.seconds = difference->after - difference->before;
        out.most = most->seconds;
        out.bound = most->bound;
        const auto& spent = other->training           ? other->training->breakdown
                            : other->serving->answers ? other->serving->breakdown
                                                      : other->serving->prefillBreakdown;
        for (const auto& share : spent)
            out.spent += share.bound == out.bound ? share.seconds : 0;
        return out;
    }

    /// What the plans that are worse than the best one lack: the first one, and the present one.
    void describeGaps(const FoundPlan& best, const FoundPlan* second, SearchResult& out) const {
        const bool presentIsWorse = pass_.presentScore() && out.present.rank != 1;
        if (!second && !presentIsWorse)
            return;
        PlanWalker walker(question_);
        const auto first = estimateOf(walker.at(best.index));
        if (second) {
            const PlanFigure& figure = *question_.objectives.front();
            out.runnerUp = {*second, second->figure(figure) / best.figure(figure),
                            gapBetween(first, estimateOf(walker.at(second->index)))};
        }
        if (presentIsWorse)
            out.present.behind = gapBetween(first, estimateOf(question_.base));
    }

    /// Whether the model can tell which of two plans is better; see search(). Scores have one sign.
    bool toldApart(const Candidate& best, const Candidate& other) const {
        const double a = best.rank.scores[0], b = other.rank.scores[0];
        if (a == b)
            return false;
        // Errors of plans on one machine correlate: the variance of their difference.
        const double shared =
            best.machine == other.machine ? 2 * errorCorrelationOnOneMachine * best.logSd * other.logSd : 0;
        double sd = std::sqrt(best.logSd * best.logSd + other.logSd * other.logSd - shared);
        if (best.run == other.run && question_.objectives.front()->error == FigureError::time)
            sd = std::min(sd, best.mostPair);
        return a * b <= 0 || std::abs(std::log(b / a)) > quantile90 * sd;
    }

    const SearchQuestion& question_;
    const Catalog& catalog_;
    const Profile& profile_;
    const SearchOptions& options_;
    SearchPass pass_;
    const Judge& judge_;
    const PlanFigure* gpus_ = findPlanFigure("gpus");
    std::uint64_t plans_;
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
    for (const auto& [figure, value] : figures)
        if (figure == &which)
            return value;
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
    missed.add(other.missed);
    sample.add(other.sample);
    ofChoice.add(other.ofChoice);
    if (other.fewest)
        FewestMachines::add(fewest, *other.fewest);
    better += other.better;
}

SearchFindings searchShard(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                           const SearchOptions& options) {
    return SearchPass(question, catalog, profile, options).tryAll();
}

SearchFindings recallFindings(const PlanMemory& memory, const SearchQuestion& question,
                              const Catalog& catalog, const Profile& profile) {
    const SearchOptions options;
    return SearchPass(question, catalog, profile, options).recall(memory);
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
    const SearchOptions options;
    return Search(question, catalog, profile, options).differs(findings);
}

SearchResult search(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                    const SearchOptions& options) {
    return searchAnswer(question, catalog, profile, searchShard(question, catalog, profile, options),
                        options);
}

} // namespace alidade
