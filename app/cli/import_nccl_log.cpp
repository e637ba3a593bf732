// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/import_parts.h"
#include "data/import/nccl_log.h"
#include "data/json/writer.h"
#include "model/base/text.h"
#include "model/collectives/collective_op.h"
#include "model/units/format.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace alidade::cli {

namespace {

struct NcclOptions {
    std::vector<std::string> files;
    std::string out;
    data::NcclMachine known;
};

/// The catalog's words for a machine that the caller names: "h100-sxm" is "H100" in measurements.
data::NcclMachine completed(const CommonOptions& common, data::NcclMachine known, int& gpusOfInstance) {
    gpusOfInstance = 0;
    if (known.instance.empty())
        return known;
    const auto catalog = openCatalog(common);
    const Instance* instance = catalog->instance(known.instance);
    if (instance == nullptr) {
        std::vector<std::string> ids;
        std::ranges::transform(catalog->instances, std::back_inserter(ids), &Instance::id);
        throw Failure(Failure::request, "--instance: there is no instance type '" + known.instance + "'" +
                                            didYouMean(known.instance, ids));
    }
    gpusOfInstance = instance->gpus;
    if (known.gpu.empty()) {
        known.gpu = instance->gpu.substr(0, instance->gpu.find('-'));
        std::ranges::transform(known.gpu, known.gpu.begin(), [](char c) {
            return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        });
    }
    if (known.fabric.empty() && instance->nvlinkDomain > instance->gpus)
        known.fabric = "NVL" + std::to_string(instance->nvlinkDomain);
    return known;
}

std::string described(const data::NcclTable& table) {
    const auto best = std::ranges::max_element(table.points, {}, &data::NcclPoint::busBandwidth);
    const auto [least, most] = std::ranges::minmax_element(table.points, {}, &data::NcclPoint::bytes);
    std::string text = "  " + table.op + " of " + table.dtype + ", " + formatCount(table.ranks) + " ranks";
    text +=
        table.nodes == 0 ? "" : " on " + formatCount(table.nodes) + (table.nodes == 1 ? " node" : " nodes");
    text += table.gpu.empty() ? "" : " of " + table.gpu;
    text += table.ncclVersion.empty() ? "" : ", NCCL " + table.ncclVersion;
    text += "\n    " + formatCount(static_cast<std::int64_t>(table.points.size())) + " measurements from " +
            formatQuantity(least->bytes, Dimension::bytes) + " to " +
            formatQuantity(most->bytes, Dimension::bytes) + "; best " +
            formatQuantity(best->busBandwidth, Dimension::bytesPerSecond) + " on the bus at " +
            formatQuantity(best->bytes, Dimension::bytes) + "\n";
    for (const std::string& warning : table.warnings)
        text += "    " + warning + "\n";
    return text;
}

std::string describedLogs(const std::vector<data::NcclLog>& logs, const std::string& out) {
    std::string text;
    for (const data::NcclLog& log : logs) {
        text += log.fileName + "\n";
        for (const data::NcclTable& table : log.tables)
            text += described(table);
    }
    return text + (out.empty() ? "Write the rows with -o OUT, for alidade validate OUT.\n"
                               : "Wrote " + out + "\nUse it with alidade validate " + out + "\n");
}

std::string writtenJson(const std::vector<data::NcclLog>& logs, const std::string& out) {
    data::JsonWriter json;
    json.beginObject({});
    json.integer("alidade", 1);
    json.text("file", out);
    json.beginArray("tables");
    for (const data::NcclLog& log : logs) {
        for (const data::NcclTable& table : log.tables) {
            json.beginObject({});
            json.text("log", log.fileName);
            json.text("op", table.op);
            json.integer("gpus", table.ranks);
            json.integer("rows", static_cast<std::int64_t>(table.points.size()));
            json.endObject();
        }
    }
    json.endArray();
    json.endObject();
    return json.take();
}

void importNcclLogs(Call& call, const NcclOptions& options) {
    int gpusOfInstance = 0;
    const data::NcclMachine known = completed(call.common, options.known, gpusOfInstance);
    std::vector<data::NcclLog> logs;
    std::vector<std::string> faults;
    for (const std::string& file : options.files) {
        data::NcclReading reading = data::readNcclLog(contentOf(file), file, known);
        std::ranges::move(reading.faults, std::back_inserter(faults));
        for (data::NcclTable& table : reading.tables)
            if (table.nodes == 0 && gpusOfInstance > 0)
                table.nodes = (table.ranks + gpusOfInstance - 1) / gpusOfInstance;
        logs.push_back({file, std::move(reading.tables)});
    }
    if (!faults.empty())
        throw Failure(Failure::request, std::move(faults));
    const std::string rows = data::writeNcclRows(logs, known);
    if (!options.out.empty()) {
        writeFile(options.out, rows);
        call.out = call.common.json ? writtenJson(logs, options.out) : describedLogs(logs, options.out);
    } else {
        call.out = call.common.json ? rows : describedLogs(logs, {});
    }
}

} // namespace

void addImportNcclLog(CLI::App& command, Call& call) {
    const auto options = std::make_shared<NcclOptions>();
    CLI::App* log = command.add_subcommand("nccl-log", "Output of nccl-tests to rows for alidade validate");
    log->add_option(
           "FILE", options->files,
           "Output of all_reduce_perf and similar tests, with or without prefixes of mpirun and srun")
        ->required();
    log->add_option("-o,--out", options->out, "File of rows to write")->type_name("OUT");
    log->add_option("--instance", options->known.instance, "AWS type that the log was made on")
        ->type_name("TYPE");
    log->add_option("--gpu", options->known.gpu, "GPU that the log was made on, if it does not say so")
        ->type_name("GPU");
    log->add_option("--nodes", options->known.nodes, "Nodes that took part, if the log does not list them")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    log->add_option("--fabric", options->known.fabric, "Links in words: \"InfiniBand 400 Gb/s per GPU\"")
        ->type_name("WORDS");
    log->add_option("--op", options->known.op, "Collective, if the log does not name it")
        ->type_name("OP")
        ->check(
            CLI::IsMember(std::vector<std::string>(measuredCollectives.begin(), measuredCollectives.end())));
    addCommonOptions(*log, call.common);
    log->footer("Example:\n  alidade import nccl-log run.log --instance p5.48xlarge -o run.json");
    log->callback([&call, options] { call.action = [&call, options] { importNcclLogs(call, *options); }; });
}

} // namespace alidade::cli
