// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/compare_page.h"
#include "app/cli/interrupt.h"
#include "app/cli/page.h"
#include "app/cli/version.h"
#include "data/estimate/estimate_json.h"
#include "data/report/report.h"
#include "model/engine/engine.h"
#include "model/explore/comparison.h"
#include "model/scenario/edit.h"
#include "model/search/machine_plans.h"

#include <CLI/CLI.hpp>

#include <deque>
#include <memory>

namespace alidade::cli {

namespace {

struct CompareArguments {
    std::vector<std::string> scenarios;
    std::vector<std::string> settings;
    std::string machines; ///< empty: none are searched
    std::size_t baseline = 1;
    bool why = false;
};

/// One of the scenarios, with all that it takes to estimate it.
struct Candidate {
    std::string name;
    ScenarioSpec spec;
    std::shared_ptr<const Catalog> catalog;
    Profile profile;
    std::vector<data::CustomValue> customValues{}; ///< that could matter
};

/// The same job on each machine, with its best plan there. Machines without one are told on standard error.
void addMachines(std::deque<Candidate>& all, const std::string& words) {
    const Candidate job = all.front(); // a copy: the list grows
    const Interrupt interrupt;
    const auto plans = bestPlanOfEachMachine(job.spec, *job.catalog, job.profile, words, interrupt.token());
    if (!plans)
        throw Failure(Failure::request, "--every-machine: " + plans.error());
    for (const MachinePlan& plan : plans->plans) {
        const auto spec = plan.found() ? applyEdit(job.spec, plan.set) : std::nullopt;
        if (!spec) {
            std::fprintf(stderr, "%s: %s\n", plan.machine.c_str(), plan.why.c_str());
            continue;
        }
        Candidate other = job;
        other.name = plan.id;
        other.spec = *spec;
        all.push_back(std::move(other));
    }
}

std::deque<Candidate> candidatesOf(Call& call, const CompareArguments& options) {
    if (options.scenarios.size() < 2 && options.machines.empty()) {
        throw Failure(Failure::request, "compare: SCENARIO: two or more are needed, or one with "
                                        "--every-machine; see 'alidade compare --help'");
    }
    const auto given = openCatalog(call.common);
    std::deque<Candidate> out;
    for (const std::string& argument : options.scenarios) {
        OpenedScenario scenario = openScenario(argument, options.settings);
        const auto catalog = catalogFor(call.common, given, scenario);
        Profile profile = openProfile(call.common, scenario, *catalog);
        out.push_back({.name = argument,
                       .spec = scenario.spec,
                       .catalog = catalog,
                       .profile = std::move(profile),
                       .customValues = customValuesOf(call.common, *catalog, &scenario)});
    }
    if (!options.machines.empty())
        addMachines(out, options.machines);
    if (out.size() < 2)
        throw Failure(Failure::request, "--every-machine: no machine can run this job");
    return out;
}

void runCompare(Call& call, const CompareArguments& options) {
    const std::deque<Candidate> all = candidatesOf(call, options);
    if (options.baseline < 1 || options.baseline > all.size()) {
        throw Failure(Failure::request, "--baseline: there is no scenario " +
                                            std::to_string(options.baseline) + "; use 1 to " +
                                            std::to_string(all.size()));
    }
    std::deque<Estimate> estimates; // the report refers to them while it is built
    std::deque<FigureErrors> errors;
    std::vector<data::ReportInput> inputs;
    std::vector<ComparedScenario> compared;
    for (const Candidate& each : all) {
        auto answer = estimate(each.spec, *each.catalog, each.profile);
        if (!answer)
            throw Failure(Failure::request, each.name + ":" + answer.error());
        estimates.push_back(*std::move(answer));
        errors.push_back(*figureErrors(each.spec, *each.catalog, each.profile));
        compared.push_back({each.name, &estimates.back(), &errors.back()});
        inputs.push_back({.estimate = &estimates.back(),
                          .suggestions = {},
                          .scenarioJson = {},
                          .scenarioName = {},
                          .customValues = data::customValuesUsed(each.customValues, estimates.back().scenario,
                                                                 *each.catalog)});
    }
    const Comparison comparison = compareScenarios(compared, options.baseline - 1);
    if (call.common.json) {
        std::vector<data::ListedEstimate> listed;
        for (data::ReportInput& input : inputs)
            listed.push_back({input.estimate, std::move(input.customValues)});
        call.out = data::writeEstimates(listed, options.why, &comparison);
        return;
    }
    const data::Report report = data::buildReport(inputs, {programVersion(), today()});
    call.out = pageOf(report, estimates.front().scenario, call.terminal);
    call.out += comparisonText(compared, comparison, call.terminal);
    if (options.why)
        call.out += reasonsText(compared, comparison, call.terminal);
}

} // namespace

void addCompareCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<CompareArguments>();
    CLI::App* command = program.add_subcommand("compare", "Several scenarios side by side");
    command
        ->add_option("SCENARIO", options->scenarios,
                     "Two or more scenario files, ids or WORKSPACE.alidade#name")
        ->required()
        ->expected(1, -1);
    command
        ->add_option("--set", options->settings, "Change a field of each first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--why", options->why, "Break down the differences in step time and cost");
    command
        ->add_option("--baseline", options->baseline,
                     "Scenario that the others are compared with, counted from 1 (default: 1)")
        ->type_name("N");
    command
        ->add_option("--every-machine", options->machines,
                     "Also the first scenario on these machines, or on all, each with its best plan")
        ->type_name("ID,ID|all");
    addCommonOptions(*command, call.common);
    command->footer("Training runs and services are shown in separate tables.\n"
                    "Example:\n"
                    "  alidade compare llama-3.1-70b-64xp5.48xlarge llama-3.1-70b-16xp6-b200.48xlarge --why\n"
                    "  alidade compare llama-3.1-70b-64xp5.48xlarge --every-machine "
                    "p5en.48xlarge,p6-b200.48xlarge");
    command->callback([&call, options] { call.action = [&call, options] { runCompare(call, *options); }; });
}

} // namespace alidade::cli
