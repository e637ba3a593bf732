// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_question.h"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace alidade::cli {

namespace {

SearchQuestion questionOf(const SearchArguments& options, const OpenedScenario& scenario,
                          const Catalog& catalog, const Profile& profile) {
    SearchQuestion out;
    out.base = scenario.spec;
    const auto add = [&out](const char* option, Result<FreeField> field) {
        if (!field)
            refuse(option, field.error());
        const bool twice =
            std::ranges::any_of(out.free, [&](const FreeField& f) { return f.path == field->path; });
        if (twice)
            refuse(option, field->path + " is free already; name it once");
        if (field->choices.empty())
            refuse(option, field->path + " has no value that is legal here");
        out.free.push_back(*std::move(field));
    };
    if (!options.machines.empty())
        add("--machine", freeMachines(out.base, catalog, options.machines));
    for (const std::string& each : options.free) {
        const std::size_t equals = each.find('=');
        add("--free", freeField(out.base, catalog, each.substr(0, equals),
                                equals == std::string::npos ? "" : each.substr(equals + 1)));
    }
    if (options.free.empty()) {
        for (FreeField& each : usualFreeFields(out.base, catalog)) {
            const auto fixed = [&each](const std::string& text) { return text.starts_with(each.path + "="); };
            if (std::ranges::none_of(options.fixed, fixed))
                out.free.push_back(std::move(each));
        }
    }
    for (const std::string& each : options.objectives) {
        const auto figure = searchObjective(out.base.workload, each);
        if (!figure)
            refuse("--objective", figure.error());
        out.objectives.push_back(*figure);
    }
    if (out.objectives.size() > 2)
        refuse("--objective", "a search has one or two objectives; make the others limits");
    const auto limit = [&](const char* option, const std::vector<std::string>& texts, bool atMost) {
        for (const std::string& each : texts) {
            const auto read = searchLimit(out.base.workload, each, atMost);
            if (!read)
                refuse(option, read.error());
            out.limits.push_back(*read);
        }
    };
    limit("--at-most", options.atMost, true);
    limit("--at-least", options.atLeast, false);
    out.robust = options.robust;
    out.top = options.top;
    completeQuestion(out, catalog, profile);
    if (const std::string wrong = wrongWith(out); !wrong.empty())
        refuse("--free", wrong);
    return out;
}

} // namespace

void addSearchArguments(CLI::App& command, SearchArguments& out) {
    command.add_option(
        "SCENARIO", out.scenario,
        "Scenario file, id of a shipped scenario, or WORKSPACE.alidade#name: the present plan");
    const auto repeated = [&command](const char* name, std::vector<std::string>& values, const char* what,
                                     const char* type) {
        command.add_option(name, values, what)->type_name(type)->allow_extra_args(false);
    };
    repeated(
        "--free", out.free,
        "A field to vary: all legal values, a list or a range; may be repeated. Without it: the degrees, "
        "and in training micro-batch and recomputation",
        "FIELD[=V,V|A..B]");
    repeated("--fix", out.fixed, "Set a field first, and keep it; may be repeated", "PATH=VALUE");
    command
        .add_option("--machine", out.machines,
                    "Instance types and UltraServers to compare, with the same number of GPUs")
        ->type_name("ID,ID|all");
    command
        .add_option("--objective", out.objectives,
                    "Figure to rank by, as in estimate --json; two give a Pareto front")
        ->type_name("FIGURE[,FIGURE]")
        ->delimiter(',')
        ->allow_extra_args(false);
    repeated("--at-most", out.atMost, "A limit on a figure; may be repeated", "FIGURE=VALUE");
    repeated("--at-least", out.atLeast, "A limit on a figure; may be repeated", "FIGURE=VALUE");
    command.add_flag("--robust", out.robust,
                     "Rank by the unfavorable end of the error band, which also has to fit");
    command.add_option("--top", out.top, "Plans to list")->type_name("N")->check(CLI::Range(1, 1000));
}

AskedSearch askedSearch(const Call& call, const SearchArguments& arguments) {
    AskedSearch out;
    const auto given = openCatalog(call.common);
    out.scenario = openScenario(arguments.scenario, arguments.fixed);
    out.catalog = catalogFor(call.common, given, out.scenario);
    out.profile = openProfile(call.common, out.scenario, *out.catalog);
    out.question = questionOf(arguments, out.scenario, *out.catalog, out.profile);
    return out;
}

} // namespace alidade::cli
