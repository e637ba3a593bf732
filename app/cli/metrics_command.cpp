// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/messages.h"
#include "app/cli/metrics_page.h"
#include "app/cli/observe.h"
#include "app/cli/session.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct MetricsArguments {
    ObserveOptions observe;
    bool series = false;
};

void showMetrics(Call& call, const MetricsArguments& options) {
    const Observed answer = Observer(options.observe).read(JobDefault::everything);
    call.out = call.common.json ? metricsJson(answer, options.series)
                                : metricsText(answer, options.series, call.terminal);
    if (answer.noData.everywhere) {
        call.status = Failure::environment;
        say(noDataSentence(answer.noData, answer.observation.grid));
    }
}

} // namespace

void addMetricsCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<MetricsArguments>();
    CLI::App* command =
        program.add_subcommand("metrics", "What a Prometheus-compatible server has measured of a cluster");
    addObserveOptions(*command, options->observe);
    command->add_flag("--series", options->series,
                      "Each GPU, node or engine by itself; with --json all values");
    addCommonOptions(*command, call.common);
    command->footer(
        "Example:\n"
        "  alidade metrics --prometheus http://localhost:9090 --start -2h --step 30s\n"
        "  alidade metrics --prometheus https://prometheus.example --token-file token --job llama --json");
    command->callback([&call, options] { call.action = [&call, options] { showMetrics(call, *options); }; });
}

} // namespace alidade::cli
