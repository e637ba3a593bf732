// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/search_page.h"
#include "model/base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace alidade::cli {

namespace {

struct SearchArguments {
    std::string scenario;
    std::vector<std::string> free, fixed, objectives, atMost, atLeast;
    std::string machines;
    bool robust = false;
    std::size_t top = 10;
    int threads = 0;
    std::string out;
};

[[noreturn]] void refuse(const char* option, const std::string& why) {
    throw Failure(Failure::request, std::string(option) + ": " + why);
}

SearchQuestion questionOf(const SearchArguments& options, const OpenedScenario& scenario,
                          const Catalog& catalog, const Profile& profile) {
    SearchQuestion out;
    out.base = scenario.spec;
    const bool serving = out.base.workload.isServing();
    const auto add = [&out](const char* option, Result<FreeField> field) {
        if (!field) {
            refuse(option, field.error());
        }
        const bool twice =
            std::ranges::any_of(out.free, [&](const FreeField& f) { return f.path == field->path; });
        if (twice) {
            refuse(option, field->path + " is free already; name it once");
        }
        if (field->choices.empty()) {
            refuse(option, field->path + " has no value that is legal here");
        }
        out.free.push_back(*std::move(field));
    };
    if (!options.machines.empty()) {
        add("--machine", freeMachines(out.base, catalog, options.machines));
    }
    for (const std::string& each : options.free) {
        const std::size_t equals = each.find('=');
        add("--free", freeField(out.base, catalog, each.substr(0, equals),
                                equals == std::string::npos ? "" : each.substr(equals + 1)));
    }
    if (options.free.empty()) {
        for (FreeField& each : usualFreeFields(out.base, catalog)) {
            const auto fixed = [&each](const std::string& text) { return text.starts_with(each.path + "="); };
            if (std::ranges::none_of(options.fixed, fixed)) {
                out.free.push_back(std::move(each));
            }
        }
    }
    for (const std::string& each : options.objectives) {
        const auto figure = searchObjective(serving, each);
        if (!figure) {
            refuse("--objective", figure.error());
        }
        out.objectives.push_back(*figure);
    }
    if (out.objectives.size() > 2) {
        refuse("--objective", "a search has one or two objectives; make the others limits");
    }
    const auto limit = [&](const char* option, const std::vector<std::string>& texts, bool atMost) {
        for (const std::string& each : texts) {
            const auto read = searchLimit(serving, each, atMost);
            if (!read) {
                refuse(option, read.error());
            }
            out.limits.push_back(*read);
        }
    };
    limit("--at-most", options.atMost, true);
    limit("--at-least", options.atLeast, false);
    out.robust = options.robust;
    out.top = options.top;
    completeQuestion(out, catalog, profile);
    if (const std::string wrong = wrongWith(out); !wrong.empty()) {
        refuse("--free", wrong);
    }
    return out;
}

SearchResult searchWithProgress(const SearchQuestion& question, const Catalog& catalog,
                                const Profile& profile, int threads) {
    const Interrupt interrupt;
    const bool shows = ::isatty(STDERR_FILENO) != 0;
    const std::uint64_t plans = question.plans();
    std::atomic<int> shown{-1};
    const auto show = [&](std::uint64_t tried) {
        const int percent = static_cast<int>(100 * tried / plans);
        if (shows && shown.exchange(percent) != percent) {
            std::fprintf(stderr, "\r%3d %% of %s plans", percent,
                         formatCount(static_cast<std::int64_t>(plans)).c_str());
        }
    };
    SearchResult out =
        search(question, catalog, profile, {.threads = threads, .stop = interrupt.token(), .progress = show});
    if (shows) {
        std::fprintf(stderr, "\r%*s\r", 60, "");
    }
    return out;
}

void runSearch(Call& call, const SearchArguments& options) {
    const bool csv = options.out.ends_with(".csv");
    if (!options.out.empty() && !csv && !options.out.ends_with(".json")) {
        refuse("-o", "'" + options.out + "' must end in .json or .csv");
    }
    const auto given = openCatalog(call.common);
    OpenedScenario scenario = openScenario(options.scenario, options.fixed);
    const auto catalog = catalogFor(call.common, given, scenario);
    const Profile profile = openProfile(call.common, scenario, *catalog);
    SearchAnswer answer{.question = questionOf(options, scenario, *catalog, profile), .result = {}};
    const auto start = std::chrono::steady_clock::now();
    answer.result = searchWithProgress(answer.question, *catalog, profile, options.threads);
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!options.out.empty()) {
        writeFile(options.out, csv ? searchCsv(answer) : searchJson(answer));
    }
    call.out = call.common.json ? searchJson(answer) : searchText(answer, call.terminal);
}

} // namespace

void addSearchCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<SearchArguments>();
    CLI::App* command = program.add_subcommand("search", "The best plans out of all that are legal");
    command
        ->add_option("SCENARIO", options->scenario,
                     "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name: the present plan")
        ->required();
    const auto repeated = [command](const char* name, std::vector<std::string>& values, const char* what,
                                    const char* type) {
        command->add_option(name, values, what)->type_name(type)->allow_extra_args(false);
    };
    repeated(
        "--free", options->free,
        "A field to vary: all legal values, a list or a range; may be repeated. Without it: the degrees, "
        "and in training micro-batch and recomputation",
        "FIELD[=V,V|A..B]");
    repeated("--fix", options->fixed, "Set a field first, and keep it; may be repeated", "PATH=VALUE");
    command
        ->add_option("--machine", options->machines,
                     "Instance types and UltraServers to compare, with the same number of GPUs")
        ->type_name("ID,ID|all");
    command
        ->add_option("--objective", options->objectives,
                     "Figure to rank by, as in estimate --json; two give a Pareto front")
        ->type_name("FIGURE[,FIGURE]")
        ->delimiter(',')
        ->allow_extra_args(false);
    repeated("--at-most", options->atMost, "A limit on a figure; may be repeated", "FIGURE=VALUE");
    repeated("--at-least", options->atLeast, "A limit on a figure; may be repeated", "FIGURE=VALUE");
    command->add_flag("--robust", options->robust,
                      "Rank by the unfavourable end of the error band, which also has to fit");
    command->add_option("--top", options->top, "Plans to list")->type_name("N")->check(CLI::Range(1, 1000));
    command->add_option("--threads", options->threads, "Threads to search on")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command->add_option("-o,--output", options->out, "Also write the answer to this file (.json or .csv)")
        ->type_name("FILE");
    addCommonOptions(*command, call.common);
    command->footer(
        "Ctrl+C prints what was found so far.\n"
        "Examples:\n"
        "  alidade search llama-3.1-70b-64xp5.48xlarge\n"
        "  alidade search plan.json --machine all --objective cost.dollars_per_run,training.run_time_s\n"
        "  alidade search plan.json --free plan.tensor_parallel=1,2,4,8 --free plan.pipeline_parallel=1..16\n"
        "  alidade search service.json --at-most 'serving.ttft_s=500 ms' --fix plan.weights=fp8 --json");
    command->callback([&call, options] { call.action = [&call, options] { runSearch(call, *options); }; });
}

} // namespace alidade::cli
