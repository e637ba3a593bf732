// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/nccl_log.h"
#include "data/json/json.h"

#include <cmath>
#include <filesystem>
#include <set>

namespace alidade::data {

namespace {

using Row = nlohmann::ordered_json;

Row wordOrNull(const std::string& word) { return word.empty() ? Row(nullptr) : Row(word); }

/// Returns an unused name: "x", "x-2", ...
std::string freeName(const std::string& wish, std::set<std::string>& taken) {
    std::string name = wish;
    for (int i = 2; !taken.insert(name).second; ++i)
        name = wish + "-" + std::to_string(i);
    return name;
}

std::string sentences(const NcclTable& table) {
    std::string out;
    for (const std::string& warning : table.warnings)
        out += (out.empty() ? "" : " ") + warning;
    return out;
}

Row hardwareOf(const NcclTable& table, const NcclMachine& known) {
    return {{"gpu", table.gpu.empty() ? "unknown" : table.gpu},
            {"nodes", table.nodes == 0 ? Row(nullptr) : Row(table.nodes)},
            {"gpus", table.ranks},
            {"instance", wordOrNull(known.instance)},
            {"fabric", wordOrNull(known.fabric)}};
}

/// Adds the values in the units of their keys; a value that the log rounds to 0.00 is kept as printed.
void addPoint(Row& row, const NcclPoint& point) {
    constexpr double perMicro = 1e6, perGiga = 1e9;
    const auto printed = [](double value) { return std::round(value * 1e4) / 1e4; }; // undoes the scaling
    row["bytes"] = static_cast<std::int64_t>(point.bytes);
    row["time_us"] = printed(point.timeS * perMicro);
    row["algbw_gbs"] = printed(point.algBandwidth / perGiga);
    row["busbw_gbs"] = printed(point.busBandwidth / perGiga);
    row["in_place"] = point.inPlace;
    const bool right = point.wrong.empty() || point.wrong == "0" || point.wrong == "N/A";
    row["quality"] = right ? "A" : "C";
}

} // namespace

std::string writeNcclRows(const std::vector<NcclLog>& logs, const NcclMachine& known) {
    std::string out = "[";
    std::set<std::string> series, ids;
    for (const NcclLog& log : logs) {
        const std::filesystem::path path(log.fileName);
        for (const NcclTable& table : log.tables) {
            const bool alone = log.tables.size() == 1;
            const std::string name = freeName(path.stem().string() + (alone ? "" : "-" + table.op), series);
            const std::string notes = sentences(table);
            for (const NcclPoint& point : table.points) {
                const auto bytes = static_cast<std::int64_t>(point.bytes);
                Row row;
                row["id"] =
                    freeName(name + "-" + std::to_string(bytes) + (point.inPlace ? "-in-place" : ""), ids);
                row["series"] = name;
                row["source"] = {{"title", path.filename().string()},
                                 {"table", "line " + std::to_string(table.line)}};
                row["hardware"] = hardwareOf(table, known);
                row["library"] = {
                    {"name", "nccl-tests"},
                    {"version", table.ncclVersion.empty() ? Row(nullptr) : Row("NCCL " + table.ncclVersion)}};
                row["op"] = table.op;
                row["dtype"] = wordOrNull(table.dtype);
                addPoint(row, point);
                row["notes"] = wordOrNull(notes);
                out += (out.size() == 1 ? "\n  " : ",\n  ") +
                       row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
            }
        }
    }
    return out + "\n]\n";
}

} // namespace alidade::data
