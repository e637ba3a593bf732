// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/search_pass.h"

#include "model/search/work_order.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>

namespace alidade {

namespace {

constexpr const char* overloadReason = "More requests arrive than it can serve";

/// Does the same on several threads, this one among them.
template <class Work>
void inThreads(int threads, const Work& work) {
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back(work);
    work();
}

int threadsOf(const SearchOptions& options, std::uint64_t parts) {
    const int wanted =
        options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    return static_cast<int>(
        std::clamp<std::uint64_t>(parts, 1, static_cast<std::uint64_t>(std::max(1, wanted))));
}

} // namespace

/// A plan that is remembered.
struct SearchPass::Remembered {
    const PlanMemory& memory;
    const double* values;

    double figure(const PlanFigure& figure) const { return values[memory.column(figure)]; }
    double logSd(const PlanFigure&) const { return 0; } // not asked for; see PlanMemory::answers()
};

/// Plans that miss a limit, by the number of the reason.
struct SearchPass::Misses {
    struct Reason {
        std::uint64_t count = 0;
        LeastValues<std::uint64_t> first{mostExamples};
    };
    std::vector<Reason> reasons;

    void add(std::size_t reason, std::uint64_t index) {
        if (reason >= reasons.size())
            reasons.resize(reason + 1);
        ++reasons[reason].count;
        reasons[reason].first.add(index);
    }
    void tell(const Judge& judge, SearchFindings& out) const {
        for (std::size_t i = 0; i < reasons.size(); ++i) {
            if (reasons[i].count == 0)
                continue;
            std::vector<std::uint64_t> places = reasons[i].first.sorted();
            out.counts.missed += reasons[i].count;
            out.missed.add({.why = judge.reason(i),
                            .count = reasons[i].count,
                            .index = places.front(),
                            .example = {},
                            .further = {places.begin() + 1, places.end()}});
        }
    }
};

SearchPass::SearchPass(const SearchQuestion& question, const Catalog& catalog, const Profile& profile,
                       const SearchOptions& options)
    : question_(question)
    , catalog_(catalog)
    , profile_(profile)
    , options_(options)
    , judge_(question)
    , axes_{question.objectives.front(),
            question.objectives.size() > 1 ? question.objectives[1] : findPlanFigure("memory.total_bytes")}
    , plans_(question.plans())
    , machinesAreFree_(std::ranges::any_of(
          question.free, [](const FreeField& each) { return each.path.starts_with("cluster."); })) {
    judgePresent();
}

void SearchPass::judgePresent() {
    PlanEvaluator plan(catalog_, profile_, options_.adjust);
    const PlanOutcome outcome = plan.tryOut(question_.base, judge_.percentiles());
    presentDigits_ = presentDigits(question_, plan.resolved() ? &plan.scenario() : nullptr);
    if (outcome == PlanOutcome::illegal) {
        present_.why = plan.whyIllegal().message;
        return;
    }
    present_.figures = figuresOf(plan);
    present_.why = outcome == PlanOutcome::unfit        ? std::string(plan.whyUnfit())
                   : outcome == PlanOutcome::overloaded ? overloadReason
                                                        : judge_.miss(plan);
    if (present_.why.empty())
        presentScore_ = judge_.scoresOf(plan)[0];
}

SearchFindings SearchPass::tryAll() const {
    SearchFindings all(question_);
    PlanMemory* const memory = options_.memory;
    const WorkloadSpec& workload = question_.base.workload;
    const WorkOrder order(plans_, options_.shard, workload.isServing() || workload.isReinforcement());
    const int threads = threadsOf(options_, order.parts());
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
        if (!(asked || spreadParts == order.spread()) || telling.exchange(true))
            return;
        const SearchFindings soFar = all;
        lock.unlock();
        options_.partial(soFar);
        telling = false;
    };
    const auto work = [&] {
        Own mine{.found = SearchFindings(question_), .rows = {}, .remembers = memory != nullptr};
        std::uint64_t round = 0, ofSpread = 0;
        std::vector<WorkOrder::Range> ranges;
        PlanEvaluator plan(catalog_, profile_, options_.adjust);
        PlanWalker walker(question_);
        for (std::uint64_t part = next++; part < order.parts() && !options_.stop.stop_requested();
             part = next++) {
            if (part < order.spread())
                ++ofSpread;
            else if (ofSpread > 0 && options_.partial)
                handOver(mine.found, std::exchange(ofSpread, 0), false);
            order.ranges(part, ranges);
            std::uint64_t count = 0;
            for (const auto& [begin, end] : ranges) {
                // Asked after each plan: a service may take milliseconds.
                for (std::uint64_t i = begin, next = begin; i < end && !options_.stop.stop_requested();
                     count += next - i, i = next) {
                    next = tryOne(i, end, walker, plan, mine);
                    if (options_.round != nullptr && *options_.round > round) {
                        round = *options_.round;
                        handOver(mine.found, 0, true);
                    }
                }
            }
            tried += count;
            if (options_.progress)
                options_.progress(tried);
        }
        const std::scoped_lock lock(mutex);
        all.add(mine.found);
        if (memory != nullptr)
            memory->add(std::move(mine.rows));
    };
    inThreads(threads, work);
    if (memory != nullptr) {
        SearchCounts fixed = all.counts;
        fixed.evaluated = 0;
        for (const Rejection& each : all.missed.sorted())
            fixed.missed -= each.count;
        memory->finish(fixed, all.rejected, all.counts.total() == plans_);
    }
    return all;
}

SearchFindings SearchPass::recall(const PlanMemory& memory) const {
    constexpr std::size_t some = 4096; // plans handed to a thread at once
    struct Share {
        const PlanMemory::Rows* rows;
        std::size_t begin, end;
    };
    std::vector<Share> shares;
    for (const PlanMemory::Rows& each : memory.parts())
        for (std::size_t at = 0; at < each.indices.size(); at += some)
            shares.push_back({&each, at, std::min(at + some, each.indices.size())});
    SearchFindings all(question_);
    all.counts = memory.fixedCounts();
    all.rejected = memory.fixedRejected();
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    const std::size_t columns = memory.figures().size(), byTargets = judge_.reasons();
    inThreads(threadsOf(options_, shares.size()), [&] {
        SearchFindings mine(question_);
        Misses misses;
        std::vector<std::size_t> digits(question_.free.size());
        for (std::size_t share = next++; share < shares.size(); share = next++) {
            const auto& [rows, begin, end] = shares[share];
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint64_t index = rows->indices[i];
                const Remembered plan{memory, rows->values.data() + i * columns};
                if (rows->missesTargets[i] != 0) {
                    misses.add(byTargets, index);
                } else if (const auto reason = judge_.missedAt(
                               [&](const PlanFigure& figure) { return judge_.judged(plan, figure); })) {
                    misses.add(*reason, index);
                } else {
                    digitsAt(question_, index, digits);
                    rank(plan, index, digits, mine);
                }
            }
        }
        misses.tell(judge_, mine);
        const std::scoped_lock lock(mutex);
        all.add(mine);
    });
    return all;
}

std::uint64_t SearchPass::tryOne(std::uint64_t index, std::uint64_t end, PlanWalker& walker,
                                 PlanEvaluator& plan, Own& out) const {
    const ScenarioSpec& spec = walker.at(index);
    SearchFindings& found = out.found;
    const std::uint64_t next = index + 1;
    switch (plan.tryOut(spec, judge_.percentiles(), walker.changed())) {
    case PlanOutcome::illegal: {
        const std::uint64_t last = std::min(end, walker.endOfRun(index, plan.illegalBy()));
        found.counts.illegal += last - index;
        found.rejected.add(plan.illegalMessage(), index, last - index);
        return last;
    }
    case PlanOutcome::unfit:
        ++found.counts.unfit;
        found.rejected.add(plan.whyUnfit(), index);
        return next;
    case PlanOutcome::overloaded:
        ++found.counts.missed;
        found.rejected.add(overloadReason, index);
        return next;
    case PlanOutcome::carries:
        break;
    }
    if (out.remembers)
        remember(index, plan, out);
    if (const std::string why = judge_.miss(plan); !why.empty()) {
        ++found.counts.missed;
        found.missed.add(why, index);
        return next;
    }
    rank(plan, index, walker.digits(), found);
    return next;
}

void SearchPass::remember(std::uint64_t index, const PlanEvaluator& plan, Own& out) const {
    out.remembers = options_.memory->hasRoomFor(1);
    if (!out.remembers) {
        out.rows = {};
        return;
    }
    out.rows.indices.push_back(index);
    for (const PlanFigure* each : options_.memory->figures())
        out.rows.values.push_back(plan.figure(*each));
    out.rows.missesTargets.push_back(judge_.percentiles() && plan.missesTargets() ? 1 : 0);
}

/// A plan that is an answer.
template <class Plan>
void SearchPass::rank(const Plan& plan, std::uint64_t index, std::span<const std::size_t> digits,
                      SearchFindings& out) const {
    ++out.counts.evaluated;
    const RankedPlan ranked{judge_.scoresOf(plan), changesOf(digits), index};
    out.better += presentScore_ && ranked.scores[0] < *presentScore_ ? 1 : 0;
    out.best.add(ranked);
    out.sample.add({{plan.figure(*axes_[0]), plan.figure(*axes_[1])}, index});
    out.ofChoice.add(question_, digits, ranked);
    if (machinesAreFree_)
        FewestMachines::add(out.fewest, {plan.figure(*gpus_), ranked});
    if (question_.objectives.size() > 1)
        out.front.add(ranked);
}

int SearchPass::changesOf(std::span<const std::size_t> digits) const {
    int out = 0;
    for (std::size_t i = 0; i < presentDigits_.size(); ++i)
        out += presentDigits_[i] != digits[i] ? 1 : 0;
    return out;
}

std::vector<std::pair<const PlanFigure*, double>> SearchPass::figuresOf(const PlanEvaluator& plan) const {
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

} // namespace alidade
