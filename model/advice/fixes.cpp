// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/advice/fixes.h"

#include "model/advice/edits.h"

#include <algorithm>
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

/// What an hour costs; where no price is known GPUs, which are comparable among themselves only.
double bill(const Totals& totals, const Scenario& scenario) {
    return scenario.hasPrice ? totals.dollarsPerHour : 1e6 * scenario.inputs[Input::gpus];
}

/// Other machines to try, in groups of which the first that works is enough: more of the same, smallest
/// number first; each other type made for training (several GPUs on NVLink, EFA, 16-bit matrix units), as
/// many as now.
std::vector<std::vector<Edit>> machineEdits(const ScenarioSpec& spec, const Catalog& catalog) {
    std::vector<std::vector<Edit>> out(1);
    const bool ultra = spec.cluster.ultraserver.has_value();
    const char* countField = ultra ? "cluster.ultraservers" : "cluster.instances";
    const std::int64_t count = (ultra ? spec.cluster.ultraservers : spec.cluster.instances).value_or(1);
    for (const int factor : {2, 4, 8, 16, 32, 64}) {
        out.front().push_back({{countField, std::to_string(count * factor)}, {"cluster.gpus", ""}});
    }
    if (spec.cluster.custom.gpu || ultra) {
        return out;
    }
    for (const std::string& id : trainingInstances(catalog)) {
        if (id != spec.cluster.instance) {
            out.push_back({{{"cluster.instance", id},
                            {"cluster.instances", std::to_string(count)},
                            {"cluster.gpus", ""}}});
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
    const auto fixOf = [&](const Edit& edit) {
        Edit changes = withoutNeedless(spec, changesOf(spec, edit), evaluator);
        std::string text = describeEdit(changes);
        return Fix{std::move(text), std::move(changes)};
    };
    const auto resolved = resolve(spec, catalog, profile);
    const auto batch = resolved ? batchEdits(spec, *resolved) : std::vector<Edit>{};
    const bool batchIsWrong = resolved && std::ranges::any_of(resolved->problems, [](const Problem& p) {
                                  return p.severity == Severity::error && p.place == "/workload/global_batch";
                              });
    const auto single = singleEdits(spec, catalog);
    for (const auto& edits : batchIsWrong ? std::array{batch, single} : std::array{single, batch}) {
        if (const auto edit = fastest(spec, edits, evaluator)) {
            return fixOf(*edit);
        }
    }
    if (const auto edit = fastestLayout(spec, catalog, profile, evaluator)) {
        return fixOf(*edit);
    }
    // Of all machines that would do, those with the smallest bill.
    std::optional<Edit> best;
    double leastCost = 0;
    for (const std::vector<Edit>& group : machineEdits(spec, catalog)) {
        for (const Edit& machine : group) {
            const auto changed = applyEdit(spec, machine);
            const auto layout = changed ? fastestLayout(*changed, catalog, profile, evaluator) : std::nullopt;
            if (!layout) {
                continue;
            }
            Edit both = machine;
            both.insert(both.end(), layout->begin(), layout->end());
            const Totals* totals = evaluator.runsAndFits(*applyEdit(spec, both));
            const double cost = bill(*totals, evaluator.scenario());
            if (!best || cost < leastCost) {
                best = both;
                leastCost = cost;
            }
            break;
        }
    }
    if (best) {
        return fixOf(*best);
    }
    return std::nullopt;
}

} // namespace alidade
