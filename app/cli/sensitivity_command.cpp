// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/explore_page.h"
#include "model/units/parse.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct SensitivityArguments {
    std::string scenario;
    std::vector<std::string> settings;
    std::string figure;
    std::string step = "10 %";
    bool ownError = false;
};

void runSensitivity(Call& call, const SensitivityArguments& options) {
    const Result<double> step = parseQuantity(options.step, Dimension::ratio);
    if (!step || !(*step > 0) || *step >= 1) {
        throw Failure(Failure::request,
                      "--step: '" + options.step + "' is not a share between 0 and 1, such as 10 % or 0.1");
    }
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    std::string figure = options.figure;
    if (figure.empty()) {
        const Result<Estimate> estimate = Explorer(scenario.spec, *catalog, profile, false).with({});
        if (!estimate)
            throw Failure(Failure::request, scenario.file + ":" + estimate.error());
        figure = headlineFigure(*estimate);
    }
    const Result<Sensitivity> found =
        sensitivity(scenario.spec, *catalog, profile, figure,
                    {.step = *step, .ownError = options.ownError, .saturation = true});
    if (!found)
        throw Failure(Failure::request, scenario.file + ": " + found.error());
    call.out = call.common.json ? sensitivityJson(*found)
                                : sensitivityText(*found, *step, options.ownError, call.terminal);
}

} // namespace

void addSensitivityCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<SensitivityArguments>();
    CLI::App* command = program.add_subcommand(
        "sensitivity", "Effect of a small change in each input, and the sources of the error band");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name")
        ->required();
    command->add_option("--of", options->figure, "Figure, as in estimate --json; default: the headline")
        ->type_name("FIGURE");
    command->add_option("--step", options->step, "Size of the change; default: 10 %")->type_name("SHARE");
    command->add_flag("--own-error", options->ownError,
                      "Vary the constants of the calibration alone, each from its own 10 % to its 90 % "
                      "quantile");
    command->add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade sensitivity llama-3.1-405b-2048xp5.48xlarge\n"
                    "  alidade sensitivity plan.json --of cost.dollars_per_run --step '5 %' --json");
    command->callback(
        [&call, options] { call.action = [&call, options] { runSensitivity(call, *options); }; });
}

} // namespace alidade::cli
