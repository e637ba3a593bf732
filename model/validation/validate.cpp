// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/validate.h"

#include "model/validation/predict_row.h"
#include "model/validation/summaries.h"

#include <map>

namespace alidade {

namespace {

/// Rows of one group, kind of quantity and completeness share a weight of one.
void weigh(std::vector<ValidationRow>& rows) {
    const auto key = [](const ValidationRow& row) {
        const std::string kind = row.kind == RowKind::serving || row.kind == RowKind::run
                                     ? summaryQuantity(row)
                                 : row.kind == RowKind::reinforcement  ? row.quantity
                                 : row.quantity == "peak_memory_bytes" ? "memory"
                                 : row.quantity == "layer_time_s"      ? "layer"
                                                                       : "time";
        return kind + (row.complete ? " " : " incomplete ") + std::string(rowKindName(row.kind)) + "\n" +
               row.group;
    };
    std::map<std::string, int> count;
    for (const ValidationRow& row : rows)
        ++count[key(row)];
    for (ValidationRow& row : rows)
        row.weight = 1.0 / count[key(row)];
}

} // namespace

ValidationReport validate(const PublishedRows& published, const Catalog& catalog, const Profile& profile,
                          const ValidationProgress& progress) {
    constexpr std::size_t step = 16; // rows between two reports of progress
    const std::size_t all = published.training.size() + published.serving.size() +
                            published.collectives.size() + published.finetune.size() +
                            published.reinforcement.size() + published.runs.size();
    std::size_t done = 0;
    const auto tick = [&] {
        if (progress && ++done % step == 0)
            progress(done, all);
    };
    ValidationReport report;
    for (const PublishedTraining& row : published.training) {
        predictTraining(row, catalog, profile, report);
        tick();
    }
    for (const PublishedServing& row : published.serving) {
        predictServing(row, catalog, profile, report);
        tick();
    }
    for (const PublishedCollective& row : published.collectives) {
        predictCollectiveRow(row, catalog, profile, report);
        tick();
    }
    for (const PublishedTraining& row : published.finetune) {
        predictTraining(row, catalog, profile, report);
        tick();
    }
    for (const PublishedReinforcement& row : published.reinforcement) {
        predictReinforcement(row, catalog, profile, report);
        tick();
    }
    for (const PublishedRun& row : published.runs) {
        predictRun(row, catalog, profile, report);
        tick();
    }
    weigh(report.rows);
    report.summary = summarize(report.rows);
    if (progress)
        progress(all, all);
    return report;
}

} // namespace alidade
