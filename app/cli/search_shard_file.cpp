// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/search_shard_file.h"

#include "app/cli/json_parts.h"
#include "app/cli/session.h"
#include "data/json/gate.h"
#include "data/json/reader.h"
#include "data/search/search_counts.h"

#include <charconv>
#include <cmath>
#include <optional>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kind = "search_shard";

Json rankedJson(const std::vector<RankedPlan>& plans) {
    Json out = Json::array();
    for (const RankedPlan& each : plans) {
        out.push_back(
            {{"index", each.index}, {"scores", {each.scores[0], each.scores[1]}}, {"changes", each.changes}});
    }
    return out;
}

/// Two numbers; faults where they are not.
std::array<double, 2> pairOf(data::ObjectReader& reader, std::string_view key) {
    const nlohmann::json* value = reader.value(key);
    if (value && value->is_array() && value->size() == 2 && value->at(0).is_number() &&
        value->at(1).is_number()) {
        return {value->at(0).get<double>(), value->at(1).get<double>()};
    }
    reader.fault(key, "must be a list of two numbers");
    return {};
}

RankedPlan rankedPlan(data::ObjectReader& reader) {
    RankedPlan plan;
    reader.require({"index", "scores", "changes"});
    plan.index = data::countOf(reader, "index");
    plan.scores = pairOf(reader, "scores");
    plan.changes = reader.integer("changes", 0, 1000).value_or(0);
    return plan;
}

std::vector<RankedPlan> rankedPlans(data::ObjectReader& reader, std::string_view key) {
    std::vector<RankedPlan> out;
    for (data::ObjectReader& each : reader.objects(key)) {
        out.push_back(rankedPlan(each));
        each.finish();
    }
    return out;
}

SearchArguments argumentsOf(data::ObjectReader& reader) {
    SearchArguments out;
    reader.require({"scenario"});
    out.scenario = reader.text("scenario").value_or("");
    out.free = reader.texts("free");
    out.fixed = reader.texts("fix");
    out.objectives = reader.texts("objective");
    out.atMost = reader.texts("at_most");
    out.atLeast = reader.texts("at_least");
    out.machines = reader.text("machine").value_or("");
    out.robust = reader.boolean("robust").value_or(false);
    out.top = static_cast<std::size_t>(reader.integer("top", 1, 1000).value_or(10));
    reader.finish();
    return out;
}

SearchFindings findingsOf(data::ObjectReader& reader, std::size_t top) {
    SearchQuestion question;
    question.top = top;
    SearchFindings out(question);
    reader.require({"counts", "better", "best", "front", "rejected", "sample", "of_choice", "fewest"});
    out.counts = data::countsOf(reader);
    out.better = data::countOf(reader, "better");
    for (const RankedPlan& each : rankedPlans(reader, "best"))
        out.best.add(each);
    for (const RankedPlan& each : rankedPlans(reader, "front"))
        out.front.add(each);
    for (data::ObjectReader& each : reader.objects("rejected")) {
        each.require({"why", "count", "index"});
        out.rejected.add({.why = each.text("why").value_or(""),
                          .count = data::countOf(each, "count"),
                          .index = data::countOf(each, "index"),
                          .example = {}});
        each.finish();
    }
    for (data::ObjectReader& each : reader.objects("sample")) {
        each.require({"values", "index"});
        out.sample.add({pairOf(each, "values"), data::countOf(each, "index")});
        each.finish();
    }
    // Choices of a question: far fewer than this, which keeps a wrong file from taking the memory.
    constexpr std::int64_t mostChoices = 1'000'000;
    for (data::ObjectReader& each : reader.objects("of_choice")) {
        each.require({"at"});
        const auto at = each.integer("at", 0, mostChoices);
        out.ofChoice.put(static_cast<std::size_t>(at.value_or(0)), rankedPlan(each));
        each.finish();
    }
    for (data::ObjectReader& each : reader.objects("fewest")) {
        each.require({"gpus"});
        FewestMachines::add(out.fewest,
                            {each.number("gpus", {0, data::mostExact, {}}).value_or(0), rankedPlan(each)});
        each.finish();
    }
    reader.finish();
    return out;
}

} // namespace

std::string searchShardJson(const SearchShardFile& shard) {
    const SearchArguments& asked = shard.arguments;
    const SearchFindings& found = shard.findings;
    Json rejected = Json::array();
    RejectionList all = found.rejected;
    all.add(found.missed);
    for (const Rejection& each : all.sorted())
        rejected.push_back({{"why", each.why}, {"count", each.count}, {"index", each.index}});
    Json sample = Json::array();
    for (const SampledPlan& each : found.sample.plans())
        sample.push_back({{"index", each.index}, {"values", {each.values[0], each.values[1]}}});
    Json ofChoice = Json::array(), fewest = Json::array();
    for (std::size_t at = 0; at < found.ofChoice.plans().size(); ++at) {
        if (const auto& plan = found.ofChoice.plans()[at]) {
            Json each = rankedJson({*plan}).front();
            each["at"] = at;
            ofChoice.push_back(std::move(each));
        }
    }
    if (found.fewest) {
        fewest = rankedJson({found.fewest->plan});
        fewest.front()["gpus"] = found.fewest->gpus;
    }
    const Json out = {{"alidade", 1},
                      {"kind", kind},
                      {"shard", std::to_string(shard.shard.index + 1) + "/" + std::to_string(shard.shard.of)},
                      {"plans", shard.plans},
                      {"seconds", shard.seconds},
                      {"search",
                       {{"scenario", asked.scenario},
                        {"free", asked.free},
                        {"fix", asked.fixed},
                        {"machine", asked.machines},
                        {"objective", asked.objectives},
                        {"at_most", asked.atMost},
                        {"at_least", asked.atLeast},
                        {"robust", asked.robust},
                        {"top", asked.top}}},
                      {"findings",
                       {{"counts", data::countsJson(found.counts)},
                        {"better", found.better},
                        {"best", rankedJson(found.best.sorted())},
                        {"front", rankedJson(found.front.plans())},
                        {"rejected", std::move(rejected)},
                        {"sample", std::move(sample)},
                        {"of_choice", std::move(ofChoice)},
                        {"fewest", std::move(fewest)}}}};
    return dumped(out);
}

SearchShardFile readSearchShard(const std::string& file) {
    constexpr std::size_t mostBytes = 64U << 20;
    const auto document = data::parseJson(contentOf(file, mostBytes), {.bytes = mostBytes});
    if (!document)
        throw Failure(Failure::request, file + ": " + document.error());
    std::vector<data::JsonFault> faults;
    SearchQuestion none;
    SearchShardFile out{.arguments = {}, .shard = {}, .findings = SearchFindings(none)};
    data::ObjectReader reader(*document, "", faults);
    reader.require({"alidade", "kind", "shard", "plans", "search", "findings"});
    (void)reader.integer("alidade", 1, 1);
    if (const auto is = reader.text("kind"); is && *is != kind) {
        reader.fault("kind", "is '" + *is +
                                 "'; a file that 'alidade search --shard I/N -o FILE' wrote has '" + kind +
                                 "'");
    }
    const std::string shard = reader.text("shard").value_or("1/1");
    out.plans = data::countOf(reader, "plans");
    out.seconds = reader.number("seconds", {0, data::mostExact, {}}).value_or(0);
    if (auto search = reader.object("search"))
        out.arguments = argumentsOf(*search);
    if (auto findings = reader.object("findings"))
        out.findings = findingsOf(*findings, out.arguments.top);
    reader.finish();
    if (!faults.empty()) {
        std::vector<std::string> lines;
        data::addFaults(lines, file, faults);
        throw Failure(Failure::request, std::move(lines));
    }
    out.shard = searchShardOf(shard);
    return out;
}

SearchShard searchShardOf(const std::string& text) {
    std::uint64_t number = 0, of = 0;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, number);
    const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
    const auto second = slash ? std::from_chars(first.ptr + 1, end, of) : first;
    if (!slash || second.ec != std::errc() || second.ptr != end || number < 1 || number > of ||
        of > mostShards) {
        throw Failure(Failure::request, "--shard: '" + text +
                                            "' is not I/N, such as 1/4: I from 1 to N, N up to " +
                                            std::to_string(mostShards));
    }
    return {number - 1, of};
}

} // namespace alidade::cli
