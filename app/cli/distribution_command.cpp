// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/outcome_page.h"
#include "model/explore/sensitivity.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct DistributionArguments {
    std::string scenario;
    std::vector<std::string> settings, figures, uncertain, atMost, atLeast;
    bool noConstants = false, noModelError = false;
    std::size_t draws = 10'000;
    std::uint64_t seed = 1;
    int threads = 0;
};

OutcomeQuestion questionOf(const DistributionArguments& options, const Scenario& scenario,
                           const Estimate& estimate) {
    OutcomeQuestion out;
    const WorkloadSpec& workload = scenario.spec.workload;
    for (const std::string& each : options.uncertain) {
        Result<Uncertain> read = uncertainOf(each, scenario);
        if (!read)
            refuse("--uncertain", read.error());
        const auto same = [&](const Uncertain& other) {
            return other.variable.path() == read->variable.path();
        };
        if (std::ranges::any_of(out.uncertain, same))
            refuse("--uncertain", read->variable.path() + " is named already");
        out.uncertain.push_back(*std::move(read));
    }
    const auto limit = [&](const char* option, const std::vector<std::string>& texts, bool atMost) {
        for (const std::string& each : texts) {
            const auto read = searchLimit(workload, each, atMost);
            if (!read)
                refuse(option, read.error());
            out.limits.push_back(*read);
        }
    };
    limit("--at-most", options.atMost, true);
    limit("--at-least", options.atLeast, false);
    std::vector<std::string> figures = options.figures;
    for (const SearchLimit& each : out.limits)
        if (options.figures.empty())
            figures.emplace_back(each.figure->path);
    if (figures.empty())
        figures.push_back(headlineFigure(estimate));
    for (const std::string& each : figures) {
        const auto figure = searchObjective(workload, each);
        if (!figure)
            refuse("--of", figure.error());
        if (std::ranges::find(out.figures, *figure) == out.figures.end())
            out.figures.push_back(*figure);
    }
    out.constants = !options.noConstants;
    out.modelError = !options.noModelError;
    out.draws = options.draws;
    out.seed = options.seed;
    return out;
}

void runDistribution(Call& call, const DistributionArguments& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Explorer explorer(scenario.spec, *catalog, profile, false);
    const Result<Scenario> resolved = explorer.scenarioWith({});
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    const Result<Estimate> estimate = explorer.with({});
    const OutcomeQuestion question = questionOf(options, *resolved, *estimate);
    const Interrupt interrupt;
    const Result<Outcomes> found =
        outcomes(explorer, question, {.threads = options.threads, .stop = interrupt.token()});
    if (!found)
        throw Failure(Failure::request, scenario.file + ": " + found.error());
    call.out = call.common.json ? outcomesJson(*found, options.seed) : outcomesText(*found, call.terminal);
}

} // namespace

void addDistributionCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<DistributionArguments>();
    CLI::App* command = program.add_subcommand(
        "distribution",
        "Distribution of figures with uncertain inputs, and the probability of missing a limit");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name")
        ->required();
    const auto repeated = [command](const char* name, std::vector<std::string>& values, const char* what,
                                    const char* type) {
        command->add_option(name, values, what)->type_name(type)->allow_extra_args(false);
    };
    repeated("--uncertain", options->uncertain,
             "A field, or a number of the catalog or calibration, that is uncertain: uniform(A..B), "
             "normal(M +- S), lognormal(M +- S%) or triangular(A..MODE..B); may be repeated",
             "VARIABLE=DISTRIBUTION");
    command
        ->add_option("--of", options->figures,
                     "Figures, as in estimate --json; default: those of the limits, or the headline")
        ->type_name("FIGURE[,FIGURE]")
        ->delimiter(',')
        ->allow_extra_args(false);
    repeated("--at-most", options->atMost, "A deadline or budget; may be repeated", "FIGURE=VALUE");
    repeated("--at-least", options->atLeast, "A target; may be repeated", "FIGURE=VALUE");
    command->add_flag("--no-constants", options->noConstants,
                      "Take the constants of the calibration as exact");
    command->add_flag("--no-model-error", options->noModelError,
                      "Leave out the error that the constants do not explain");
    command->add_option("--draws", options->draws, "Draws; default: 10000")
        ->type_name("N")
        ->check(CLI::Range(leastDraws, mostDraws));
    command->add_option("--seed", options->seed, "The same seed gives the same answer; default: 1")
        ->type_name("N");
    command->add_option("--threads", options->threads, "Threads; the answer does not depend on them")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    repeated("--set", options->settings, "Change a field first; may be repeated", "PATH=VALUE");
    addCommonOptions(*command, call.common);
    command->footer(
        "Ctrl+C counts the draws that were made.\n"
        "Examples:\n"
        "  alidade distribution llama-3.1-405b-2048xp5.48xlarge --at-most 'training.run_time_s=80 d'\n"
        "  alidade distribution plan.json --uncertain 'price=triangular($38/h..$43/h..$55/h)' \\\n"
        "      --uncertain 'workload.tokens=normal(15.6T +- 5%)' --at-most 'cost.dollars_per_run=$200 M' "
        "--json");
    command->callback(
        [&call, options] { call.action = [&call, options] { runDistribution(call, *options); }; });
}

} // namespace alidade::cli
