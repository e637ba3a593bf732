// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/predict_collective.h"
#include "model/validation/predict_row.h"
#include "model/validation/published_scenario.h"

namespace alidade {

void predictCollectiveRow(const PublishedCollective& row, const Catalog& catalog, const Profile& profile,
                          ValidationReport& report) {
    std::string why;
    const auto predicted = predictCollective(row, catalog, profile, &why);
    if (!predicted || predicted->measured <= 0) {
        report.skipped.push_back(
            {row.id, why.empty() ? "the source gives neither a time nor a bandwidth" : why});
        return;
    }
    ValidationRow out;
    out.id = row.id;
    out.quantity = "time_s";
    out.measured = predicted->measured;
    out.predicted = predicted->seconds;
    out.error = predicted->seconds / predicted->measured - 1;
    out.low = predicted->low;
    out.high = predicted->high;
    out.group = row.series;
    out.quality = row.quality;
    out.kind = RowKind::collective;
    out.gpu = publishedGpu(row.gpu, catalog);
    out.precision = row.dtype;
    out.framework = row.library;
    out.sourceTitle = row.source.title;
    out.sourceLocator = row.source.locator;
    out.sourceTable = row.source.table;
    out.sourceDate = row.source.date;
    out.notes = row.notes;
    out.gpus = row.gpus;
    out.nodes = row.nodes;
    out.operation = row.op;
    out.bytes = row.bytes.value_or(0);
    report.rows.push_back(std::move(out));
}

} // namespace alidade
