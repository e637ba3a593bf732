// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/connection_options.h"
#include "app/cli/messages.h"
#include "app/cli/metrics_page.h"
#include "app/cli/time_range.h"
#include "app/cli/time_text.h"
#include "data/catalog/mapping_json.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace alidade::cli {

namespace {

struct MetricsArguments {
    ConnectionOptions connection;
    TimeRangeOptions range;
    std::string mapping, job;
    bool series = false;
};

std::vector<std::string> errorLines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(std::move(line));
    }
    return lines;
}

/// What a server did not answer is the environment's fault.
template <class T>
T answered(Result<T> result) {
    if (!result) {
        throw Failure(Failure::environment, errorLines(result.error()));
    }
    return *std::move(result);
}

MetricMapping mappingOf(const MetricsArguments& options, data::PrometheusApi& api, const TimeGrid& grid) {
    if (options.mapping.empty()) {
        return answered(data::detectMapping(api, data::metricPresets(), grid.start, grid.end()));
    }
    auto mapping = data::readMapping(contentOf(options.mapping), options.mapping);
    if (!mapping) {
        throw Failure(Failure::request, errorLines(mapping.error()));
    }
    return *std::move(mapping);
}

/// Says on a terminal how far the reading is; nothing into a file or a pipe.
class ProgressLine {
public:
    void operator()(double share) {
        const auto percent = static_cast<int>(std::lround(100 * share));
        if (shown_ && percent != last_) {
            last_ = percent;
            std::fprintf(stderr, "\rReading the metrics: %d %%", percent);
            std::fflush(stderr);
        }
    }
    ~ProgressLine() {
        if (last_ >= 0) {
            std::fputs("\r\033[K", stderr);
        }
    }

private:
    bool shown_ = isatty(STDERR_FILENO) != 0;
    int last_ = -1;
};

void checkJob(const std::string& job, const std::vector<data::JobChoice>& jobs) {
    std::vector<std::string> known;
    for (const data::JobChoice& each : jobs) {
        if (each.job == job) {
            return;
        }
        known.push_back(each.job);
    }
    if (!job.empty() && !known.empty()) {
        throw Failure(Failure::request,
                      "--job: there is no job '" + job + "' in this time" + didYouMean(job, known));
    }
}

void showMetrics(Call& call, const MetricsArguments& options) {
    const TimeGrid grid = gridOf(options.range, now());
    const OpenedConnection opened = openConnection(options.connection);
    for (const std::string& note : opened.notes) {
        say(note);
    }
    data::HttpExchange exchange(opened.connection, opened.credentials);
    data::PrometheusApi api(exchange);
    MetricsAnswer answer;
    answer.server = answered(api.buildInfo());
    answer.mapping = mappingOf(options, api, grid);
    answer.jobs = answered(data::findJobs(api, answer.mapping, grid.start, grid.end()));
    checkJob(options.job, answer.jobs);
    ProgressLine progress;
    answer.observation =
        answered(data::collectObservation(api, answer.mapping, {.grid = grid, .job = options.job}, {},
                                          [&progress](double share) { progress(share); }));
    call.out = call.common.json ? metricsJson(answer, options.series)
                                : metricsText(answer, options.series, call.terminal);
}

} // namespace

void addMetricsCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<MetricsArguments>();
    CLI::App* command =
        program.add_subcommand("metrics", "What a Prometheus-compatible server has measured of a cluster");
    addConnectionOptions(*command, options->connection);
    addTimeRangeOptions(*command, options->range);
    command
        ->add_option(
            "--mapping", options->mapping,
            "Which metric is which signal, as JSON (\"mapping\" of the output of --json); detected from the "
            "server if absent")
        ->type_name("FILE");
    command->add_option("--job", options->job, "Only this training or serving job")->type_name("NAME");
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
