// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/validation/published_json.h"
#include "data/validation/repository_source.h"
#include "data/validation/row_fields.h"
#include "model/collectives/collective_op.h"

namespace alidade::data {
namespace {

PublishedExchange exchangeOf(ObjectReader row) {
    row.require({"ranks", "tokens_per_rank", "hidden", "topk", "mode"});
    PublishedExchange out;
    out.ranks = row.integer("ranks", 1, mostOfAnything).value_or(1);
    out.tokensPerRank = row.integer("tokens_per_rank", 0, mostOfAnything).value_or(0);
    out.hidden = row.integer("hidden", 1, mostOfAnything).value_or(1);
    out.perToken = row.integer("topk", 1, mostOfAnything).value_or(1);
    out.experts = row.integer("experts", 1, mostOfAnything);
    out.mode = textOr(row, "mode");
    out.multiprocessors = row.integer("sms", 0, mostOfAnything);
    row.finish();
    return out;
}

void readSystem(ObjectReader& row, PublishedCollective& out) {
    if (auto hardware = row.object("hardware")) {
        hardware->require({"gpu", "gpus"});
        out.gpu = textOr(*hardware, "gpu");
        out.nodes = hardware->integer("nodes", 1, mostOfAnything).value_or(1);
        out.gpus = hardware->integer("gpus", 1, mostOfAnything).value_or(1);
        out.instance = textOr(*hardware, "instance");
        out.fabric = textOr(*hardware, "fabric");
        hardware->finish();
    }
    if (auto library = row.object("library")) {
        out.library = textOr(*library, "name");
        out.libraryVersion = textOr(*library, "version");
        library->finish();
    }
}

} // namespace

std::optional<PublishedCollective> readCollectiveRow(ObjectReader& row) {
    const std::size_t before = faultCount(row.faults());
    row.require({"id", "series", "source", "hardware", "op", "quality"});
    PublishedCollective out;
    out.id = textOr(row, "id");
    out.series = textOr(row, "series");
    if (auto source = row.object("source"))
        out.source = repositorySource(std::move(*source));
    readSystem(row, out);
    std::vector<std::string> operations(measuredCollectives.begin(), measuredCollectives.end());
    operations.insert(operations.end(),
                      {"moe_dispatch", "moe_combine", "p2p_unidirectional", "p2p_bidirectional", "rdma_write",
                       "host_to_device", "device_to_host"});
    const auto operation = row.choice("op", operations);
    out.op = operation ? operations[*operation] : std::string();
    out.dtype = textOr(row, "dtype");
    out.bytes = scaled(row, "bytes", 1);
    out.timeS = scaled(row, "time_us", micro);
    out.algBandwidth = scaled(row, "algbw_gbs", giga);
    out.busBandwidth = scaled(row, "busbw_gbs", giga);
    out.inPlace = row.boolean("in_place");
    out.algo = textOr(row, "algo");
    out.proto = textOr(row, "proto");
    if (auto exchange = row.object("ep"))
        out.ep = exchangeOf(std::move(*exchange));
    out.bandwidth = scaled(row, "bandwidth_gbs", giga);
    out.bandwidthScope = textOr(row, "bandwidth_scope");
    row.allow("derived"); // names of what was computed from the time
    const std::vector<std::string> qualities = {"A", "B", "C"};
    const auto quality = row.choice("quality", qualities);
    out.quality = quality ? qualities[*quality] : std::string();
    out.notes = textOr(row, "notes");
    row.finish();
    return faultCount(row.faults()) == before ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace alidade::data
