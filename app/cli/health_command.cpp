// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/health_reader.h"
#include "app/cli/messages.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace alidade::cli {

namespace {

void showHealth(Call& call, const HealthOptions& options) {
    const HealthAnswer answer = HealthReader(options, call.common).read();
    call.out = call.common.json ? healthJson(answer) : healthText(answer, call.terminal);
    call.status = answer.status();
    if (answer.unanswered > 0)
        warn(std::to_string(answer.unanswered) + " queries were not answered; findings may be missing");
}

} // namespace

void addHealthCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<HealthOptions>();
    CLI::App* command =
        program.add_subcommand("health", "Faults of a running cluster, from a Prometheus-compatible server");
    addHealthOptions(*command, *options);
    addCommonOptions(*command, call.common);
    command->footer(
        "Exit status: 0 nothing at or above --fail-on, 3 findings, 1 no answer or no data, 2 wrong request.\n"
        "Without --job and --all: the only training job, else the only serving one, else everything.\n"
        "Examples:\n"
        "  alidade health --prometheus http://prometheus:9090 --start -2h\n"
        "  alidade health --prometheus http://prometheus:9090 --all\n"
        "  alidade health --prometheus http://prometheus:9090 --job llama --fail-on soon --json");
    command->callback([&call, options] { call.action = [&call, options] { showHealth(call, *options); }; });
}

} // namespace alidade::cli
