// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cells.h"
#include "app/cli/commands.h"
#include "app/cli/fleet_page.h"
#include "app/cli/inputs.h"
#include "app/cli/interrupt.h"
#include "app/cli/json_parts.h"
#include "app/cli/messages.h"
#include "app/cli/page.h"
#include "app/cli/progress_line.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

struct FleetArguments {
    std::string file, out, routing = "least-loaded";
    bool replay = false, list = false;
    std::uint64_t requests = ReplayOptions{}.requests;
};

/// A file or the id of a shipped fleet.
data::FleetFile openFleet(const std::string& argument, const std::stop_token& stop) {
    std::string text;
    if (QFileInfo::exists(QString::fromStdString(argument)))
        text = contentOf(argument);
    else if (const Result<std::string> shipped = data::sampleFleet(argument))
        text = *shipped;
    else
        throw Failure(Failure::request, argument + ": there is no such file and " + shipped.error());
    data::FleetReading reading = data::readFleet(text, argument, stop);
    if (!reading.file)
        throw Failure(Failure::request, std::move(reading.faults));
    return *std::move(reading.file);
}

Routing routingOf(const std::string& word) {
    const std::vector<std::string> words{"least-loaded", "round-robin", "prefix-aware"};
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == word)
            return static_cast<Routing>(i);
    refuse("--routing", "unknown routing '" + word + "'" + didYouMean(word, words));
}

std::vector<ServiceReplay> replaysOf(const data::FleetFile& file, const FleetAnswer& answer,
                                     const Catalog& catalog, const Profile& profile,
                                     const FleetArguments& options, const std::stop_token& stop) {
    ReplayOptions replay{.routing = routingOf(options.routing), .requests = options.requests};
    std::vector<ServiceReplay> out;
    bool traces = false;
    for (std::size_t s = 0; s < file.traffic.size(); ++s) {
        const data::ServiceTraffic& traffic = file.traffic[s];
        traces = traces || traffic.trace;
        if (!traffic.trace || !answer.best)
            continue;
        ProgressLine line("Playing " + file.fleet.services[s].name + ": ");
        replay.scale = traffic.scale;
        replay.prefixCacheTokens = traffic.prefixCacheTokens;
        if (auto played = replayTrace(traffic.trace->trace, answer.best->services[s], catalog, profile,
                                      replay, stop, [&line](double share) { line.show(share); })) {
            out.push_back(*std::move(played));
        } else {
            warn(file.fleet.services[s].name + ": cannot be replayed: prefill and decode use separate pools, "
                                               "or a request draws several samples");
        }
    }
    if (!traces) {
        refuse("--replay", "no service of the fleet has a trace; give one as its traffic: "
                           "\"traffic\": {\"trace\": \"FILE\"}");
    }
    return out;
}

void runFleet(Call& call, const FleetArguments& options) {
    if (options.list != options.file.empty()) {
        throw Failure(Failure::request,
                      "fleet: needs one input; pass a fleet file or the id of a shipped fleet, or --list");
    }
    if (options.list) {
        listFleets(call);
        return;
    }
    if (!options.out.empty() && !options.out.ends_with(".json"))
        refuse("-o", "'" + options.out + "' must end in .json; name such a file");
    const auto catalog = openCatalog(call.common);
    const Interrupt interrupt;
    const data::FleetFile file = openFleet(options.file, interrupt.token());
    for (const data::ServiceTraffic& traffic : file.traffic) {
        if (!traffic.file.empty()) {
            noteInput(QFileInfo(QFileInfo(QString::fromStdString(options.file)).absolutePath() + u'/' +
                                QString::fromStdString(traffic.file))
                          .filePath()
                          .toStdString());
        }
    }
    OpenedScenario anyService{.file = options.file, .name = {}, .spec = file.fleet.services.front().spec};
    const Profile profile = openProfile(call.common, anyService, *catalog);
    const Result<FleetAnswer> answer = [&] {
        ProgressLine line("Planning: ");
        return planFleet(file.fleet, *catalog, profile, interrupt.token(),
                         [&line](double share) { line.show(share); });
    }();
    if (!answer)
        throw Failure(Failure::request, options.file + ":" + answer.error());
    std::vector<ServiceReplay> replays;
    if (options.replay)
        replays = replaysOf(file, *answer, *catalog, profile, options, interrupt.token());
    const std::string json = fleetJson(file, *answer, replays);
    if (!options.out.empty())
        writeFile(options.out, json);
    call.out = call.common.json ? json : fleetText(file, *answer, replays, call.terminal);
}

} // namespace

void listFleets(Call& call) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    data::Table table = cells::table({"Id", "Name"});
    for (const data::SampleFleet& fleet : data::sampleFleets()) {
        all.push_back({{"id", fleet.id}, {"name", fleet.name}});
        table.rows.push_back({words(fleet.id), words(fleet.name)});
    }
    call.out = call.common.json ? dumped(all) : tableText(std::move(table), call.terminal);
}

void addFleetCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<FleetArguments>();
    CLI::App* command = program.add_subcommand(
        "fleet", "Several services on shared pools: the smallest bill within all targets");
    command->add_option("FLEET", options->file, "Fleet file, or id of a shipped fleet");
    command->add_flag("--list", options->list, "The shipped fleets");
    command->add_flag("--replay", options->replay, "Play the traces of the services on the planned replicas");
    command->add_option("--routing", options->routing, "Of --replay: which replica gets a request")
        ->type_name("least-loaded|round-robin|prefix-aware")
        ->capture_default_str();
    command->add_option("--requests", options->requests, "Of --replay: the most requests of a service")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("-o", options->out, "Write the answer as JSON")->type_name("OUT.json");
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade fleet --list\n"
                    "  alidade fleet chat-reasoning-batch\n"
                    "  alidade fleet fleet.json --replay --routing prefix-aware --json -o plan.json");
    command->callback([&call, options] { call.action = [&call, options] { runFleet(call, *options); }; });
}

} // namespace alidade::cli
