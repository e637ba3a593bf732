// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/test_time_page.h"
#include "data/import/accuracy_file.h"
#include "model/units/parse.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct TestTimeArguments {
    std::string scenario, accuracy, target;
    std::vector<std::string> settings, budgets;
    std::vector<std::int64_t> samples;
};

AccuracyCurve curveIn(const std::string& file) {
    data::AccuracyReading read = data::readAccuracy(contentOf(file), file);
    if (!read.curve)
        throw Failure(Failure::request, std::move(read.faults));
    return *std::move(read.curve);
}

TestTimeQuestion questionOf(const TestTimeArguments& options, const WorkloadSpec& workload) {
    TestTimeQuestion out{.samples = options.samples, .budgets = {}, .curve = {}, .target = {}};
    for (const std::string& text : options.budgets) {
        const Result<double> read = parseQuantity(text, Dimension::tokens);
        if (!read || !(*read >= 1 && *read <= 1e8)) {
            cli::refuse("--thinking",
                        read ? "'" + text + "' is out of range; use 1 to 100,000,000 tokens" : read.error());
        }
        out.budgets.push_back(*read);
    }
    if (!options.accuracy.empty())
        out.curve = curveIn(options.accuracy);
    if (!options.target.empty()) {
        const Result<double> read = parseQuantity(options.target, Dimension::ratio);
        if (!read || !(*read > 0 && *read <= 1)) {
            cli::refuse("--target",
                        read ? "'" + options.target + "' is not a valid accuracy; use a value such as 0.9"
                             : read.error());
        }
        if (!out.curve)
            cli::refuse("--target", "needs a table of accuracies; add --accuracy FILE");
        out.target = *read;
    }
    if (out.curve && out.curve->measure == AccuracyMeasure::thinking && out.budgets.empty()) {
        cli::refuse("--accuracy",
                    "the table is over thinking_tokens; add budgets such as --thinking 1000,4000");
    }
    if (out.samples.empty()) {
        // One axis at a time unless both are asked for.
        out.samples = out.budgets.empty() ? std::vector<std::int64_t>{1, 2, 4, 8, 16}
                                          : std::vector{workload.testTime.samples.value_or(1)};
    }
    return out;
}

void runTestTime(Call& call, const TestTimeArguments& options) {
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.settings);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    const TestTimeQuestion question = questionOf(options, scenario.spec.workload);
    const Interrupt interrupt;
    const Result<TestTimeTable> table =
        testTimeTable(scenario.spec, *catalog, profile, question, interrupt.token());
    if (!table) {
        throw Failure(Failure::request, table.error().starts_with('/') ? scenario.file + ":" + table.error()
                                                                       : "--accuracy: " + table.error());
    }
    call.out =
        call.common.json ? testTimeJson(question, *table) : testTimeText(question, *table, call.terminal);
}

} // namespace

void addTestTimeCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<TestTimeArguments>();
    CLI::App* command = program.add_subcommand(
        "test-time", "Samples and thinking budgets of a service against latency, cost and accuracy");
    command
        ->add_option("SCENARIO", options->scenario,
                     "A serving scenario (file, id, or WORKSPACE.alidade#name); its load counts questions")
        ->required();
    command
        ->add_option("--samples", options->samples,
                     "Numbers of samples to compare; default: 1,2,4,8,16, or the scenario's with --thinking")
        ->type_name("N,N")
        ->delimiter(',')
        ->check(CLI::Range(1, 65'536))
        ->allow_extra_args(false);
    command
        ->add_option("--thinking", options->budgets,
                     "Thinking budgets to compare, in output tokens of a sample")
        ->type_name("TOKENS,TOKENS")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--accuracy", options->accuracy,
                     "Measured accuracies, with the columns k,pass_at_k (or majority, or best_of_n), "
                     "thinking_tokens,accuracy, or n,c (right answers of each problem)")
        ->type_name("FILE.csv|json");
    command->add_option("--target", options->target, "Accuracy to reach: 0.9, \"90 %\"")
        ->type_name("ACCURACY");
    command->add_option("--set", options->settings, "Change a field of the scenario first; may be repeated")
        ->type_name("PATH=VALUE")
        ->allow_extra_args(false);
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade test-time serve-qwen3-32b-best-of-16-1xp5en.48xlarge --samples 1,4,16\n"
                    "  alidade test-time service.json --accuracy pass.csv --target 0.9\n"
                    "  alidade test-time service.json --thinking 1000,4000,16000");
    command->callback([&call, options] { call.action = [&call, options] { runTestTime(call, *options); }; });
}

} // namespace alidade::cli
