// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/options.h"
#include "model/scenario/rented_machines.h"
#include "model/search/search.h"
#include "model/search/search_words.h"

#include <algorithm>
#include <utility>

namespace alidade {

namespace {

/// Plans of one search: a report shall not take longer than reading it.
constexpr std::uint64_t mostPlansOnMachine = 2000, mostPlansOfLayout = 20'000;
/// Of a service and of reinforcement learning, whose plans take longer to evaluate.
constexpr std::uint64_t mostSlowPlans = 200;

/// Leaves out free fields from the last one until the space is small enough.
void shrink(SearchQuestion& question, std::size_t kept, std::uint64_t most) {
    while (question.free.size() > kept + 1 && question.plans() > most)
        question.free.pop_back();
}

class OptionSearch {
public:
    OptionSearch(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                 const PlanResult& base)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , serving_(spec.workload.isServing())
        , reinforcement_(spec.workload.isReinforcement()) {
        candidates_.push_back(
            {.name = base.machines, .result = base, .serving = serving_, .reinforcement = reinforcement_});
        candidates_.back().errors = errorsOf(spec);
    }

    FoundOptions run() {
        addLayout();
        addMachines();
        addMachineCounts();
        if (reinforcement_) {
            addPlacement();
        } else if (!serving_) {
            addPrecisions();
            addRecomputation();
        }
        FoundOptions out{.options = judgedOptions(candidates_, 0), .plans = plans_, .betterLayout = better_};
        if (out.options.size() > mostOptions)
            out.options.resize(mostOptions);
        return out;
    }

private:
    FigureErrors errorsOf(const ScenarioSpec& spec) const {
        const Result<FigureErrors> errors = figureErrors(spec, catalog_, profile_);
        return errors ? *errors : FigureErrors{};
    }

    /// \returns whether it is a plan at all
    bool add(std::string name, const Edit& set) {
        const Edit changes = changesOf(spec_, set);
        const auto spec = applyEdit(spec_, changes);
        if (changes.empty() || !spec)
            return false;
        Result<PlanResult> result = resultWith(spec_, catalog_, profile_, changes);
        if (!result || !result->runs)
            return false; // what breaks a rule is not an option to consider
        OptionCandidate each{
            .name = std::move(name), .set = changes, .serving = serving_, .reinforcement = reinforcement_};
        each.result = *std::move(result);
        const auto same = [&](const OptionCandidate& other) {
            return other.result.machines == each.result.machines && other.result.total == each.result.total &&
                   other.result.days == each.result.days && other.result.memory == each.result.memory &&
                   other.result.gap == each.result.gap && other.result.firstToken == each.result.firstToken;
        };
        if (std::ranges::any_of(candidates_, same))
            return false;
        if (each.result.carries)
            each.errors = errorsOf(*spec);
        candidates_.push_back(std::move(each));
        return true;
    }

    SearchQuestion question() const {
        SearchQuestion out;
        out.base = spec_;
        out.top = 1;
        return out;
    }

    SearchResult searched(SearchQuestion& question) {
        completeQuestion(question, catalog_, profile_);
        plans_ += question.plans();
        return search(question, catalog_, profile_);
    }

    bool isSlow() const { return serving_ || reinforcement_; }

    /// The last ones are left out of a space that is too large: how two pools share the GPUs comes first.
    std::vector<FreeField> layoutFields(const ScenarioSpec& spec) const {
        std::vector<FreeField> out = usualFreeFields(spec, catalog_);
        std::ranges::stable_partition(
            out, [](const FreeField& field) { return field.path == "plan.rollout.gpus"; });
        return out;
    }

    void addLayout() {
        SearchQuestion ask = question();
        ask.free = layoutFields(spec_);
        if (ask.free.empty())
            return;
        shrink(ask, 0, isSlow() ? mostSlowPlans : mostPlansOfLayout);
        const SearchResult found = searched(ask);
        if (!found.recommended || found.present.equalToBest || found.present.rank == 1)
            return;
        std::string name;
        for (const FreeField& field : ask.free) {
            const std::string value = settingOf(*found.recommended, field.path);
            if (!value.empty() && !changesOf(spec_, {{field.path, value}}).empty()) {
                name += (name.empty() ? "" : ", ") + labelOfFree(field) + " " +
                        valueInWords(*found.recommended, field);
            }
        }
        better_ = add(name.empty() ? "Other layout" : std::move(name), found.recommended->set);
    }

    void addMachines() {
        if (!spec_.cluster.instance && !spec_.cluster.ultraserver)
            return;
        const Result<FreeField> machines = freeMachines(spec_, catalog_, "all");
        const std::string present = spec_.cluster.ultraserver.value_or(spec_.cluster.instance.value_or(""));
        for (std::size_t i = 0; machines && i < machines->choices.size(); ++i) {
            if (choiceText(machines->choices[i]) == present)
                continue;
            SearchQuestion ask = question();
            ask.free.push_back({.path = machines->path, .choices = {machines->choices[i]}});
            for (FreeField& each : layoutFields(spec_))
                ask.free.push_back(std::move(each));
            shrink(ask, 1, isSlow() ? mostSlowPlans : mostPlansOnMachine);
            const SearchResult found = searched(ask);
            if (!found.best.empty())
                addMachine(found.best.front().set);
        }
    }

    void addMachine(const Edit& set) {
        if (add("", set))
            candidates_.back().name = candidates_.back().result.machines;
    }

    void addMachineCounts() {
        const ClusterSpec& c = spec_.cluster;
        if (!c.instance && !c.ultraserver)
            return;
        const std::int64_t now = machineCount(spec_);
        for (const std::int64_t count : {now / 2, now * 2})
            if (count >= 1 && count != now)
                addMachine(machineCountEdit(spec_, count));
    }

    /// Rollout and training on the same GPUs, or the best split into two pools that work side by side.
    void addPlacement() {
        if (spec_.roles.read().placement.value_or("colocated") != "colocated") {
            add("Colocated", {{"plan.placement", "colocated"},
                              {"plan.rollout.gpus", ""},
                              {"plan.train.gpus", ""},
                              {"plan.weight_sync", ""}});
            return;
        }
        Edit set{{"plan.placement", "one_step_off"}, {"plan.weight_sync", ""}, {"plan.phase_offload", ""}};
        const auto apart = applyEdit(spec_, set);
        if (!apart)
            return;
        SearchQuestion ask{.base = *apart, .top = 1};
        ask.free = layoutFields(*apart);
        shrink(ask, 0, mostSlowPlans);
        const SearchResult found = searched(ask);
        if (found.best.empty())
            return;
        const Edit& split = found.best.front().set;
        const auto gpus = std::ranges::find(split, "plan.rollout.gpus", &Edit::value_type::first);
        set.insert(set.end(), split.begin(), split.end());
        add("One step off" +
                (gpus == split.end() ? std::string() : ", " + gpus->second + " GPUs for the rollout"),
            set);
    }

    void addPrecisions() {
        const std::string now = spec_.plan.precision.value_or("bf16");
        for (const auto& [word, name] : {std::pair("fp8", "FP8"), std::pair("bf16", "BF16")})
            if (now != word)
                add(name, {{"plan.precision", word}});
    }

    void addRecomputation() {
        add("No recomputation", {{"plan.recompute", "none"}});
        add("Full recomputation", {{"plan.recompute", "full"}});
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    bool serving_, reinforcement_;
    std::vector<OptionCandidate> candidates_;
    std::uint64_t plans_ = 0;
    bool better_ = false;
};

} // namespace

FoundOptions optionsConsidered(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                               const PlanResult& base) {
    return OptionSearch(spec, catalog, profile, base).run();
}

} // namespace alidade
