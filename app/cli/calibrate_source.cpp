// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_source.h"

#include "app/cli/messages.h"
#include "app/cli/session.h"
#include "app/cli/time_text.h"
#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/observation/collect.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <unistd.h>

namespace alidade::cli {

namespace {

constexpr double usualSpan = 3600, leastStep = 15, mostPoints = 1000;

struct Span {
    double start = 0, end = 0, step = 0;
};

Span spanOf(const MetricsOptions& options) {
    const double present = now();
    const auto time = [present](const std::string& text, const char* option, double absent) {
        if (text.empty()) {
            return absent;
        }
        const Result<double> out = timeOf(text, present);
        if (!out) {
            throw Failure(Failure::request, std::string(option) + ": " + out.error());
        }
        return *out;
    };
    Span out;
    out.end = time(options.end, "--end", present);
    out.start = time(options.start, "--start", out.end - usualSpan);
    if (out.start >= out.end) {
        throw Failure(Failure::request,
                      "--start: is not before --end; an earlier time such as -2h would be right");
    }
    out.step = std::max(leastStep, (out.end - out.start) / mostPoints);
    if (!options.step.empty()) {
        const Result<double> step = durationOf(options.step);
        if (!step) {
            throw Failure(Failure::request, "--step: " + step.error());
        }
        out.step = *step;
    }
    return out;
}

Failure environment(const std::string& message) { return {Failure::environment, message}; }

MetricMapping mappingOf(const MetricsOptions& options, data::PrometheusApi& api, const Span& span) {
    if (!options.mapping.empty()) {
        const Result<MetricMapping> read = data::readMapping(contentOf(options.mapping), options.mapping);
        if (!read) {
            throw Failure(Failure::request, read.error());
        }
        return *read;
    }
    const Result<MetricMapping> found = data::detectMapping(api, data::metricPresets(), span.start, span.end);
    if (!found) {
        throw environment(found.error());
    }
    return *found;
}

/// The job of the scenario's kind: the one that was asked for, or the only one.
std::string jobOf(const MetricsOptions& options, data::PrometheusApi& api, const MetricMapping& mapping,
                  const Span& span, bool serving) {
    if (!options.job.empty()) {
        return options.job;
    }
    const auto jobs = data::findJobs(api, mapping, span.start, span.end);
    if (!jobs) {
        throw environment(jobs.error());
    }
    const std::string kind = serving ? "serving" : "training";
    std::vector<std::string> names;
    for (const data::JobChoice& job : *jobs) {
        if (job.kind == kind) {
            names.push_back(job.job);
        }
    }
    if (names.size() > 1) {
        std::string list;
        for (const std::string& name : names) {
            list += (list.empty() ? "" : ", ") + name;
        }
        throw Failure(Failure::request,
                      "--job: the server has several " + kind + " jobs: " + list + "; name one");
    }
    return names.empty() ? std::string() : names.front();
}

std::function<void(double)> progressLine() {
    if (isatty(STDERR_FILENO) == 0) {
        return {};
    }
    return [](double share) {
        std::fprintf(stderr, "\rReading the server: %.0f %%%s", 100 * share, share >= 1 ? "\r\033[K" : "");
        std::fflush(stderr);
    };
}

} // namespace

void addMetricsOptions(CLI::App& command, MetricsOptions& options) {
    addConnectionOptions(command, options.connection);
    command.add_option("--start", options.start, "First instant: RFC 3339, Unix seconds or -2h; default -1h")
        ->type_name("T");
    command.add_option("--end", options.end, "Last instant; default now")->type_name("T");
    command.add_option("--step", options.step, "Between two instants: 30s; default 15s or more")
        ->type_name("S");
    command.add_option("--job", options.job, "Job, if the server has several")->type_name("JOB");
    command.add_option("--mapping", options.mapping, "Your own mapping of metrics")->type_name("FILE");
}

Result<LiveCalibration> calibrateFromMetrics(const MetricsOptions& options, const ScenarioSpec& spec,
                                             const Catalog& catalog, const Profile& profile) {
    const Span span = spanOf(options);
    OpenedConnection opened = openConnection(options.connection);
    for (const std::string& note : opened.notes) {
        warn(note);
    }
    data::HttpExchange exchange(std::move(opened.connection), std::move(opened.credentials));
    data::PrometheusApi api(exchange);
    const MetricMapping mapping = mappingOf(options, api, span);
    data::ObservationRequest request;
    request.grid = data::alignedGrid(span.start, span.end, span.step);
    request.job = jobOf(options, api, mapping, span, spec.workload.isServing());
    const Result<Observation> observation =
        data::collectObservation(api, mapping, request, {}, progressLine());
    if (!observation) {
        throw environment(observation.error());
    }
    for (const std::string& warning : observation->warnings) {
        warn(warning);
    }
    const std::vector<HealthPolicy>& policies = data::shippedHealthPolicies();
    return calibrateLive(spec, catalog, profile, *observation,
                         judgeHealth(*observation, policies.front(), policies));
}

} // namespace alidade::cli
