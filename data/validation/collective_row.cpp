// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"
#include "data/validation/repository_source.h"

namespace alidade::data {
namespace {

constexpr int most = 100'000'000;
constexpr double micro = 1e-6, giga = 1e9;

std::string wordsOf(ObjectReader& from, std::string_view key) {
    return from.text(key).value_or(std::string());
}

std::optional<double> inUnits(ObjectReader& from, std::string_view key, double scale) {
    const auto number = from.number(key, {0, 1e30, {}});
    return number ? std::optional(*number * scale) : std::nullopt;
}

PublishedExchange exchangeOf(ObjectReader row) {
    row.require({"ranks", "tokens_per_rank", "hidden", "topk", "mode"});
    PublishedExchange out;
    out.ranks = row.integer("ranks", 1, most).value_or(1);
    out.tokensPerRank = row.integer("tokens_per_rank", 0, most).value_or(0);
    out.hidden = row.integer("hidden", 1, most).value_or(1);
    out.perToken = row.integer("topk", 1, most).value_or(1);
    out.experts = row.integer("experts", 1, most);
    out.mode = wordsOf(row, "mode");
    out.multiprocessors = row.integer("sms", 0, most);
    row.finish();
    return out;
}

void readSystem(ObjectReader& row, PublishedCollective& out) {
    if (auto hardware = row.object("hardware")) {
        hardware->require({"gpu", "gpus"});
        out.gpu = wordsOf(*hardware, "gpu");
        out.nodes = hardware->integer("nodes", 1, most).value_or(1);
        out.gpus = hardware->integer("gpus", 1, most).value_or(1);
        out.instance = wordsOf(*hardware, "instance");
        out.fabric = wordsOf(*hardware, "fabric");
        hardware->finish();
    }
    if (auto library = row.object("library")) {
        out.library = wordsOf(*library, "name");
        out.libraryVersion = wordsOf(*library, "version");
        library->finish();
    }
}

} // namespace

std::optional<PublishedCollective> readCollectiveRow(ObjectReader& row) {
    const std::size_t before = row.faults().size();
    row.require({"id", "series", "source", "hardware", "op", "quality"});
    PublishedCollective out;
    out.id = wordsOf(row, "id");
    out.series = wordsOf(row, "series");
    if (auto source = row.object("source")) {
        out.source = repositorySource(std::move(*source));
    }
    readSystem(row, out);
    const std::vector<std::string> operations = {"all_reduce",         "all_gather",        "reduce_scatter",
                                                 "alltoall",           "moe_dispatch",      "moe_combine",
                                                 "p2p_unidirectional", "p2p_bidirectional", "rdma_write",
                                                 "host_to_device",     "device_to_host"};
    const auto operation = row.choice("op", operations);
    out.op = operation ? operations[*operation] : std::string();
    out.dtype = wordsOf(row, "dtype");
    out.bytes = inUnits(row, "bytes", 1);
    out.timeS = inUnits(row, "time_us", micro);
    out.algBandwidth = inUnits(row, "algbw_gbs", giga);
    out.busBandwidth = inUnits(row, "busbw_gbs", giga);
    out.inPlace = row.boolean("in_place");
    out.algo = wordsOf(row, "algo");
    out.proto = wordsOf(row, "proto");
    if (auto exchange = row.object("ep")) {
        out.ep = exchangeOf(std::move(*exchange));
    }
    out.bandwidth = inUnits(row, "bandwidth_gbs", giga);
    out.bandwidthScope = wordsOf(row, "bandwidth_scope");
    row.allow("derived"); // names of what was computed from the time
    const std::vector<std::string> qualities = {"A", "B", "C"};
    const auto quality = row.choice("quality", qualities);
    out.quality = quality ? qualities[*quality] : std::string();
    out.notes = wordsOf(row, "notes");
    row.finish();
    return row.faults().size() == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
