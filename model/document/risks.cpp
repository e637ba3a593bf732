// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/risks.h"

#include "model/base/quantiles.h"
#include "model/base/text.h"
#include "model/estimate/error_band.h"
#include "model/explain/normal.h"
#include "model/explore/sensitivity.h"
#include "model/scenario/rented_machines.h"
#include "model/units/format.h"

#include <cmath>
#include <utility>

namespace alidade {

namespace {

constexpr double lowQuantile = 0.1;

std::string bytesText(double bytes) { return formatQuantity(bytes, Dimension::bytes); }
std::string secondsText(double seconds) { return formatQuantity(seconds, Dimension::seconds); }

class Risks {
public:
    Risks(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile, const Scenario& scenario,
          const Estimate& estimate, const PlanResult& base)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , scenario_(scenario)
        , estimate_(estimate)
        , base_(base) {}

    std::vector<Risk> ofRun() {
        addFewerMachines(machineCount(spec_) / 2);
        addSlower("gemm", Input::gemmComputeEfficiency, "Matrix products are slower than fitted",
                  "Measure a step on one node before the order");
        scenario_.hasGoodput ? addLowerGoodput() : addInterruptions();
        addMemory();
        addPrice();
        addDeadline();
        return std::move(out_);
    }

    std::vector<Risk> ofService() {
        addLoad();
        addSlower("gemm", Input::servingGemmEfficiency, "Matrix products are slower than fitted",
                  "Measure one replica before the order");
        addSlower("memory_bandwidth", Input::servingMemoryEfficiency,
                  "Reading weights and KV cache is slower than fitted",
                  "Measure one replica before the order");
        addFewerMachines(machineCount(spec_) - 1);
        addPrice();
        return std::move(out_);
    }

    std::vector<Risk> ofReinforcement() {
        addLongerResponses();
        addFewerMachines(machineCount(spec_) / 2);
        addPrice();
        return std::move(out_);
    }

    std::vector<Risk> ofPrice() {
        addPrice();
        return std::move(out_);
    }

private:
    bool usesUltraServers() const { return scenario_.spec.cluster.ultraserver.has_value(); }

    /// \returns the added risk, valid until the next one is added; nullptr: the change means nothing here
    Risk* add(Risk risk) {
        Result<PlanResult> result = resultWith(spec_, catalog_, profile_, risk.set, risk.numbers);
        if (!result)
            return nullptr;
        risk.result = *std::move(result);
        if (risk.result.carries) {
            if (risk.result.days && base_.days)
                risk.days = *risk.result.days - *base_.days;
            if (risk.result.total && base_.total)
                risk.total = *risk.result.total - *base_.total;
        }
        return &out_.emplace_back(std::move(risk));
    }

    void addFewerMachines(std::int64_t count) {
        if (count < 1 || !(spec_.cluster.instance || spec_.cluster.ultraserver))
            return;
        const bool ultra = usesUltraServers();
        const std::string what = ultra ? "UltraServers" : "instances";
        Risk risk{.id = "fewer_machines"};
        risk.text = "Only " + formatCount(count) + " of " + formatCount(machineCount(spec_)) + " " + what +
                    " at once";
        risk.remedy = scenario_.isServing() ? "Reserve the capacity; keep one " +
                                                  std::string(ultra ? "UltraServer" : "instance") + " spare"
                                            : "Ask for a written offer of all; start with these";
        risk.set = machineCountEdit(spec_, count);
        add(std::move(risk));
    }

    void addSlower(const char* id, Input input, const char* text, const char* remedy) {
        const Variable variable(input);
        const double sd = mayVary(scenario_, input) ? constantLogSd(scenario_, profile_, input) : 0;
        if (!(sd > 0))
            return;
        const double now = inputsOf(scenario_)[input], low = now * std::exp(-quantile90 * sd);
        add({.id = id,
             .text = std::string(text) + ": " + formatQuantity(low, Dimension::ratio) + " instead of " +
                     formatQuantity(now, Dimension::ratio) +
                     (id == std::string_view("gemm") ? " of the peak" : " of the HBM bandwidth"),
             .remedy = remedy,
             .odds = lowQuantile,
             .numbers = {{variable, variable.valueOf(low)}}});
    }

    void addInterruptions() {
        const Input input = Input::gpuHoursPerFailure;
        if (!mayVary(scenario_, input) || !estimate_.run)
            return;
        const Variable variable(input);
        const Run& run = *estimate_.run;
        std::string remedy;
        if (run.checkpoint.interval > 0)
            remedy = "Checkpoint every " + secondsText(run.checkpoint.interval);
        if (run.bestSpares > 0) {
            remedy += (remedy.empty() ? "Keep " : ", keep ") + formatCount(run.bestSpares) +
                      (run.bestSpares == 1 ? " spare node" : " spare nodes");
        }
        add({.id = "interruptions",
             .text = "Twice the interruptions: one every " + secondsText(run.mtbf / 2),
             .remedy = std::move(remedy),
             .odds = chanceOfFactor(2, scenario_.inputs[Input::failureLogSd]),
             .numbers = {{variable, variable.valueOf(scenario_.inputs[input] / 2)}}});
    }

    void addLowerGoodput() {
        constexpr double points = 0.05;
        const double now = scenario_.spec.plan.goodput.value_or(0), low = now - points;
        if (!(low > 0))
            return;
        add({.id = "goodput",
             .text = "Goodput is " + formatQuantity(low, Dimension::ratio) + " instead of " +
                     formatQuantity(now, Dimension::ratio),
             .remedy = "Leave plan.goodput open: failures, restarts and checkpoints are then estimated",
             .set = {{"plan.goodput", editText(low, Dimension::ratio)}}});
    }

    /// At the high end of its band the plan may not fit. What then has to be done is to keep less of it: with
    /// full recomputation.
    void addMemory() {
        if (!estimate_.memory || !(base_.memoryHigh > base_.memory))
            return;
        Risk risk{.id = "memory",
                  .text = "Memory at its high end: " + bytesText(base_.memoryHigh) + " of " +
                          bytesText(base_.usableMemory) + " usable"};
        if (base_.memoryHigh > base_.usableMemory) {
            risk.odds = outOfMemoryProbability(*estimate_.memory);
            risk.set = {{"plan.recompute", "full"}};
            Risk* added = add(std::move(risk));
            if (!added)
                return;
            const bool helps = added->result.memory < base_.memory && added->result.fits;
            added->remedy = helps ? "The run stops at once; full recomputation lowers it to " +
                                        bytesText(added->result.memory)
                                  : "The run stops at once; measure the peak before the order";
            if (!helps) {
                added->days.reset();
                added->total.reset();
            }
            return;
        }
        risk.odds = lowQuantile;
        risk.remedy = "None needed: " + bytesText(base_.usableMemory - base_.memoryHigh) + " are left";
        add(std::move(risk));
    }

    void addPrice() {
        const Input input = Input::price;
        if (!scenario_.hasPrice || !mayVary(scenario_, input))
            return;
        constexpr double more = 1.01;
        const auto raised = [this](Input each) {
            const Variable variable(each);
            return std::pair(variable, variable.valueOf(inputsOf(scenario_)[each] * more));
        };
        const bool block = scenario_.spec.cluster.purchase == "capacity_block" ||
                           scenario_.spec.order.base.purchase == "capacity_block";
        VariableSettings prices{raised(input)};
        if (mayVary(scenario_, Input::basePrice))
            prices.push_back(raised(Input::basePrice));
        add({.id = "price",
             .text = "The price rises, for each 1 %",
             .remedy = block ? "Buy before the next change of rates" : "Fix the price in the offer",
             .numbers = std::move(prices)});
    }

    void addDeadline() {
        if (!estimate_.run || !estimate_.run->days || !base_.deadlineDays)
            return;
        Risk* added = add({.id = "deadline",
                           .text = "It ends after " + scenario_.spec.run.deadline.value_or("the deadline"),
                           .remedy = "Start earlier, or order more; see the options considered",
                           .odds = 1 - chanceWithin(*estimate_.run->days, *base_.deadlineDays)});
        if (added) { // nothing in the plan changes
            added->days.reset();
            added->total.reset();
        }
    }

    /// Responses become longer as a policy learns to reason.
    void addLongerResponses() {
        constexpr double more = 1.2;
        const auto& tokens = scenario_.spec.workload.reinforcement.responseTokens;
        const Field* field = findField("workload.response_tokens");
        if (!tokens || !field)
            return;
        const Variable variable(*field);
        add({.id = "responses",
             .text = "Responses are a fifth longer than planned",
             .remedy = "Measure their length on a short run; set a lower workload.response_limit",
             .numbers = {{variable, variable.valueOf(*tokens * more)}}});
    }

    void addLoad() {
        constexpr double more = 1.2;
        const WorkloadSpec& w = scenario_.spec.workload;
        const bool rate = w.requestRatePerS.has_value();
        const double now = rate ? *w.requestRatePerS : w.concurrency.value_or(0);
        if (!(now > 0))
            return;
        const char* path = rate ? "workload.request_rate_per_s" : "workload.concurrency";
        const Field* field = findField(path);
        if (!field)
            return;
        const Variable variable(*field);
        add({.id = "load",
             .text = "A fifth more load than planned",
             .remedy = "Add replicas: see the load that the plan carries",
             .numbers = {{variable, variable.valueOf(now * more)}}});
    }

    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    const Scenario& scenario_;
    const Estimate& estimate_;
    const PlanResult& base_;
    std::vector<Risk> out_;
};

} // namespace

double chanceOfFactor(double factor, double logSd) {
    if (!(factor > 0) || !(logSd > 0))
        return 0;
    return normalBelow(-std::log(factor) / logSd);
}

std::vector<Risk> risksOf(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                          const Scenario& scenario, const Estimate& estimate, const PlanResult& base) {
    if (!base.carries)
        return {};
    Risks risks(spec, catalog, profile, scenario, estimate, base);
    return estimate.serving         ? risks.ofService()
           : estimate.training      ? risks.ofRun()
           : estimate.reinforcement ? risks.ofReinforcement()
                                    : risks.ofPrice();
}

} // namespace alidade
