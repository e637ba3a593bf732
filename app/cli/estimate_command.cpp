// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/explain_page.h"
#include "app/cli/page.h"
#include "app/cli/timeline_page.h"
#include "app/cli/version.h"
#include "data/estimate/estimate_json.h"
#include "data/estimate/explain_document.h"
#include "data/report/report.h"
#include "model/document/used_inputs.h"
#include "model/engine/engine.h"
#include "model/scenario/fields.h"
#include "model/scenario/scenario.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct EstimateArguments {
    std::string scenario;
    std::vector<std::string> settings;
    std::string explain;
    bool timeline = false;
    bool loadCurve = false;
    bool distribution = false;
};

void explainOne(Call& call, const EstimateArguments& options, const OpenedScenario& scenario,
                const Catalog& catalog, const Profile& profile) {
    const auto explanation = data::explainDocument(scenario.spec, catalog, profile, options.explain);
    if (!explanation)
        throw Failure(Failure::request, "--explain: " + explanation.error());
    call.out = call.common.json ? data::writeExplanation(*explanation)
                                : explanationText(*explanation, call.terminal);
}

/// Parts that this kind of workload does not have are a wrong request, not an empty answer.
void refuseForeignParts(const EstimateArguments& options, const ScenarioSpec& spec) {
    const auto refuse = [&](bool asked, const char* option, bool ofServing, const char* instead) {
        const AppliesTo kind = ofServing ? AppliesTo::serving : AppliesTo::training;
        if (asked && !belongsTo(kind, spec.workload)) {
            throw Failure(Failure::request, std::string(option) + " is for " + std::string(kindName(kind)) +
                                                ", and this scenario is " +
                                                std::string(kindName(spec.workload)) + "; leave it out" +
                                                instead);
        }
    };
    refuse(options.timeline, "--timeline", false, " or use --load-curve");
    refuse(options.loadCurve, "--load-curve", true, " or use --timeline");
    refuse(options.distribution, "--distribution", true, "");
}

void runEstimate(Call& call, const EstimateArguments& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    refuseForeignParts(options, scenario.spec);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const auto answer = estimate(scenario.spec, *catalog, profile,
                                 {.loadCurve = options.loadCurve,
                                  .distribution = options.distribution,
                                  .timeline = options.timeline,
                                  .today = today()});
    if (!answer)
        throw Failure(Failure::request, scenario.file + ":" + answer.error());
    if (!options.explain.empty())
        return explainOne(call, options, scenario, *catalog, profile);
    const auto custom =
        data::customValuesUsed(customValuesOf(call.common, *catalog, &scenario), answer->scenario, *catalog);
    if (call.common.json) {
        call.out = data::writeEstimate(*answer, custom);
        return;
    }
    Estimate shown = *answer;
    if (const Result<Scenario> resolved = resolve(scenario.spec, *catalog, profile)) {
        const std::vector<std::string> used = usedAssumptions(*resolved, shown);
        std::erase_if(shown.assumptions, [&used](const AssumptionT<double>& each) {
            return std::ranges::find(used, each.name) == used.end();
        });
    }
    call.out = pageOf(data::buildReport(shown, {}, {programVersion(), today()}, custom), answer->scenario,
                      call.terminal);
    if (options.timeline && answer->training)
        call.out += timelineText(*answer->training, call.terminal);
}

} // namespace

void addEstimateCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<EstimateArguments>();
    CLI::App* command = program.add_subcommand("estimate", "Time or latency, memory and cost of a scenario");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name")
        ->required();
    command
        ->add_option("--set", options->settings,
                     "Change a field first: PATH=VALUE, with units; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command->add_option("--explain", options->explain, "How one number of the --json document is computed")
        ->type_name("PATH");
    command->add_flag("--timeline", options->timeline, "Training: add the pipeline timeline of one step");
    command->add_flag("--load-curve", options->loadCurve, "Serving: add latency and price against load");
    command->add_flag("--distribution", options->distribution,
                      "Serving: simulate requests and add the quantiles of their latencies");
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade estimate llama-3.1-405b-2048xp5.48xlarge --set plan.tensor_parallel=4\n"
                    "  alidade estimate scenario.json --json --explain training.step_time_s\n"
                    "  alidade estimate scenario.json --explain 'memory.parts[optimizer].bytes'\n"
                    "  alidade estimate service.json --load-curve --explain serving.ttft_s");
    command->callback([&call, options] { call.action = [&call, options] { runEstimate(call, *options); }; });
}

} // namespace alidade::cli
