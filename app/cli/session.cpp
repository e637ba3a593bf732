// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "app/cli/inputs.h"
#include "app/cli/messages.h"
#include "app/cli/workspace_scenario.h"
#include "data/catalog/catalog_reader.h"
#include "data/catalog/profile_json.h"
#include "data/catalog/shipped.h"
#include "data/file/write_file.h"
#include "data/handoff/tools.h"
#include "data/import/file_nature.h"
#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/attach.h"
#include "model/scenario/fields.h"
#include "model/scenario/problem.h"

#include <QFileInfo>

#include <cstdio>

namespace alidade::cli {

namespace {

QString toQString(const std::string& text) { return QString::fromStdString(text); }

[[noreturn]] void refuse(const std::string& file, const std::vector<data::JsonFault>& faults) {
    std::vector<std::string> lines;
    for (const data::JsonFault& fault : faults)
        lines.push_back(data::faultText(file, fault));
    throw Failure(Failure::request, std::move(lines));
}

ScenarioSpec specOf(const std::string& text, const std::string& file) {
    if (std::string other = data::notScenario(text, file); !other.empty())
        throw Failure(Failure::request, std::move(other));
    data::ScenarioReading reading = data::readScenario(text);
    if (!reading.spec)
        refuse(file, reading.faults);
    return *std::move(reading.spec);
}

void apply(ScenarioSpec& spec, const std::string& setting) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Failure(Failure::request,
                      "--set: '" + setting +
                          "' has no value; write PATH=VALUE, such as plan.tensor_parallel=4");
    }
    const std::string path = setting.substr(0, equals);
    const Result<ScenarioSpec> changed = withField(spec, path, setting.substr(equals + 1));
    if (!changed)
        throw Failure(Failure::request, "--set:" + pointerOf(path) + ": " + changed.error());
    spec = *changed;
}

/// What --catalog names overrides everything else.
std::shared_ptr<const Catalog> withOption(data::CatalogLoad load, const CommonOptions& options) {
    if (!options.catalog.empty()) {
        if (!QFileInfo::exists(toQString(options.catalog))) {
            throw Failure(Failure::request,
                          options.catalog +
                              ": there is no such file or folder; pass a catalog file or folder");
        }
        noteInput(options.catalog);
        load = data::loadCatalog(load.catalog, options.catalog);
    }
    if (!load.problems.empty()) {
        std::vector<std::string> lines;
        for (const data::CatalogProblem& problem : load.problems)
            lines.push_back(data::text(problem));
        throw Failure(Failure::request, std::move(lines));
    }
    // A change that does not fit alone has no effect, as in the window; that is said and no failure.
    for (const data::CatalogProblem& aside : load.setAside)
        warn(data::text(aside));
    return load.catalog;
}

} // namespace

std::string contentOf(const std::string& file, std::size_t limit) {
    const Result<std::string> content = data::readFile(file, limit);
    if (!content) {
        const QFileInfo info(toQString(file));
        const bool unreadable = info.isFile() && !info.isReadable();
        const bool complete = content.error().find("; ") != std::string::npos;
        throw Failure(unreadable ? Failure::environment : Failure::request,
                      file + ": " + content.error() + (complete ? "" : "; name a file that can be read"));
    }
    noteInput(file);
    return *content;
}

void refuse(const char* option, const std::string& why) {
    throw Failure(Failure::request, std::string(option) + ": " + why);
}

std::string didYouMean(const std::string& word, const std::vector<std::string>& known) {
    return data::suggestion(word, known);
}

std::shared_ptr<const Catalog> openCatalog(const CommonOptions& options) {
    if (options.shippedCatalog && !options.catalog.empty()) {
        throw Failure(Failure::request,
                      "--shipped-catalog: leaves out what --catalog names; give one of the two");
    }
    return withOption(data::loadShippedCatalog(), options);
}

data::handoff::Tools openTools(const CommonOptions& options) {
    std::vector<std::string> faults;
    data::handoff::Tools tools = data::handoff::toolsOf(options.catalog, faults);
    if (!faults.empty())
        throw Failure(Failure::request, std::move(faults));
    return tools;
}

OpenedScenario openScenario(const std::string& argument, const std::vector<std::string>& settings) {
    OpenedScenario out;
    out.file = argument;
    const QFileInfo info(toQString(argument));
    if (const auto reference = workspaceReference(argument)) {
        out = openWorkspaceScenario(argument, *reference);
    } else if (info.isFile() && info.suffix() == QStringLiteral("alidade")) {
        refuseWorkspaceWithoutName(argument);
    } else if (info.exists()) {
        out.name = info.completeBaseName().toStdString();
        out.spec = specOf(contentOf(argument), argument);
    } else if (const Result<std::string> shipped = data::shippedScenario(argument)) {
        out.name = argument;
        out.spec = specOf(*shipped, argument);
    } else {
        // Of many names none is near: then the list is a command away.
        const bool helps = shipped.error().find("; ") != std::string::npos;
        throw Failure(Failure::request, argument + ": there is no such file and " + shipped.error() +
                                            (helps ? "" : "; 'alidade catalog list scenarios' lists them"));
    }
    for (const std::string& setting : settings)
        apply(out.spec, setting);
    return out;
}

std::shared_ptr<const Catalog> catalogFor(const CommonOptions& options,
                                          std::shared_ptr<const Catalog> catalog,
                                          const OpenedScenario& scenario) {
    if (scenario.workspace != nullptr) {
        data::CatalogLoad load = data::loadShippedCatalog();
        load.catalog = workspaceCatalog(load.catalog, scenario, options.shippedCatalog);
        catalog = withOption(std::move(load), options);
    }
    if (const auto& topology = scenario.spec.cluster.topology)
        noteInput(data::topologyFile(*topology, scenario.file));
    auto attached = data::attachTopology(std::move(catalog), scenario.spec, scenario.file);
    if (!attached)
        throw Failure(Failure::request, attached.error());
    return *std::move(attached);
}

std::vector<data::CustomValue> customValuesOf(const CommonOptions& options, const Catalog& catalog,
                                              const OpenedScenario* scenario) {
    const bool fromWorkspace = scenario != nullptr && scenario->workspace != nullptr;
    if (options.catalog.empty() && (!fromWorkspace || options.shippedCatalog))
        return {};
    return data::customValues(*data::loadShippedCatalog().catalog, catalog);
}

Profile openProfile(const CommonOptions& options, OpenedScenario& scenario, const Catalog& catalog) {
    const bool given = !options.calibration.empty();
    const std::string name = given ? options.calibration : scenario.spec.calibration.value_or("default");
    if (given)
        scenario.spec.calibration = name;
    if (name == "default")
        return catalog.defaultProfile;
    if (std::optional<Profile> kept = workspaceProfile(scenario, name))
        return *std::move(kept);
    // A path in a scenario is relative to the scenario's file.
    const QFileInfo beside(QFileInfo(toQString(scenario.file)).absolutePath() + u'/' + toQString(name));
    const bool absolute = QFileInfo(toQString(name)).isAbsolute();
    const std::string file = given || absolute ? name : beside.filePath().toStdString();
    const std::string place = given ? "--calibration" : scenario.file + ":/calibration";
    if (!QFileInfo::exists(toQString(file))) {
        throw Failure(Failure::request,
                      place + ": there is no profile '" + name + "'; use default or a profile's file");
    }
    const Result<nlohmann::json> document = data::parseJson(contentOf(file));
    if (!document)
        throw Failure(Failure::request, file + ": " + document.error());
    std::vector<data::JsonFault> faults;
    std::optional<Profile> profile = data::readProfile(*document, {}, faults);
    if (!profile)
        refuse(file, faults);
    return *std::move(profile);
}

void writeFile(const std::string& file, const std::string& content) {
    refuseOverInput(file);
    if (const std::string fault = data::writeFile(file, content, {.streams = true}); !fault.empty())
        throw Failure(Failure::environment, file + ": " + fault);
}

} // namespace alidade::cli
