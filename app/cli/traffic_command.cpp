// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/inputs.h"
#include "app/cli/interrupt.h"
#include "app/cli/messages.h"
#include "app/cli/observe.h"
#include "app/cli/progress_line.h"
#include "app/cli/traffic_page.h"
#include "data/json/file.h"
#include "model/units/parse.h"

#include <QFileInfo>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <memory>

namespace alidade::cli {

namespace {

struct TrafficArguments {
    std::string file, out;
    std::vector<std::string> cacheSizes;
    ObserveOptions observe;
};

std::vector<double> cacheSizesOf(const std::vector<std::string>& texts) {
    std::vector<double> out;
    for (const std::string& each : texts) {
        const Result<double> size = parseQuantity(each, Dimension::tokens);
        if (!size || !(*size >= 0)) {
            cli::refuse("--cache",
                        size ? "'" + each + "' is not a size; use tokens, such as 3M" : size.error());
        }
        out.push_back(*size);
    }
    std::sort(out.begin(), out.end());
    if (out.empty())
        return usualCacheSizes();
    out.push_back(std::numeric_limits<double>::infinity());
    return out;
}

/// A fleet's traffic where the file is one: a file that is larger than a fleet can be is a trace.
std::optional<data::FleetFile> fleetOf(const std::string& file, const std::stop_token& stop) {
    constexpr std::size_t largest = 16U << 20;
    std::string text;
    if (QFileInfo::exists(QString::fromStdString(file))) {
        const Result<std::string> content = data::readFile(file, largest);
        text = content ? *content : std::string();
    } else if (const Result<std::string> shipped = data::sampleFleet(file)) {
        text = *shipped;
    }
    if (!data::isFleet(text))
        return std::nullopt;
    data::FleetReading reading = data::readFleet(text, file, stop);
    if (!reading.file)
        throw Failure(Failure::request, std::move(reading.faults));
    return *std::move(reading.file);
}

data::TypedTraffic typed(const TraceStatistics& found, const RequestTrace& trace) {
    data::TypedTraffic out{.rates = profileOf(trace),
                           .inputTokens = found.input.mean,
                           .inputTokensCv = found.input.cv,
                           .outputTokens = found.output.mean,
                           .outputTokensCv = found.output.cv,
                           .prefixCacheHit = {},
                           .arrivalCv = std::min(10.0, found.arrivalCv)};
    if (!found.prefix.empty())
        out.prefixCacheHit = found.prefix[found.prefix.size() / 2].share;
    return out;
}

void showTrace(Call& call, const TrafficArguments& options, const std::stop_token& stop) {
    const Result<data::TraceReading> reading = [&] {
        ProgressLine line("Reading: ");
        return data::readTraceFile(options.file, stop, [&line](double share) { line.show(share); });
    }();
    if (!reading)
        throw Failure(Failure::request, reading.error());
    noteInput(options.file);
    const TraceStatistics found = statisticsOf(reading->trace, cacheSizesOf(options.cacheSizes), stop);
    if (!options.out.empty())
        writeFile(options.out, data::writeTraffic(typed(found, reading->trace)));
    call.out = call.common.json ? traceJson(*reading, found) : traceText(*reading, found, call.terminal);
}

void showObserved(Call& call, const TrafficArguments& options) {
    const Observed observed = Observer(options.observe).read(JobDefault::serving);
    const Result<ObservedTraffic> found = trafficOf(observed.observation);
    if (!found)
        throw Failure(Failure::environment, observed.observation.server + ": " + found.error());
    const data::TypedTraffic typed{.rates = found->rates,
                                   .inputTokens = found->inputTokens,
                                   .inputTokensCv = found->inputTokensCv,
                                   .outputTokens = found->outputTokens,
                                   .outputTokensCv = found->outputTokensCv,
                                   .prefixCacheHit = found->prefixCacheHit,
                                   .arrivalCv = {}};
    if (!options.out.empty())
        writeFile(options.out, data::writeTraffic(typed));
    call.out = call.common.json ? data::writeTraffic(typed)
                                : observedText(*found, observed.observation, call.terminal);
}

void runTraffic(Call& call, const TrafficArguments& options) {
    if (!options.out.empty() && !options.out.ends_with(".json"))
        cli::refuse("-o", "'" + options.out + "' must end in .json; name such a file");
    const bool live = options.observe.connection.given();
    if (live == !options.file.empty()) {
        throw Failure(Failure::request,
                      "traffic: needs one input; pass a trace, a fleet, or a server with --prometheus");
    }
    if (live) {
        showObserved(call, options);
        return;
    }
    const Interrupt interrupt;
    if (const auto fleet = fleetOf(options.file, interrupt.token())) {
        if (!options.out.empty())
            cli::refuse("-o", "writes the profile of a trace or of a server; a fleet has several");
        call.out = call.common.json ? fleetTrafficJson(*fleet) : fleetTrafficText(*fleet, call.terminal);
        return;
    }
    showTrace(call, options, interrupt.token());
}

} // namespace

void addTrafficCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<TrafficArguments>();
    options->observe.range.start = "-7d";
    CLI::App* command = program.add_subcommand(
        "traffic", "What a trace, a fleet or a server says about the traffic of a service");
    command->add_option("TRACE|FLEET", options->file,
                        "Trace in Mooncake JSON Lines, BurstGPT CSV or Azure CSV, or a fleet");
    command
        ->add_option("--cache", options->cacheSizes,
                     "Size of the prefix cache that hits are counted for; may be repeated")
        ->type_name("TOKENS")
        ->allow_extra_args(false);
    command
        ->add_option("-o", options->out,
                     "Write the traffic as a profile, for \"traffic\": {\"profile\": FILE} of a fleet")
        ->type_name("PROFILE.json");
    addObserveOptions(*command, options->observe);
    addCommonOptions(*command, call.common);
    command->footer("Examples:\n"
                    "  alidade traffic conversation_trace.jsonl --cache 3M\n"
                    "  alidade traffic --prometheus http://localhost:9090 --start -7d -o week.json");
    command->callback([&call, options] { call.action = [&call, options] { runTraffic(call, *options); }; });
}

} // namespace alidade::cli
