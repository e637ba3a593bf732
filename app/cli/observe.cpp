// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/observe.h"

#include "app/cli/messages.h"
#include "app/cli/progress_line.h"
#include "app/cli/session.h"
#include "app/cli/time_text.h"
#include "data/catalog/mapping_json.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <sstream>

namespace alidade::cli {

namespace {

/// What a server did not answer is the environment's fault.
template <class T>
T answered(Result<T> result) {
    if (!result) {
        throw Failure(Failure::environment, errorLines(result.error()));
    }
    return *std::move(result);
}

/// The mapping of the option, before anything is asked of the server.
std::optional<MetricMapping> ownMapping(const ObserveOptions& options) {
    if (options.mapping.empty()) {
        return std::nullopt;
    }
    auto mapping = data::readMapping(contentOf(options.mapping), options.mapping);
    if (!mapping) {
        throw Failure(Failure::request, errorLines(mapping.error()));
    }
    return *std::move(mapping);
}

void checkJob(const std::string& job, const std::vector<data::JobChoice>& jobs) {
    std::vector<std::string> known;
    for (const data::JobChoice& each : jobs) {
        if (each.job == job) {
            return;
        }
        known.push_back(each.job);
    }
    if (!known.empty()) {
        throw Failure(Failure::request,
                      "--job: no job '" + job + "' in this time range" + didYouMean(job, known));
    }
}

/// The only job of a kind; empty: there is none.
std::string onlyJob(const std::vector<data::JobChoice>& jobs, const std::string& kind) {
    std::string only, list;
    int count = 0;
    for (const data::JobChoice& job : jobs) {
        if (job.kind == kind) {
            only = job.job;
            list += (list.empty() ? "" : ", ") + job.job;
            ++count;
        }
    }
    if (count > 1) {
        throw Failure(Failure::request,
                      "--job: the server has several " + kind + " jobs: " + list + "; specify one");
    }
    return only;
}

std::string jobOf(const std::string& asked, const std::vector<data::JobChoice>& jobs, JobDefault otherwise) {
    if (!asked.empty()) {
        checkJob(asked, jobs);
        return asked;
    }
    std::string job;
    if (otherwise == JobDefault::training || otherwise == JobDefault::trainingOrServing) {
        job = onlyJob(jobs, "training");
    }
    if (job.empty() && (otherwise == JobDefault::serving || otherwise == JobDefault::trainingOrServing)) {
        job = onlyJob(jobs, "serving");
    }
    return job;
}

} // namespace

std::vector<std::string> errorLines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(std::move(line));
    }
    return lines;
}

void addObserveOptions(CLI::App& command, ObserveOptions& options) {
    addConnectionOptions(command, options.connection);
    addTimeRangeOptions(command, options.range);
    command
        .add_option(
            "--mapping", options.mapping,
            "Metric mapping as JSON (\"mapping\" of `alidade metrics --json`); detected from the server "
            "by default")
        ->type_name("FILE");
    command.add_option("--job", options.job, "Training or serving job")->type_name("NAME");
}

struct Observer::Link {
    data::HttpExchange exchange;
    data::PrometheusApi api;

    explicit Link(OpenedConnection opened)
        : exchange(std::move(opened.connection), std::move(opened.credentials))
        , api(exchange) {}
};

Observer::Observer(const ObserveOptions& options)
    : options_(options)
    , mapping_(ownMapping(options)) {
    OpenedConnection opened = openConnection(options.connection);
    for (const std::string& note : opened.notes) {
        warn(note);
    }
    link_ = std::make_unique<Link>(std::move(opened));
}

Observer::~Observer() = default;

Observed Observer::read(JobDefault otherwise) {
    const TimeGrid grid = gridOf(options_.range, now());
    data::PrometheusApi& api = link_->api;
    Observed out;
    out.server = answered(api.buildInfo());
    out.mapping = mapping_
                      ? *mapping_
                      : answered(data::detectMapping(api, data::metricPresets(), grid.start, grid.end()));
    out.jobs = answered(data::findJobs(api, out.mapping, grid.start, grid.end()));
    const std::string job = jobOf(options_.job, out.jobs, otherwise);
    ProgressLine progress("Reading the metrics: ");
    out.observation = answered(data::collectObservation(api, out.mapping, {.grid = grid, .job = job}, {},
                                                        [&progress](double share) { progress.show(share); }));
    return out;
}

} // namespace alidade::cli
