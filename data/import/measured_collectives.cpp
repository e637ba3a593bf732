// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/measured_collectives.h"

#include "data/json/reader.h"

#include <algorithm>

namespace alidade::data {

MeasuredCollectives readMeasuredCollectives(std::string_view text, const std::string& fileName,
                                            int gpusPerNode, bool acceptWrong) {
    MeasuredCollectives out;
    NcclReading reading = readNcclLog(text, fileName);
    out.faults = std::move(reading.faults);
    for (const NcclTable& table : reading.tables) {
        const auto op = collectiveOf(table.op);
        if (!op || !isMeasured(*op)) {
            addFault(out.faults, fileName + ":" + std::to_string(table.line) + ": '" + table.op +
                                     "' is not a supported collective; use " + measuredCollectivesText());
            continue;
        }
        const auto wrong = std::ranges::count_if(table.points, &NcclPoint::isWrong);
        if (wrong > 0 && !acceptWrong) {
            addFault(out.faults,
                     fileName + ":" + std::to_string(table.line) + ": " + std::to_string(wrong) + " of " +
                         std::to_string(table.points.size()) +
                         " measurements have wrong results, so the fabric is faulty; repeat the test "
                         "on healthy nodes, or pass --accept-wrong");
            continue;
        }
        MeasuredCollective& each = out.tables.emplace_back();
        each.log = fileName;
        each.op = *op;
        each.ranks = table.ranks;
        const int perNode = std::max(1, gpusPerNode);
        each.nodes = table.nodes > 0 ? table.nodes : (table.ranks + perNode - 1) / perNode;
        for (const NcclPoint& point : table.points)
            if (point.timeS > 0 && point.bytes > 0)
                each.points.push_back({point.bytes, point.timeS, point.inPlace});
    }
    if (out.tables.empty() && out.faults.empty())
        addFault(out.faults, fileName + ": no nccl-tests table found; use the complete output of a run");
    if (!out.faults.empty())
        out.tables.clear();
    return out;
}

} // namespace alidade::data
