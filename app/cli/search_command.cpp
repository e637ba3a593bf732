// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/progress_line.h"
#include "app/cli/report_file.h"
#include "app/cli/search_page.h"
#include "app/cli/search_question.h"
#include "app/cli/search_shard_file.h"
#include "data/validation/published_json.h"
#include "model/base/text.h"
#include "model/engine/engine.h"
#include "model/scenario/edit.h"
#include "model/scenario/scenario.h"
#include "model/search/findings.h"
#include "model/validation/nearest.h"
#include "model/validation/validate.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace alidade::cli {

namespace {

struct SearchOptionsTyped {
    SearchArguments arguments;
    int threads = 0;
    std::string shard;              ///< "I/N"; empty: the whole space
    std::vector<std::string> merge; ///< files of shards
    ReportOptions report;           ///< with the file of the answer, of whatever form
};

/// Tries the plans of a shard. Shows how far it is on a terminal; Ctrl+C ends it early.
SearchFindings shardWithProgress(const SearchQuestion& question, const Catalog& catalog,
                                 const Profile& profile, int threads, SearchShard shard) {
    const Interrupt interrupt;
    const std::uint64_t plans = std::max<std::uint64_t>(1, question.plans() / shard.of);
    ProgressLine line("", " of " + formatCount(static_cast<std::int64_t>(plans)) + " plans");
    const auto show = [&](std::uint64_t tried) {
        line.show(static_cast<double>(tried) / static_cast<double>(plans));
    };
    return searchShard(question, catalog, profile,
                       {.threads = threads, .shard = shard, .stop = interrupt.token(), .progress = show});
}

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void runShard(Call& call, const SearchOptionsTyped& options) {
    const SearchShard shard = searchShardOf(options.shard);
    if (!options.report.out.ends_with(".json"))
        refuse("--shard", "write what the shard finds to a file: -o FILE.json");
    const AskedSearch asked = askedSearch(call, options.arguments);
    const auto start = std::chrono::steady_clock::now();
    SearchShardFile file{
        .arguments = options.arguments,
        .shard = shard,
        .plans = asked.question.plans(),
        .seconds = 0,
        .findings = shardWithProgress(asked.question, *asked.catalog, asked.profile, options.threads, shard)};
    file.seconds = secondsSince(start);
    const std::string document = searchShardJson(file);
    writeFile(options.report.out, document);
    call.out = call.common.json
                   ? document
                   : options.report.out + ": shard " + options.shard + ", " +
                         formatCount(static_cast<std::int64_t>(file.findings.counts.total())) + " of " +
                         formatCount(static_cast<std::int64_t>(file.plans)) + " plans tried\n";
}

/// Reads the shards of one search. A Failure where they are not all there, or of different searches.
std::vector<SearchShardFile> shardsOf(const std::vector<std::string>& files) {
    std::vector<SearchShardFile> out;
    std::set<std::uint64_t> seen;
    for (const std::string& file : files) {
        out.push_back(readSearchShard(file));
        const SearchShardFile& first = out.front();
        const SearchShardFile& last = out.back();
        if (!(last.arguments == first.arguments) || last.plans != first.plans ||
            last.shard.of != first.shard.of) {
            refuse("--merge", file + " belongs to another search than " + files.front() +
                                  "; merge the shards of one search");
        }
        if (!seen.insert(last.shard.index).second) {
            refuse("--merge",
                   file + " is shard " + std::to_string(last.shard.index + 1) + " again; name each once");
        }
    }
    for (std::uint64_t i = 0; i < out.front().shard.of; ++i) {
        if (!seen.contains(i)) {
            refuse("--merge", "shard " + std::to_string(i + 1) + "/" + std::to_string(out.front().shard.of) +
                                  " is missing; name the files of all shards");
        }
    }
    return out;
}

SearchAnswer mergedAnswer(const AskedSearch& asked, const std::vector<SearchShardFile>& shards,
                          const std::vector<std::string>& files) {
    const bool same = asked.question.plans() == shards.front().plans;
    SearchFindings all(asked.question);
    double seconds = 0;
    for (std::size_t i = 0; i < shards.size(); ++i) {
        const std::string wrong =
            same ? wrongWith(shards[i].findings, asked.question, *asked.catalog, asked.profile)
                 : "the space has another size now";
        if (!wrong.empty())
            refuse("--merge", files[i] + ": " + wrong + "; run the shards again");
        all.add(shards[i].findings);
        seconds += shards[i].seconds;
    }
    SearchAnswer out{.question = asked.question, .result = {}, .seconds = seconds};
    out.result = searchAnswer(out.question, *asked.catalog, asked.profile, std::move(all));
    return out;
}

/// The report of the recommended plan, with the search that found it.
void writeReport(const Call& call, const AskedSearch& asked, const SearchAnswer& answer,
                 const ReportOptions& options, const data::ReportContext& context) {
    const auto& plan = answer.result.recommended;
    const auto spec = plan ? applyEdit(answer.question.base, plan->set) : std::nullopt;
    if (!spec) {
        throw Failure(Failure::request, options.out +
                                            ": no report was written: no plan of this space runs, fits "
                                            "and keeps the limits; see why with -o FILE.json");
    }
    OpenedScenario scenario = asked.scenario;
    scenario.spec = *spec;
    const auto found = estimate(scenario.spec, *asked.catalog, asked.profile, {.loadCurve = true});
    if (!found)
        throw Failure(Failure::request, scenario.file + ":" + found.error());
    data::ReportInput input = reportInput(call, scenario, *asked.catalog, asked.profile, *found,
                                          {.options = false, // the search has tried them
                                           .risks = context.sections.has("risks"),
                                           .assumptions = context.sections.has("assumptions")});
    input.search = std::make_shared<const SearchAnswer>(answer);
    writeReportFile(data::buildReport(std::span(&input, 1), context), options);
}

/// The published run most like a plan, in words. Predicts every published run, which takes about a second.
std::string nearestOf(const AskedSearch& asked, const FoundPlan& plan) {
    const auto spec = applyEdit(asked.question.base, plan.set);
    if (!spec)
        return {};
    const Catalog& catalog = *asked.catalog;
    return nearestRunText(validate(data::shippedPublished(), catalog, catalog.defaultProfile), *spec, catalog,
                          asked.profile);
}

void runSearch(Call& call, const SearchOptionsTyped& options) {
    if (options.merge.empty() && options.arguments.scenario.empty())
        refuse("search", "needs a SCENARIO, or the files of its shards with --merge");
    if (!options.merge.empty() && !(options.arguments == SearchArguments{} && options.shard.empty()))
        refuse("--merge", "takes the scenario and the options of the search from its files; name only these");
    if (!options.shard.empty()) {
        runShard(call, options);
        return;
    }
    const std::string& out = options.report.out;
    if (!out.empty() && !isReportFile(out))
        refuse("-o", "'" + out + "' must end in .json or .csv, or in .pdf, .html or .xlsx for a report");
    const bool reports = !out.empty() && !out.ends_with(".csv") && !out.ends_with(".json");
    const data::ReportContext context = reportContext(options.report); // a wrong option is told at once
    const std::vector<SearchShardFile> shards =
        options.merge.empty() ? std::vector<SearchShardFile>{} : shardsOf(options.merge);
    const AskedSearch asked =
        askedSearch(call, shards.empty() ? options.arguments : shards.front().arguments);
    SearchAnswer answer;
    if (!shards.empty()) {
        answer = mergedAnswer(asked, shards, options.merge);
    } else {
        const auto start = std::chrono::steady_clock::now();
        SearchFindings found =
            shardWithProgress(asked.question, *asked.catalog, asked.profile, options.threads, {});
        answer.question = asked.question;
        answer.result = searchAnswer(answer.question, *asked.catalog, asked.profile, std::move(found));
        answer.seconds = secondsSince(start);
    }
    if (answer.result.recommended)
        answer.nearest = nearestOf(asked, *answer.result.recommended);
    if (reports)
        writeReport(call, asked, answer, options.report, context);
    else if (!out.empty())
        writeFile(out, out.ends_with(".csv") ? searchCsv(answer) : searchJson(answer));
    call.out = call.common.json ? searchJson(answer) : searchText(answer, call.terminal);
}

} // namespace

void addSearchCommand(CLI::App& program, Call& call) {
    const auto options = std::make_shared<SearchOptionsTyped>();
    CLI::App* command = program.add_subcommand("search", "The best plans out of all that are legal");
    addSearchArguments(*command, options->arguments);
    command->add_option("--threads", options->threads, "Threads to search on")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command
        ->add_option("--shard", options->shard,
                     "Try only the I-th of N parts of the space, for --merge; with -o FILE.json")
        ->type_name("I/N");
    command
        ->add_option("--merge", options->merge,
                     "Join the files of all shards of a search to its answer, instead of a SCENARIO")
        ->type_name("FILE...")
        ->expected(1, static_cast<int>(mostShards));
    command
        ->add_option("-o,--output", options->report.out,
                     "Also write the answer to this file: .json or .csv; .pdf, .html or .xlsx: the report of "
                     "the recommended plan, with the search")
        ->type_name("FILE");
    addReportOptions(*command, options->report);
    addCommonOptions(*command, call.common);
    command->footer(
        "Ctrl+C prints what was found so far.\n"
        "Examples:\n"
        "  alidade search llama-3.1-70b-64xp5.48xlarge\n"
        "  alidade search plan.json --machine all --objective cost.dollars_per_run,training.run_time_s\n"
        "  alidade search plan.json --free plan.tensor_parallel=1,2,4,8 --free plan.pipeline_parallel=1..16\n"
        "  alidade search service.json --at-most 'serving.ttft_s=500 ms' --fix plan.weights=fp8 --json\n"
        "  alidade search plan.json --machine all -o offer.pdf --organization 'Example Ltd'\n"
        "  alidade search plan.json --machine all --shard 1/16 -o shard-1.json\n"
        "  alidade search --merge shard-*.json");
    command->callback([&call, options] { call.action = [&call, options] { runSearch(call, *options); }; });
}

} // namespace alidade::cli
