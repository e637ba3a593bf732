// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/observe.h"

#include "app/cli/messages.h"
#include "app/cli/progress_line.h"
#include "app/cli/session.h"
#include "app/cli/time_text.h"
#include "data/catalog/mapping_json.h"
#include "data/json/json.h"
#include "data/observation/follow.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <sstream>

namespace alidade::cli {

namespace {

/// What a server did not answer is the environment's fault.
template <class T>
T answered(Result<T> result) {
    if (!result)
        throw Failure(Failure::environment, errorLines(result.error()));
    return *std::move(result);
}

/// The mapping of the option, before anything is asked of the server.
std::optional<MetricMapping> ownMapping(const ObserveOptions& options) {
    if (options.mapping.empty())
        return std::nullopt;
    auto mapping = data::readMapping(contentOf(options.mapping), options.mapping);
    if (!mapping)
        throw Failure(Failure::request, errorLines(mapping.error()));
    return *std::move(mapping);
}

void checkJob(const std::string& job, const std::vector<data::JobChoice>& jobs) {
    std::vector<std::string> known;
    for (const data::JobChoice& each : jobs) {
        if (each.job == job)
            return;
        known.push_back(each.job);
    }
    if (!known.empty()) {
        throw Failure(Failure::request,
                      "--job: no job '" + job + "' in this time range" + didYouMean(job, known));
    }
}

std::vector<std::string> jobsOf(const std::vector<data::JobChoice>& jobs, std::string_view kind) {
    std::vector<std::string> out;
    for (const data::JobChoice& job : jobs)
        if (job.kind == kind)
            out.push_back(job.job);
    return out;
}

/// The only job of a kind; empty: there is none.
std::string onlyJob(const std::vector<data::JobChoice>& jobs, const std::string& kind) {
    const std::vector<std::string> known = jobsOf(jobs, kind);
    if (known.size() > 1) {
        std::string list;
        for (const std::string& each : known)
            list += (list.empty() ? "" : ", ") + each;
        throw Failure(Failure::request,
                      "--job: the server has several " + kind + " jobs: " + list + "; specify one");
    }
    return known.empty() ? std::string() : known.front();
}

std::string jobOf(const ObserveOptions& options, const std::vector<data::JobChoice>& jobs,
                  JobDefault otherwise) {
    if (options.all)
        return {};
    if (options.job && !options.job->empty()) {
        checkJob(*options.job, jobs);
        return *options.job;
    }
    switch (otherwise) {
    case JobDefault::training:
        return onlyJob(jobs, "training");
    case JobDefault::serving:
        return onlyJob(jobs, "serving");
    case JobDefault::trainingOrServing:
        for (const char* kind : {"training", "serving"}) {
            const std::vector<std::string> known = jobsOf(jobs, kind);
            if (!known.empty())
                return known.size() == 1 ? known.front() : std::string();
        }
        break;
    case JobDefault::everything:
        break;
    }
    return {};
}

/// Whether something is known of any time of the observation.
bool knowsAnything(const Observation& observation, const DataGaps& gaps) {
    const bool measured = std::ranges::any_of(observation.tables, [](const SignalTable& table) {
        return table.signal != Signal::targetUp && // the server's own word
               std::ranges::any_of(table.values, [](double value) { return std::isfinite(value); });
    });
    return measured && gaps.observedIn(0, observation.grid.points) > 0;
}

} // namespace

std::vector<std::string> errorLines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(std::move(line));
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
    data::ObservationFollower follower;
    std::optional<Observed> found; ///< of the first time, without measurements

    explicit Link(OpenedConnection opened)
        : exchange(std::move(opened.connection), std::move(opened.credentials))
        , api(exchange) {}
};

Observer::Observer(const ObserveOptions& options)
    : options_(options)
    , mapping_(ownMapping(options)) {
    OpenedConnection opened = openConnection(options.connection);
    for (const std::string& note : opened.notes)
        warn(note);
    link_ = std::make_unique<Link>(std::move(opened));
}

Observer::~Observer() = default;

data::PrometheusApi& Observer::api() { return link_->api; }

Observed Observer::find(JobDefault otherwise, const TimeGrid& grid) {
    data::PrometheusApi& api = link_->api;
    Observed out;
    out.server = answered(api.buildInfo());
    out.mapping = mapping_
                      ? *mapping_
                      : answered(data::detectMapping(api, data::metricPresets(), grid.start, grid.end()));
    out.jobs = answered(data::findJobs(api, out.mapping, grid.start, grid.end()));
    out.observation.job = jobOf(options_, out.jobs, otherwise);
    return out;
}

void Observer::addNoData(Observed& out) {
    NoData& none = out.noData;
    none.gaps = dataGaps(out.observation);
    none.everywhere = !knowsAnything(out.observation, none.gaps);
    if (none.everywhere) {
        none.newest =
            answered(data::newestSample(link_->api, mapping_ ? std::vector{*mapping_} : data::metricPresets(),
                                        out.observation.grid.end()));
    }
}

Observed Observer::read(JobDefault otherwise) {
    const TimeGrid grid = gridOf(options_.range, now());
    Observed out = find(otherwise, grid);
    const std::string job = out.observation.job;
    ProgressLine progress("Reading the metrics: ");
    out.observation =
        answered(data::collectObservation(link_->api, out.mapping, {.grid = grid, .job = job}, {},
                                          [&progress](double share) { progress.show(share); }));
    addNoData(out);
    return out;
}

Observed Observer::follow(JobDefault otherwise) {
    const TimeGrid grid = gridOf(options_.range, now());
    if (!link_->found || link_->found->mapping.rules.empty())
        link_->found = find(otherwise, grid);
    Observed out = *link_->found;
    out.observation = answered(link_->follower.observe(link_->api, out.mapping,
                                                       {.grid = grid, .job = link_->found->observation.job}));
    addNoData(out);
    return out;
}

std::string noDataSentence(const NoData& noData, const TimeGrid& grid) {
    return "No data from " + timeText(grid.start) + " to " + timeText(grid.end()) +
           (noData.newest ? "; the newest sample is from " + timeText(*noData.newest)
                          : "; the server has none from the five years before either");
}

nlohmann::ordered_json gapsJson(const DataGaps& gaps) {
    auto out = nlohmann::ordered_json::array();
    for (const DataGap& gap : gaps.gaps) {
        out.push_back({{"start_s", gap.start},
                       {"end_s", gap.end},
                       {"lasts", gap.lasts},
                       {"exporters_silent", gap.silent}});
    }
    return out;
}

} // namespace alidade::cli
