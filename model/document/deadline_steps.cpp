// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/deadline_steps.h"

#include "model/base/text.h"
#include "model/estimate/estimate.h"
#include "model/scenario/rented_machines.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

// Of the days of a run: less is not a step.
constexpr double leastGain = 1e-3, leastGainOfMachines = 0.05;

class Steps {
public:
    Steps(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile, const PlanResult& base,
          double wanted)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , base_(base)
        , reached_(base)
        , wanted_(wanted) {}

    bool isEnough() const { return !out_.empty() && out_.back().chance >= wanted_; }

    /// Keeps the change if the run ends sooner with it.
    void tryChange(std::string text, const Edit& change) {
        if (isEnough())
            return;
        if (std::optional<Attempt> better = attempt(std::move(text), change))
            keep(*std::move(better));
    }

    /// The fewest more machines that are enough, else those that end soonest; nothing where more of them
    /// hardly help, as with a batch that is too small for them.
    void addMachines() {
        if (isEnough())
            return;
        constexpr int attempts = 32; // up to twice as many
        const std::int64_t now = machineCount(spec_), by = std::max<std::int64_t>(1, now / attempts);
        const bool ultra = spec_.cluster.ultraserver.has_value();
        std::optional<Attempt> best;
        for (std::int64_t count = now + by; count <= 2 * now; count += by) {
            auto more = attempt(formatCount(count) + (ultra ? " UltraServers" : " instances"),
                                machineCountEdit(spec_, count));
            if (!more || (best && *more->result.days >= *best->result.days))
                continue;
            best = std::move(more);
            if (best->step.chance >= wanted_)
                break;
        }
        if (best && (best->step.chance >= wanted_ ||
                     *best->result.days < *reached_.days * (1 - leastGainOfMachines))) {
            keep(*std::move(best));
        }
    }

    std::vector<DeadlineStep> take() { return std::move(out_); }

private:
    struct Attempt {
        PlanResult result;
        DeadlineStep step;
    };

    /// \returns nothing for a change that gains nothing, or after which the plan does not run
    std::optional<Attempt> attempt(std::string text, const Edit& change) const {
        DeadlineStep step{.text = std::move(text), .set = set_};
        step.set.insert(step.set.end(), change.begin(), change.end());
        const Result<PlanResult> result = resultWith(spec_, catalog_, profile_, step.set);
        if (!result || !result->carries || !result->days || *result->days > *reached_.days * (1 - leastGain))
            return std::nullopt;
        step.days = *result->days - *base_.days;
        step.chance = chanceOfDeadline(*result, *base_.deadlineDays);
        if (result->total && base_.total)
            step.total = *result->total - *base_.total;
        return Attempt{.result = *result, .step = std::move(step)};
    }

    void keep(Attempt attempt) {
        reached_ = std::move(attempt.result);
        set_ = attempt.step.set;
        out_.push_back(std::move(attempt.step));
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    const PlanResult& base_;
    PlanResult reached_;
    double wanted_;
    Edit set_;
    std::vector<DeadlineStep> out_;
};

} // namespace

double chanceOfDeadline(const PlanResult& result, double deadlineDays) {
    if (!result.days || !result.lowDays || !result.highDays)
        return result.days && *result.days <= deadlineDays ? 1 : 0;
    return chanceWithin({.p10 = *result.lowDays, .p50 = *result.days, .p90 = *result.highDays}, deadlineDays);
}

std::vector<DeadlineStep> deadlineSteps(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, const Scenario& scenario,
                                        const Estimate& estimate, double wanted) {
    const PlanResult base = planResult(scenario, estimate);
    if (!base.carries || !base.days || !base.deadlineDays || !estimate.run ||
        chanceOfDeadline(base, *base.deadlineDays) >= wanted) {
        return {};
    }
    const Run& run = *estimate.run;
    Steps steps(spec, catalog, profile, base, wanted);
    if (!spec.plan.goodput) {
        if (spec.run.checkpointIntervalS) {
            steps.tryChange("Checkpoint every " + formatQuantity(run.checkpoint.bestInterval,
                                                                 Dimension::seconds, {.significant = 2}),
                            {{"run.checkpoint_interval_s", ""}});
        }
        if (spec.run.checkpointMode == "sync") {
            steps.tryChange("Checkpoints in the background",
                            {{"run.checkpoint_mode", "async"}, {"run.checkpoint_interval_s", ""}});
        }
        if (spec.run.spares && run.bestSpares > *spec.run.spares) {
            steps.tryChange(formatCount(run.bestSpares) +
                                (run.bestSpares == 1 ? " spare instance" : " spare instances"),
                            {{"run.spares", std::to_string(run.bestSpares)}});
        }
        if (!spec.run.standby.value_or(false))
            steps.tryChange("Standby nodes, which restart sooner", {{"run.standby", "true"}});
    }
    steps.addMachines();
    return steps.take();
}

} // namespace alidade
