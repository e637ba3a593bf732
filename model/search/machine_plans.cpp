// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/search/machine_plans.h"

#include "model/scenario/rented_machines.h"

#include <algorithm>
#include <utility>

namespace alidade {

namespace {

/// A machine and how many of it.
std::pair<std::string, std::string> machineOf(const SearchChoice& choice, std::int64_t present) {
    std::pair<std::string, std::string> out{"", std::to_string(present)};
    for (const auto& [path, value] : choice.edit) {
        if (value.empty())
            continue;
        if (path == "cluster.instance" || path == "cluster.ultraserver")
            out.first = value;
        else if (path == "cluster.instances" || path == "cluster.ultraservers")
            out.second = value;
    }
    return out;
}

MachinePlan planOn(const SearchQuestion& question, const SearchChoice& machine, const SearchResult& result) {
    const auto [id, count] = machineOf(machine, machineCount(question.base));
    MachinePlan out{.id = id, .machine = count + " x " + id, .set = {}, .why = {}};
    if (result.recommended) {
        out.set = result.recommended->set;
        out.score = result.recommended->figure(*question.objectives.front());
    } else {
        out.why = !result.complete          ? "the search was stopped"
                  : result.rejected.empty() ? "no plan runs and fits"
                                            : result.rejected.front().why;
    }
    return out;
}

} // namespace

Result<MachinePlans> bestPlanOfEachMachine(const ScenarioSpec& spec, const Catalog& catalog,
                                           const Profile& profile, const std::string& words,
                                           std::stop_token stop,
                                           const std::function<void(double)>& progress) {
    const Result<FreeField> machines = freeMachines(spec, catalog, words);
    if (!machines)
        return Error{machines.error()};
    MachinePlans out;
    const auto count = static_cast<double>(machines->choices.size());
    for (std::size_t i = 0; i < machines->choices.size(); ++i) {
        const SearchChoice& machine = machines->choices[i];
        if (stop.stop_requested()) {
            out.complete = false;
            break;
        }
        SearchQuestion question{
            .base = spec, .start = {}, .cleared = {}, .free = {}, .objectives = {}, .limits = {}};
        question.free = usualFreeFields(spec, catalog);
        question.free.insert(question.free.begin(), {.path = machines->path, .choices = {machine}});
        completeQuestion(question, catalog, profile);
        if (const std::string wrong = wrongWith(question); !wrong.empty())
            return Error{wrong};
        out.objective = question.objectives.front();
        const auto plans = static_cast<double>(question.plans());
        const auto tell = [&](std::uint64_t tried) {
            if (progress)
                progress((static_cast<double>(i) + static_cast<double>(tried) / plans) / count);
        };
        const SearchResult result = search(question, catalog, profile, {.stop = stop, .progress = tell});
        out.complete = out.complete && result.complete;
        out.plans.push_back(planOn(question, machine, result));
    }
    std::ranges::stable_sort(out.plans, [&](const MachinePlan& a, const MachinePlan& b) {
        if (!a.found() || !b.found())
            return a.found() && !b.found();
        return out.objective->moreIsBetter ? a.score > b.score : a.score < b.score;
    });
    return out;
}

} // namespace alidade
