// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/health_reader.h"

#include "app/cli/inputs.h"
#include "data/catalog/policy_json.h"
#include "model/observation/plan_actual.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

namespace alidade::cli {

namespace {

/// The policy of the option: the id of a preset, a file with one policy, or FILE#ID.
HealthPolicy policyOf(const std::string& asked, const std::vector<HealthPolicy>& presets) {
    if (asked.empty())
        return presets.front();
    std::vector<std::string> known;
    for (const HealthPolicy& each : presets) {
        if (each.id == asked)
            return each;
        known.push_back(each.id);
    }
    const std::size_t hash = asked.rfind('#');
    const std::string file = asked.substr(0, hash),
                      id = hash == std::string::npos ? "" : asked.substr(hash + 1);
    if (!QFileInfo::exists(QString::fromStdString(file))) {
        throw Failure(Failure::request,
                      "--policy: no preset or file '" + asked + "'" + didYouMean(asked, known));
    }
    const Result<std::vector<HealthPolicy>> read = data::readHealthPolicies(file, contentOf(file));
    if (!read)
        throw Failure(Failure::request, errorLines(read.error()));
    known.clear();
    for (const HealthPolicy& each : *read) {
        if (each.id == id || (id.empty() && read->size() == 1))
            return each;
        known.push_back(file + "#" + each.id);
    }
    throw Failure(
        Failure::request,
        "--policy: " + (id.empty() ? file + " has several policies" : "no policy '" + id + "' in " + file) +
            didYouMean(asked, known));
}

FindingLevel failOnOf(const std::string& word) {
    for (const FindingLevel level : {FindingLevel::watch, FindingLevel::soon, FindingLevel::now})
        if (word == levelName(level))
            return level;
    throw Failure(Failure::request,
                  "--fail-on: '" + word + "' is not a level" + didYouMean(word, {"watch", "soon", "now"}));
}

/// The plan, for the price and size of its machines.
std::optional<Estimate> planOf(const std::string& name, const CommonOptions& common) {
    if (name.empty())
        return std::nullopt;
    const auto given = openCatalog(common);
    OpenedScenario scenario = openScenario(name);
    const auto catalog = catalogFor(common, given, scenario);
    const Profile profile = openProfile(common, scenario, *catalog);
    Result<Estimate> planned = estimate(scenario.spec, *catalog, profile);
    if (!planned)
        throw Failure(Failure::request, scenario.file + ":" + planned.error());
    return *std::move(planned);
}

const ObserveOptions& checked(const ObserveOptions& options) {
    if (options.all && options.job)
        throw Failure(Failure::request, "--all and --job cannot be combined");
    if (options.job && options.job->empty())
        throw Failure(Failure::request, "--job: requires a job name; use --all for everything");
    return options;
}

} // namespace

void addHealthOptions(CLI::App& command, HealthOptions& options) {
    addObserveOptions(command, options.observe);
    command
        .add_flag("--all", options.observe.all,
                  "Everything that the server watches: all jobs, idle and spare nodes")
        ->group("Server");
    command.add_option("--policy", options.policy, "Health policy: the id of a preset, FILE or FILE#ID")
        ->type_name("NAME|FILE");
    command
        .add_option("--fail-on", options.failOn,
                    "Exit with status 3 for findings at this level or above: watch, soon or now")
        ->type_name("LEVEL");
    command
        .add_option("--plan", options.scenario, "Scenario that the cluster runs: findings then have a price")
        ->type_name("SCENARIO");
}

HealthReader::HealthReader(const HealthOptions& options, const CommonOptions& common)
    : failOn_(failOnOf(options.failOn))
    , presets_(data::shippedHealthPolicies())
    , policy_(policyOf(options.policy, presets_))
    , plan_(planOf(options.scenario, common))
    , observer_(checked(options.observe)) {}

HealthAnswer HealthReader::read() { return judged(observer_.read(JobDefault::trainingOrServing)); }
HealthAnswer HealthReader::follow() { return judged(observer_.follow(JobDefault::trainingOrServing)); }

HealthAnswer HealthReader::judged(const Observed& read) const {
    HealthAnswer out;
    out.server = read.observation.server;
    out.job = read.observation.job;
    out.grid = read.observation.grid;
    out.noData = read.noData;
    out.unanswered = read.observation.unanswered;
    out.policy = policy_.name;
    out.failOn = failOn_;
    out.findings = judgeHealth(read.observation, policy_, presets_,
                               healthContext(read.observation, plan_ ? &*plan_ : nullptr));
    return out;
}

} // namespace alidade::cli
