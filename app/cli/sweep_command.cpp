// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/explore_page.h"
#include "app/cli/interrupt.h"
#include "app/cli/paper_only.h"
#include "model/base/text.h"
#include "views/report/sweep_drawing.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct SweepArguments {
    std::string scenario;
    std::vector<std::string> settings, vary, figures, optimize;
    std::string out;
    int threads = 0;
};

std::vector<const PlanFigure*> shownFigures(const SweepArguments& options, const WorkloadSpec& workload) {
    std::vector<std::string> paths = options.figures;
    if (paths.empty()) {
        paths =
            workload.isReinforcement()
                ? std::vector<std::string>{"reinforcement_learning.step_time_s",
                                           "reinforcement_learning.idle_share", "memory.headroom_bytes"}
            : workload.isServing()
                ? std::vector<std::string>{"serving.output_tokens_per_s", "serving.ttft_s", "serving.tpot_s"}
                : std::vector<std::string>{"training.step_time_s", "training.mfu", "memory.headroom_bytes"};
    }
    std::vector<const PlanFigure*> out;
    for (const std::string& path : paths) {
        const PlanFigure* figure = findPlanFigure(path);
        if (figure && figure->ofQuestions && workload.isServing() && !figure->isOf(workload)) {
            throw Failure(Failure::request, "--of: '" + path +
                                                "' is a figure of questions; set workload.samples (1 for a "
                                                "single answer), such as with --set workload.samples=1");
        }
        if (!figure || !figure->isOf(workload)) {
            const std::string near = nearestPlanFigure(path);
            throw Failure(Failure::request,
                          "--of: no figure '" + path + "' of this scenario" +
                              (near.empty() || near == path ? "" : "; the nearest is '" + near + "'"));
        }
        out.push_back(figure);
    }
    return out;
}

/// The fields that are searched at each point.
std::vector<FreeField> optimized(const SweepArguments& options, const ScenarioSpec& spec,
                                 const Catalog& catalog) {
    std::vector<FreeField> out;
    for (const std::string& path : options.optimize) {
        if (path == "all")
            return usualFreeFields(spec, catalog);
        Result<FreeField> field = freeField(spec, catalog, path, {});
        if (!field)
            throw Failure(Failure::request, "--optimize: " + field.error());
        out.push_back(*std::move(field));
    }
    return out;
}

void runSweep(Call& call, const SweepArguments& options) {
    const bool csv = options.out.ends_with(".csv"), svg = options.out.ends_with(".svg");
    if (!options.out.empty() && !csv && !svg && !options.out.ends_with(".json"))
        throw Failure(Failure::request, "-o: '" + options.out + "' must end in .json, .csv or .svg");
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Explorer explorer(scenario.spec, *catalog, profile);
    const Result<Scenario> resolved = explorer.scenarioWith({});
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    std::vector<SweepAxis> axes;
    std::size_t points = 1;
    for (const std::string& text : options.vary) {
        Result<SweepAxis> axis = sweepAxis(text, *resolved);
        if (!axis)
            throw Failure(Failure::request, "--vary: " + axis.error());
        const auto same = [&](const SweepAxis& a) { return a.variable.path() == axis->variable.path(); };
        if (std::ranges::any_of(axes, same))
            throw Failure(Failure::request, "--vary: " + axis->variable.path() + " is varied already");
        points *= axis->values.size();
        if (points > mostSweepPoints) {
            throw Failure(Failure::request, "--vary: more than " +
                                                formatCount(static_cast<std::int64_t>(mostSweepPoints)) +
                                                " points; take fewer values");
        }
        axes.push_back(*std::move(axis));
    }
    // A varied field may bring figures: samples bring those of questions.
    VariableSettings firstPoint;
    for (const SweepAxis& axis : axes)
        firstPoint.emplace_back(axis.variable, axis.values.front());
    const auto figures = shownFigures(options, explorer.specWith(firstPoint).workload);
    if (svg && axes.size() > 2)
        throw Failure(Failure::request, "-o: a picture shows one or two fields; write .json or .csv");
    const Interrupt interrupt;
    const Sweep found = sweep(explorer, std::move(axes),
                              {.threads = options.threads,
                               .stop = interrupt.token(),
                               .optimize = optimized(options, scenario.spec, *catalog),
                               .objective = figures.front()});
    if (svg && !found.points.empty()) {
        const PaperOnly pages;
        writeFile(options.out, views::sweepSvg(found, figures).toStdString());
    } else if (!options.out.empty()) {
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
    command
        ->add_option("--optimize", options->optimize,
                     "Fields that are searched at each point for the best first figure, so that it shows "
                     "the best plan there; all: the degrees, and in training micro-batch and recomputation")
        ->type_name("FIELD[,FIELD]|all")
        ->delimiter(',')
        ->allow_extra_args(false);
    // The British spelling of earlier versions stays valid, without being listed.
    command->add_option("--optimise", options->optimize)->delimiter(',')->allow_extra_args(false)->group("");
    command->add_option("--threads", options->threads, "Threads to estimate on")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("-o,--output", options->out,
                     "Also write all points to this file (.json or .csv), or a picture (.svg)")
        ->type_name("FILE");
    addCommonOptions(*command, call.common);
    command->footer(
        "Ctrl+C prints the points that are done.\n"
        "Examples:\n"
        "  alidade sweep llama-3.1-70b-64xp5.48xlarge --vary plan.micro_batch=1,2,4\n"
        "  alidade sweep plan.json --vary 'hbm_bandwidth=2 TB/s..8 TB/s:log 13' -o hbm.csv\n"
        "  alidade sweep plan.json --vary cluster.instances=64,128,256 --of training.tokens_per_s "
        "--optimize all\n"
        "  alidade sweep service.json --vary workload.request_rate_per_s=1..40:20 --of serving.ttft_s");
    command->callback([&call, options] { call.action = [&call, options] { runSweep(call, *options); }; });
}

} // namespace alidade::cli
