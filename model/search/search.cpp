// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search.h"

#include "model/base/quantiles.h"
#include "model/estimate/figures.h"
#include "model/estimate/serving_estimate.h"
#include "model/search/findings.h"
#include "model/search/plan_evaluator.h"
#include "model/search/plan_walker.h"
#include "model/units/format.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <thread>

namespace alidade {

namespace {

constexpr std::uint64_t blockPlans = 256; ///< handed to a thread at once
constexpr std::size_t mostFront = 10'000;
constexpr std::size_t mostSampled = 4000;

/// What the figures of an evaluation say about a question.
class Judge {
public:
    explicit Judge(const SearchQuestion& question)
        : question_(question) {
        const auto needs = [](const PlanFigure* f) {
            return f->path.find("percentiles") != std::string_view::npos;
        };
        percentiles_ =
            question.base.workload.ttftSloS || question.base.workload.itlSloS ||
            std::ranges::any_of(question.objectives, needs) ||
            std::ranges::any_of(question.limits, [&](const SearchLimit& l) { return needs(l.figure); });
    }

    bool percentiles() const { return percentiles_; }

    /// A figure at the end of its band that is unfavourable, if the question asks for that.
    double judged(double value, double logSd, const PlanFigure& figure) const {
        const double factor = question_.robust ? std::exp(quantile90 * logSd) : 1;
        return figure.moreIsBetter ? value / factor : value * factor;
    }
    double judged(const PlanEvaluator& plan, const PlanFigure& figure) const {
        return judged(plan.figure(figure), plan.logSd(figure), figure);
    }

    /// Why a plan that runs, fits and carries its load is still no answer; empty: it is one.
    std::string miss(const PlanEvaluator& plan) const {
        if (question_.robust && plan.memoryHigh() > plan.usableMemory()) {
            return "Only the high end of its memory band does not fit";
        }
        if (plan.missesTargets()) {
            return missedTargets;
        }
        return missedLimit([&](const PlanFigure& figure) { return judged(plan, figure); });
    }

    /// Which limit a plan misses, or which figure of an objective it does not have.
    template <class Values>
    std::string missedLimit(const Values& value) const {
        for (const SearchLimit& limit : question_.limits) {
            const double at = value(*limit.figure);
            const std::string label(limit.figure->label);
            if (std::isnan(at)) {
                return label + " is not known";
            }
            if (!limit.holds(at)) {
                return label + (limit.atMost ? " is above " : " is below ") +
                       formatQuantity(limit.value, limit.figure->dimension);
            }
        }
        for (const PlanFigure* each : question_.objectives) {
            if (!std::isfinite(value(*each))) {
                return std::string(each->label) + " is not known";
            }
        }
        return {};
    }

    template <class Values>
    std::array<double, 2> scores(const Values& value) const {
        std::array<double, 2> out{};
        for (std::size_t i = 0; i < std::min<std::size_t>(2, question_.objectives.size()); ++i) {
            const PlanFigure& figure = *question_.objectives[i];
            out[i] = figure.moreIsBetter ? -value(figure) : value(figure);
        }
        return out;
    }
    std::array<double, 2> scoresOf(const PlanEvaluator& plan) const {
        return scores([&](const PlanFigure& figure) { return judged(plan, figure); });
    }

    static constexpr const char* missedTargets = "Misses the targets of TTFT or ITL";

private:
    const SearchQuestion& question_;
    bool percentiles_ = false;
};

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
        , plans_(question.plans()) {}

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
        const SearchShard shard = options_.shard;
        const std::uint64_t allBlocks = (plans_ + blockPlans - 1) / blockPlans;
        const std::uint64_t blocks = allBlocks / shard.of + (shard.index < allBlocks % shard.of ? 1 : 0);
        const auto threads = static_cast<int>(
            std::clamp<std::uint64_t>(blocks, 1, static_cast<std::uint64_t>(std::max(1, wanted))));
        std::atomic<std::uint64_t> next{0}, tried{0};
        std::mutex mutex;
        std::atomic<bool> telling{false};
        // What a thread has found so far goes to the others' before the end.
        const auto handOver = [&](SearchFindings& mine) {
            std::unique_lock lock(mutex);
            all.add(mine);
            mine = SearchFindings(question_);
            if (telling.exchange(true)) {
                return;
            }
            const SearchFindings soFar = all;
            lock.unlock();
            options_.partial(soFar);
            telling = false;
        };
        const auto work = [&] {
            SearchFindings mine(question_);
            std::uint64_t round = 0;
            PlanEvaluator plan(catalog_, profile_, options_.adjust);
            PlanWalker walker(question_);
            for (std::uint64_t block = next++; block < blocks && !options_.stop.stop_requested();
                 block = next++) {
                const std::uint64_t begin = (block * shard.of + shard.index) * blockPlans,
                                    end = std::min(plans_, begin + blockPlans);
                std::uint64_t i = begin;
                for (; i < end && !options_.stop.stop_requested(); ++i) { // a service may take milliseconds
                    tryOne(i, walker, plan, mine);
                    if (options_.round != nullptr && *options_.round > round) {
                        round = *options_.round;
                        handOver(mine);
                    }
                }
                tried += i - begin;
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
            out.rejected.add(plan.whyIllegal().message, index);
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
        std::string machine;
        double logSd = 0; ///< of the first objective
    };

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
            out.push_back({std::move(candidate), rank, plan.scenario().priceItem,
                           plan.logSd(*question_.objectives.front())});
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
                !toldApart(found.front(), {.plan = {},
                                           .rank = {{*presentScore_, 0}, 0, 0},
                                           .machine = plan.scenario().priceItem,
                                           .logSd = plan.logSd(*question_.objectives.front())});
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
    }

    /// Whether the model can tell which of two plans is better; see search(). Scores have one sign.
    static bool toldApart(const Candidate& best, const Candidate& other) {
        const double a = best.rank.scores[0], b = other.rank.scores[0];
        if (a == b) {
            return false;
        }
        // Errors of plans on one machine correlate: the variance of their difference.
        const double shared =
            best.machine == other.machine ? 2 * errorCorrelationOnOneMachine * best.logSd * other.logSd : 0;
        const double sd = std::sqrt(best.logSd * best.logSd + other.logSd * other.logSd - shared);
        return a * b <= 0 || std::abs(std::log(b / a)) > quantile90 * sd;
    }

    static constexpr const char* overloadReason = "More requests arrive than it can serve";

    const SearchQuestion& question_;
    const Catalog& catalog_;
    const Profile& profile_;
    const SearchOptions& options_;
    Judge judge_;
    std::array<const PlanFigure*, 2> axes_; ///< of the sample
    std::uint64_t plans_;
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
