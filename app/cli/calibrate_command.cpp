// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_page.h"
#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/messages.h"
#include "app/cli/observe.h"
#include "app/cli/version.h"
#include "data/calibration/live_profile.h"
#include "data/catalog/policy_json.h"
#include "data/import/bench_results.h"
#include "data/import/measured_collectives.h"
#include "data/import/step_times.h"
#include "model/scenario/scenario.h"
#include "model/units/format.h"
#include "model/units/parse.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct CalibrateArguments {
    std::string scenario, steps, stepTime, column, output, name;
    std::vector<std::string> settings, logs, benches;
    ObserveOptions metrics;
    bool acceptWrong = false;
};

/// The tables of the logs; ranks and nodes that a log does not say follow from the scenario's machines.
std::vector<MeasuredCollective> readLogs(const std::vector<std::string>& files, int gpusPerNode,
                                         bool acceptWrong) {
    std::vector<MeasuredCollective> out;
    std::vector<std::string> faults;
    for (const std::string& file : files) {
        data::MeasuredCollectives read =
            data::readMeasuredCollectives(contentOf(file), file, gpusPerNode, acceptWrong);
        std::ranges::move(read.faults, std::back_inserter(faults));
        const std::string name = QFileInfo(QString::fromStdString(file)).fileName().toStdString();
        for (MeasuredCollective& each : read.tables) {
            each.log = name;
            out.push_back(std::move(each));
        }
    }
    if (!faults.empty())
        throw Failure(Failure::request, std::move(faults));
    return out;
}

MeasuredStepTimes readSteps(const CalibrateArguments& options) {
    data::StepTimesReading reading =
        data::readStepTimes(contentOf(options.steps), options.steps, options.column);
    if (!reading.faults.empty())
        throw Failure(Failure::request, std::move(reading.faults));
    return {QFileInfo(QString::fromStdString(options.steps)).fileName().toStdString(),
            std::move(reading.seconds)};
}

MeasuredStepTimes stepTimeOf(const std::string& words) {
    const Result<double> seconds = parseQuantity(words, Dimension::seconds);
    if (!seconds || !(*seconds > 0)) {
        throw Failure(Failure::request,
                      "--step-time: " +
                          (seconds ? "'" + words + "' must be above 0, such as 6.31s" : seconds.error()));
    }
    return {"a step time of " + formatQuantity(*seconds, Dimension::seconds), {*seconds}, {}, true, 0};
}

/// All files are of serving, or one is of a training run.
Result<LiveCalibration> calibrateFromBenches(const std::vector<std::string>& files, const ScenarioSpec& spec,
                                             const Catalog& catalog, const Profile& profile) {
    std::vector<ServedRun> runs;
    std::vector<std::string> faults;
    for (const std::string& file : files) {
        data::BenchReading read = data::readBenchResults(
            contentOf(file), QFileInfo(QString::fromStdString(file)).fileName().toStdString());
        std::ranges::move(read.faults, std::back_inserter(faults));
        if (read.isTraining() && files.size() > 1)
            faults.push_back("--bench: " + file + " is the log of a training run; give one such log, alone");
        else if (read.isTraining() && faults.empty())
            return calibrateStepTimes(spec, catalog, profile, read.steps);
        std::ranges::move(read.runs, std::back_inserter(runs));
    }
    if (!faults.empty())
        throw Failure(Failure::request, std::move(faults));
    return calibrateServedRuns(spec, catalog, profile, runs);
}

Result<LiveCalibration> calibrateFromMetrics(const ObserveOptions& options, const ScenarioSpec& spec,
                                             const Catalog& catalog, const Profile& profile) {
    const Observed read =
        Observer(options).read(spec.workload.isServing() ? JobDefault::serving : JobDefault::training);
    for (const std::string& warning : read.observation.warnings)
        warn(warning);
    const std::vector<HealthPolicy>& policies = data::shippedHealthPolicies();
    return calibrateLive(spec, catalog, profile, read.observation,
                         judgeHealth(read.observation, policies.front(), policies));
}

void check(const CalibrateArguments& options) {
    const int kinds = (options.metrics.connection.given() ? 1 : 0) + (options.logs.empty() ? 0 : 1) +
                      (options.steps.empty() ? 0 : 1) + (options.benches.empty() ? 0 : 1) +
                      (options.stepTime.empty() ? 0 : 1);
    if (kinds != 1) {
        throw Failure(
            Failure::request,
            kinds == 0
                ? "calibrate: no measurements; add --step-time 6.31s, --bench FILE, --steps CSV, "
                  "--nccl-log FILE or --prometheus URL"
                : "calibrate: --prometheus, --nccl-log, --bench, --steps and --step-time are separate "
                  "calibrations; use one at a time, and pass its profile to the next with --calibration");
    }
}

std::string nameOf(const CalibrateArguments& options, const OpenedScenario& scenario) {
    if (!options.name.empty())
        return options.name;
    return options.output.empty()
               ? scenario.name + ", " + today()
               : QFileInfo(QString::fromStdString(options.output)).completeBaseName().toStdString();
}

void runCalibrate(Call& call, const CalibrateArguments& options) {
    check(options);
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const Result<Scenario> resolved = resolve(scenario.spec, *catalog, profile);
    if (!resolved)
        throw Failure(Failure::request, scenario.file + ":" + resolved.error());
    refuseOverInput(options.output); // now, and not after a server was read
    const Result<LiveCalibration> found =
        !options.logs.empty()
            ? calibrateCollectives(scenario.spec, *catalog, profile,
                                   readLogs(options.logs, resolved->gpusPerNode, options.acceptWrong))
        : !options.steps.empty() ? calibrateStepTimes(scenario.spec, *catalog, profile, readSteps(options))
        : !options.stepTime.empty()
            ? calibrateStepTimes(scenario.spec, *catalog, profile, stepTimeOf(options.stepTime))
        : !options.benches.empty() ? calibrateFromBenches(options.benches, scenario.spec, *catalog, profile)
                                   : calibrateFromMetrics(options.metrics, scenario.spec, *catalog, profile);
    if (!found)
        throw Failure(Failure::request, scenario.file + ": " + found.error());
    const std::string name = nameOf(options, scenario);
    if (!options.output.empty())
        writeFile(options.output, data::writeLiveProfile(*found, name, today()));
    if (call.common.json) {
        call.out = data::writeLiveCalibration(*found, name, options.output);
        return;
    }
    call.out = calibrationText(*found, call.terminal);
    call.out += options.output.empty()
                    ? "\nNothing was written; -o PROFILE.json keeps the profile\n"
                    : "\nWrote " + options.output + ", profile '" + name +
                          "'; scenarios use it only with --calibration " + options.output + "\n";
}

} // namespace

void addCalibrateCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<CalibrateArguments>();
    CLI::App* command =
        program.add_subcommand("calibrate", "Constants of the model from measurements of the cluster");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario that the cluster runs: a file, an id or WORKSPACE.alidade#name")
        ->required();
    command->add_option("--set", options->settings, "Change a field first: PATH=VALUE; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addObserveOptions(*command, options->metrics);
    command->add_option("--nccl-log", options->logs, "Output of nccl-tests on the scenario's machines")
        ->type_name("FILE");
    command->add_flag("--accept-wrong", options->acceptWrong, "Use logs whose check found wrong results");
    command->add_option("--step-time", options->stepTime, "One measured step time of a training run: 6.31s")
        ->type_name("TIME");
    command
        ->add_option(
            "--bench", options->benches,
            "Result of vllm bench serve, SGLang bench_serving, AIPerf, GenAI-Perf or MLPerf LoadGen, or "
            "a log of torchtitan or Megatron-LM; several results of serving may be given")
        ->type_name("FILE");
    command->add_option("--steps", options->steps, "Table of step times, with a column such as step_time_s")
        ->type_name("CSV");
    command->add_option("--column", options->column, "Header of that column, if another")
        ->type_name("HEADER");
    command->add_option("-o,--out", options->output, "Profile to write")->type_name("PROFILE.json");
    command->add_option("--name", options->name, "Name of the profile; default: that of its file")
        ->type_name("NAME");
    addCommonOptions(*command, call.common);
    command->footer(
        "The fit starts from the profile of the scenario, or of --calibration, and never changes it.\n"
        "Examples:\n"
        "  alidade calibrate my-job.json --prometheus http://prometheus:9090 --start -2h -o cluster.json\n"
        "  alidade calibrate my-job.json --step-time 6.31s -o measured.json\n"
        "  alidade calibrate my-service.json --bench c8.json c64.json -o measured.json\n"
        "  alidade calibrate my-job.json --nccl-log all_reduce.log -o network.json\n"
        "  alidade estimate my-job.json --calibration cluster.json");
    command->callback([&call, options] { call.action = [&call, options] { runCalibrate(call, *options); }; });
}

} // namespace alidade::cli
