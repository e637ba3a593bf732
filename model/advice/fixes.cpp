// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/fixes.h"

#include "model/advice/edits.h"

#include <array>

namespace alidade {

namespace {

/// The fastest of some edits that run and fit.
std::optional<Edit> fastest(const ScenarioSpec& spec, const std::vector<Edit>& edits, Evaluator& evaluator) {
    std::optional<Edit> best;
    double bestRate = 0;
    for (const Edit& edit : edits) {
        const auto changed = applyEdit(spec, edit);
        const Totals* totals = changed ? evaluator.runsAndFits(*changed) : nullptr;
        // Throughput per GPU: an edit that adds machines must not win by size alone.
        if (totals && totals->tokensPerSecondPerGpu > bestRate) {
            bestRate = totals->tokensPerSecondPerGpu;
            best = edit;
        }
    }
    return best;
}

std::vector<Edit> machineEdits(const ScenarioSpec& spec, const Catalog& catalog) {
    std::vector<Edit> out;
    const std::int64_t count = spec.cluster.instances.value_or(1);
    for (const Instance& instance : catalog.instances) {
        const Gpu* gpu = catalog.gpu(instance.gpu);
        // Machines made for training: several GPUs on NVLink, EFA, a current matrix format.
        if (gpu && gpu->bf16 && instance.gpus >= 8 && instance.nvlinkDomain >= 8 &&
            instance.efaPerDirection && !instance.ultraserverOnly && instance.id != spec.cluster.instance) {
            out.push_back({{"cluster.instance", instance.id}, {"cluster.instances", std::to_string(count)}});
        }
    }
    return out;
}

/// The fastest layout of a spec on its own machines.
std::optional<Edit> fastestLayout(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  Evaluator& evaluator) {
    ScenarioSpec plain = spec; // a layout that is certainly legal tells how many GPUs there are
    plain.plan.tensorParallel = plain.plan.pipelineParallel = plain.plan.dataParallel = 1;
    plain.plan.virtualPipeline.reset();
    plain.plan.pipelineSplit.reset();
    const auto scenario = resolve(plain, catalog, profile);
    if (!scenario || !scenario->modelled) {
        return std::nullopt;
    }
    plain.plan.dataParallel.reset();
    const auto whole = resolve(plain, catalog, profile);
    return fastest(spec, layoutEdits(static_cast<int>(whole->inputs[Input::gpus]), scenario->model.layers),
                   evaluator);
}

} // namespace

std::optional<Fix> nearestFix(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile) {
    Evaluator evaluator(catalog, profile);
    const auto fixOf = [&spec](const Edit& edit) {
        Edit changes = changesOf(spec, edit);
        std::string text = describeEdit(changes);
        return Fix{std::move(text), std::move(changes)};
    };
    if (const auto edit = fastest(spec, singleEdits(spec, catalog), evaluator)) {
        return fixOf(*edit);
    }
    if (const auto edit = fastestLayout(spec, catalog, profile, evaluator)) {
        return fixOf(*edit);
    }
    std::vector<Edit> machines;
    for (const int factor : {2, 4, 8, 16}) {
        if (spec.cluster.ultraserver) {
            machines.push_back(
                {{"cluster.ultraservers", std::to_string(spec.cluster.ultraservers.value_or(1) * factor)}});
        } else {
            machines.push_back(
                {{"cluster.instances", std::to_string(spec.cluster.instances.value_or(1) * factor)}});
        }
    }
    if (!spec.cluster.custom.gpu) {
        const std::vector<Edit> others = machineEdits(spec, catalog);
        machines.insert(machines.end(), others.begin(), others.end());
    }
    for (Edit& machine : machines) {
        machine.emplace_back("cluster.gpus", "");
        const auto changed = applyEdit(spec, machine);
        if (!changed) {
            continue;
        }
        if (const auto layout = fastestLayout(*changed, catalog, profile, evaluator)) {
            Edit both = machine;
            both.insert(both.end(), layout->begin(), layout->end());
            return fixOf(both);
        }
    }
    return std::nullopt;
}

} // namespace alidade
