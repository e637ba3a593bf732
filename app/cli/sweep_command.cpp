// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/explore_page.h"
#include "app/cli/interrupt.h"
#include "model/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct SweepArguments {
    std::string scenario;
    std::vector<std::string> settings, vary, figures;
    std::string out;
};

std::vector<const PlanFigure*> shownFigures(const SweepArguments& options, bool serving) {
    std::vector<std::string> paths = options.figures;
    if (paths.empty()) {
        paths =
            serving
                ? std::vector<std::string>{"serving.output_tokens_per_s", "serving.ttft_s", "serving.tpot_s"}
                : std::vector<std::string>{"training.step_time_s", "training.mfu", "memory.headroom_bytes"};
    }
    std::vector<const PlanFigure*> out;
    for (const std::string& path : paths) {
        const PlanFigure* figure = findPlanFigure(path);
        if (!figure || !figure->isOf(serving)) {
            const std::string near = nearestPlanFigure(path);
            throw Failure(Failure::request,
                          "--of: no figure '" + path + "' of this scenario" +
                              (near.empty() || near == path ? "" : "; the nearest is '" + near + "'"));
        }
        out.push_back(figure);
    }
    return out;
}

void runSweep(Call& call, const SweepArguments& options) {
    const bool csv = options.out.ends_with(".csv");
    if (!options.out.empty() && !csv && !options.out.ends_with(".json")) {
        throw Failure(Failure::request, "-o: '" + options.out + "' must end in .json or .csv");
    }
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Explorer explorer(scenario.spec, *catalog, profile);
    const Result<Scenario> resolved = explorer.scenarioWith({});
    if (!resolved) {
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    }
    const auto figures = shownFigures(options, resolved->isServing());
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const std::string& text : options.vary) {
        Result<SweepAxis> axis = sweepAxis(text, *resolved);
        if (!axis) {
            throw Failure(Failure::request, "--vary: " + axis.error());
        }
        const auto same = [&](const SweepAxis& a) { return a.variable.path() == axis->variable.path(); };
        if (std::ranges::any_of(axes, same)) {
            throw Failure(Failure::request, "--vary: " + axis->variable.path() + " is varied already");
        }
        points *= axis->values.size();
        if (points > mostSweepPoints) {
            throw Failure(Failure::request, "--vary: more than " +
                                                formatCount(static_cast<std::int64_t>(mostSweepPoints)) +
                                                " points; take fewer values");
        }
        axes.push_back(*std::move(axis));
    }
    const Interrupt interrupt;
    const Sweep found = sweep(explorer, std::move(axes), interrupt.token());
    if (!options.out.empty()) {
        writeFile(options.out, csv ? sweepCsv(found) : sweepJson(found));
    }
    call.out = call.common.json ? sweepJson(found) : sweepText(found, figures, call.terminal);
}

} // namespace

void addSweepCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<SweepArguments>();
    CLI::App* command = program.add_subcommand("sweep", "A scenario over the values of one or more fields");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name")
        ->required();
    command
        ->add_option("--vary", options->vary,
                     "A field, or a number of the catalog or calibration by its name among the assumptions, "
                     "with a list or a range; may be repeated")
        ->type_name("FIELD=A..B[:N|:step S|:log [N]] | FIELD=A,B,..")
        ->required()
        ->allow_extra_args(false);
    command->add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    command
        ->add_option("--of", options->figures, "Figures to print, as in estimate --json; the first as bars")
        ->type_name("FIGURE[,FIGURE]")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("-o,--output", options->out, "Also write all points to this file (.json or .csv)")
        ->type_name("FILE");
    addCommonOptions(*command, call.common);
    command->footer(
        "Ctrl+C prints the points that are done.\n"
        "Examples:\n"
        "  alidade sweep llama-3.1-70b-64xp5.48xlarge --vary plan.micro_batch=1,2,4\n"
        "  alidade sweep plan.json --vary 'hbm_bandwidth=2 TB/s..8 TB/s:log 13' -o hbm.csv\n"
        "  alidade sweep service.json --vary workload.request_rate_per_s=1..40:20 --of serving.ttft_s");
    command->callback([&call, options] { call.action = [&call, options] { runSweep(call, *options); }; });
}

} // namespace alidade::cli
