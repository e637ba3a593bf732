// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/explore_page.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct SolveArguments {
    std::string scenario;
    std::vector<std::string> settings;
    std::string vary, goal;
};

void runSolve(Call& call, const SolveArguments& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Explorer explorer(scenario.spec, *catalog, profile);
    const Result<Scenario> resolved = explorer.scenarioWith({});
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    const Result<Variable> variable = Variable::named(options.vary, *resolved);
    if (!variable)
        throw Failure(Failure::request, "--vary: " + variable.error());
    const std::optional<double> present =
        variable->isNumber() ? numberOf(variable->value(*resolved)) : std::nullopt;
    if (!present) {
        throw Failure(Failure::request,
                      "--vary: " + variable->path() +
                          (variable->isNumber() ? " has no value in this scenario; set one first: --set " +
                                                      variable->path() + "=VALUE"
                                                : " has words, not numbers"));
    }
    const Result<Estimate> estimate = explorer.with({});
    const Result<Goal> goal = goalOf(options.goal, *estimate);
    if (!goal)
        throw Failure(Failure::request, "--for: " + goal.error());
    const Solution found = solve(explorer, *variable, *present, *goal);
    call.out = call.common.json ? solutionJson(*variable, found)
                                : solutionText(*variable, found, *goal, call.terminal);
}

} // namespace

void addSolveCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<SolveArguments>();
    CLI::App* command = program.add_subcommand("solve", "Value of a field for which a figure reaches a goal");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name")
        ->required();
    command
        ->add_option("--vary", options->vary,
                     "A field, or a number of the catalog or calibration by its name among the assumptions")
        ->type_name("FIELD")
        ->required();
    command->add_option("--for", options->goal, "Goal, over any number of estimate --json")
        ->type_name("FIGURE<=V | FIGURE>=V")
        ->required();
    command->add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer(
        "Examples:\n"
        "  alidade solve llama-3.1-405b-2048xp5.48xlarge --vary cluster.instances --for "
        "'training.run_time_s<=60 d'\n"
        "  alidade solve service.json --vary workload.request_rate_per_s --for 'serving.ttft_s<=1 s' --json");
    command->callback([&call, options] { call.action = [&call, options] { runSolve(call, *options); }; });
}

} // namespace alidade::cli
