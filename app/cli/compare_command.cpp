// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/page.h"
#include "app/cli/version.h"
#include "data/estimate/estimate_json.h"
#include "data/report/report.h"
#include "model/engine/engine.h"
#include "model/estimate/difference.h"
#include "model/units/format.h"

#include <CLI/CLI.hpp>

#include <deque>
#include <memory>

namespace alidade::cli {

namespace {

struct CompareArguments {
    std::vector<std::string> scenarios;
    std::vector<std::string> settings;
    bool why = false;
};

/// "Step time of plan.json: 15.6 s, −2.4 s: bubble −1.9 s, nvlink −0.6 s, compute +0.1 s".
std::string reasonsText(const std::deque<Estimate>& estimates, const std::vector<std::string>& names,
                        const Terminal& terminal) {
    std::string out = headingText("Why they differ from the first", terminal);
    const auto seconds = [](double value) {
        return (value > 0 ? "+" : "") + formatQuantity(value, Dimension::seconds);
    };
    for (std::size_t i = 1; i < estimates.size(); ++i) {
        const auto difference = differenceOf(estimates.front(), estimates[i]);
        if (!difference) {
            out += paragraphText(names[i] + ": no step to compare", terminal);
            continue;
        }
        std::string parts;
        for (const DifferencePart& part : difference->parts) {
            parts += (parts.empty() ? ": " : ", ") + std::string(boundName(part.bound)) + " " +
                     seconds(part.seconds);
        }
        out += paragraphText(difference->name + " of " + names[i] + ": " +
                                 formatQuantity(difference->after, Dimension::seconds) + ", " +
                                 seconds(difference->after - difference->before) + parts,
                             terminal);
    }
    return out;
}

void runCompare(Call& call, const CompareArguments& options) {
    const auto given = openCatalog(call.common);
    std::deque<Estimate> estimates; // the report refers to them while it is built
    std::vector<data::ReportInput> inputs;
    for (const std::string& argument : options.scenarios) {
        OpenedScenario scenario = openScenario(argument, options.settings);
        const auto catalog = catalogFor(call.common, given, scenario);
        const Profile profile = openProfile(call.common, scenario, *catalog);
        auto answer = estimate(scenario.spec, *catalog, profile);
        if (!answer) {
            throw Failure(Failure::request, scenario.file + ":" + answer.error());
        }
        estimates.push_back(*std::move(answer));
        inputs.push_back(
            {.estimate = &estimates.back(),
             .suggestions = {},
             .scenarioJson = {},
             .scenarioName = {},
             .customValues = data::customValuesUsed(customValuesOf(call.common, *catalog, &scenario),
                                                    estimates.back().scenario, *catalog)});
    }
    if (call.common.json) {
        std::vector<data::ListedEstimate> listed;
        for (data::ReportInput& input : inputs) {
            listed.push_back({input.estimate, std::move(input.customValues)});
        }
        call.out = data::writeEstimates(listed, options.why);
        return;
    }
    const data::Report report = data::buildReport(inputs, {programVersion(), today()});
    call.out = pageOf(report, estimates.front().scenario, call.terminal);
    if (options.why) {
        call.out += reasonsText(estimates, options.scenarios, call.terminal);
    }
}

} // namespace

void addCompareCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<CompareArguments>();
    CLI::App* command = program.add_subcommand("compare", "Several scenarios side by side");
    command
        ->add_option("SCENARIO", options->scenarios,
                     "Two or more scenario files, ids or WORKSPACE.alidade#name")
        ->required()
        ->expected(2, -1);
    command
        ->add_option("--set", options->settings, "Change a field of each first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--why", options->why,
                      "What the difference in the time of a step from the first is made of");
    addCommonOptions(*command, call.common);
    command->footer("Training runs and services stand in tables of their own.\n"
                    "Example:\n"
                    "  alidade compare llama-3.1-70b-64xp5.48xlarge llama-3.1-70b-16xp6-b200.48xlarge");
    command->callback([&call, options] { call.action = [&call, options] { runCompare(call, *options); }; });
}

} // namespace alidade::cli
