// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/scaling_page.h"
#include "data/scenario/scenario_json.h"
#include "model/base/text.h"
#include "model/units/parse.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct ScalingArguments {
    std::string scenario;
    std::vector<std::string> settings;
    std::string dollars, atMost, unique, served, from = "1B", to = "1T";
    std::string law = "besiroglu-2024", machines, out, adopt;
    std::vector<std::int64_t> counts;
    double servedCost = BudgetQuestion{}.servedTokenCost;
    int sizes = BudgetQuestion{}.sizes;
};

double quantityOf(const char* option, const std::string& text, Dimension dimension) {
    const Result<double> read = parseQuantity(text, dimension);
    if (!read)
        refuse(option, read.error());
    return *read;
}

const LossLaw& lawOf(const std::string& id) {
    std::vector<std::string> known;
    for (const LossLaw& law : lossLaws()) {
        if (law.id == id)
            return law;
        known.emplace_back(law.id);
    }
    refuse("--law", "unknown law '" + id + "'" + didYouMean(id, known));
}

BudgetQuestion questionOf(const ScalingArguments& options) {
    BudgetQuestion out;
    out.dollars = quantityOf("--dollars", options.dollars, Dimension::dollars);
    if (!options.atMost.empty())
        out.seconds = quantityOf("--at-most", options.atMost, Dimension::seconds);
    out.law = lawOf(options.law);
    out.smallest = quantityOf("--from", options.from, Dimension::number);
    out.largest = quantityOf("--to", options.to, Dimension::number);
    out.sizes = options.sizes;
    if (!options.unique.empty())
        out.uniqueTokens = quantityOf("--unique", options.unique, Dimension::tokens);
    if (!options.served.empty())
        out.servedTokens = quantityOf("--served", options.served, Dimension::tokens);
    out.servedTokenCost = options.servedCost;
    out.machines = options.machines;
    out.counts = options.counts;
    return out;
}

/// Shows on a terminal how far it is.
Result<BudgetAnswer> answerWithProgress(const ScenarioSpec& spec, const Catalog& catalog,
                                        const Profile& profile, const BudgetQuestion& question,
                                        const std::stop_token& stop) {
    ProgressLine line;
    return whatToTrain(spec, catalog, profile, question, stop, [&line](double share) { line.show(share); });
}

void runScaling(Call& call, const ScalingArguments& options) {
    const bool csv = options.out.ends_with(".csv");
    if (!options.out.empty() && !csv && !options.out.ends_with(".json"))
        refuse("-o", "'" + options.out + "' must end in .json or .csv");
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const BudgetQuestion question = questionOf(options);
    const Interrupt interrupt;
    const Result<BudgetAnswer> answer =
        answerWithProgress(scenario.spec, *catalog, profile, question, interrupt.token());
    if (!answer) {
        throw Failure(Failure::request, answer.error().starts_with('/') ? scenario.file + ":" + answer.error()
                                                                        : "scaling: " + answer.error());
    }
    if (!options.out.empty())
        writeFile(options.out, csv ? budgetCsv(*answer) : budgetJson(question, *answer));
    if (!options.adopt.empty()) {
        const BudgetModel* best = answer->best();
        if (!best)
            refuse("--adopt", "none of the sizes can be trained, so there is no scenario to write");
        writeFile(options.adopt, data::writeScenario(scenarioOf(scenario.spec, *best)));
    }
    call.out =
        call.common.json ? budgetJson(question, *answer) : budgetText(question, *answer, call.terminal);
}

} // namespace

void addScalingCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<ScalingArguments>();
    CLI::App* command = program.add_subcommand(
        "scaling", "What to train for a budget: model size, tokens and machine by scaling laws");
    command
        ->add_option("SCENARIO", options->scenario,
                     "A pre-training scenario (file, id, or WORKSPACE.alidade#name): its model gives the "
                     "proportions of the family")
        ->required();
    command->add_option("--dollars", options->dollars, "The budget: \"$5 M\"")
        ->type_name("AMOUNT")
        ->required();
    command->add_option("--at-most", options->atMost, "The run may take at most this long: \"60 days\"")
        ->type_name("TIME");
    command->add_option("--from", options->from, "Smallest size in parameters; default: 1B")
        ->type_name("PARAMETERS");
    command->add_option("--to", options->to, "Largest size in parameters; default: 1T")
        ->type_name("PARAMETERS");
    command->add_option("--sizes", options->sizes, "Sizes between them, on a logarithmic scale; default: 12")
        ->type_name("N")
        ->check(CLI::Range(3, 100));
    command
        ->add_option("--machine", options->machines,
                     "Instance types and UltraServers to compare, with as many GPUs as the scenario has")
        ->type_name("ID,ID|all");
    command->add_option("--count", options->counts, "Numbers of instances or UltraServers to compare")
        ->type_name("N,N")
        ->delimiter(',')
        ->check(CLI::Range(1, 100'000))
        ->allow_extra_args(false);
    command->add_option("--law", options->law, "Loss law; default: besiroglu-2024")->type_name("ID");
    command
        ->add_option("--unique", options->unique,
                     "Tokens of the data set without repetition; repeated tokens count less")
        ->type_name("TOKENS");
    command
        ->add_option("--served", options->served,
                     "Tokens that the model will serve, paid for out of the same budget")
        ->type_name("TOKENS");
    command
        ->add_option("--served-cost", options->servedCost,
                     "Cost of a served token relative to a trained one; default: 0.67")
        ->type_name("SHARE")
        ->check(CLI::Range(0.0, 100.0));
    command->add_option("--set", options->settings, "Change a field of the scenario first; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_option("-o", options->out, "Write all sizes to a file")->type_name("FILE.json|csv");
    command->add_option("--adopt", options->adopt, "Write the scenario of the best model to a file")
        ->type_name("FILE.json");
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade scaling llama-3.1-70b-64xp5.48xlarge --dollars '$5 M' --at-most '60 days'\n"
                    "  alidade scaling llama-3.1-70b-64xp5.48xlarge --dollars '$5 M' --machine "
                    "p5.48xlarge,p6-b200.48xlarge --adopt best.json");
    command->callback([&call, options] { call.action = [&call, options] { runScaling(call, *options); }; });
}

} // namespace alidade::cli
