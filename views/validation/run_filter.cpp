// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_filter.h"

#include "model/catalog/catalog.h"
#include "model/validation/summaries.h"
#include "views/document/text.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>

namespace alidade::views {

namespace {

struct RunFilterTexts {
    Q_DECLARE_TR_FUNCTIONS(RunFilter)
};

/// Upper ends of the classes of GPU counts; the last is open.
constexpr std::array gpuCountEnds{1, 8, 64, 512, 2048};

int gpuCountClass(int gpus) {
    return static_cast<int>(std::ranges::lower_bound(gpuCountEnds, gpus) - gpuCountEnds.begin());
}

QString gpuCountLabel(int index) {
    const auto number = [](int value) { return quantity(value, Dimension::number); };
    const auto at = static_cast<std::size_t>(index);
    if (at >= gpuCountEnds.size())
        return RunFilterTexts::tr("over %1").arg(number(gpuCountEnds.back()));
    const int first = at == 0 ? 1 : gpuCountEnds[at - 1] + 1;
    return first == gpuCountEnds[at] ? number(first)
                                     : number(first) + QStringLiteral(" – ") + number(gpuCountEnds[at]);
}

/// In the order of the list; quantities that are not here follow by name.
constexpr std::array quantityOrder{"step_time_s",
                                   "tokens_per_s_per_gpu",
                                   "model_flops_per_s_per_gpu",
                                   "mfu",
                                   "layer_time_s",
                                   "peak_memory_bytes",
                                   "ttft_s",
                                   "tpot_s",
                                   "itl_s",
                                   "prefill_s",
                                   "e2e_s",
                                   "output_tokens_per_s",
                                   "output_tokens_per_s_per_gpu",
                                   "input_tokens_per_s",
                                   "input_tokens_per_s_per_gpu",
                                   "tokens_per_s_per_user",
                                   "itl_intercept_s",
                                   "itl_s_per_context_token",
                                   "time_s",
                                   "goodput",
                                   "restore_s",
                                   "checkpoint_s",
                                   "checkpoint_stall_s",
                                   "checkpoint_bytes",
                                   "storage_bytes_per_s",
                                   "power_w",
                                   "energy_j_per_output_token",
                                   "energy_kwh"};
constexpr std::size_t speedQuantities = 4; ///< how many of these are speeds of a training run
constexpr std::size_t memoryQuantity = 5, firstServingQuantity = 6, collectiveQuantity = 18,
                      firstRunQuantity = 19, firstEnergyQuantity = 25, allQuantities = quantityOrder.size();

std::size_t quantityPlace(const QString& name) {
    const auto at =
        std::ranges::find_if(quantityOrder, [&](const char* known) { return name == QLatin1String(known); });
    return static_cast<std::size_t>(at - quantityOrder.begin());
}

} // namespace

QString runFieldName(RunField field) {
    switch (field) {
    case RunField::gpu:
        return RunFilterTexts::tr("GPU");
    case RunField::family:
        return RunFilterTexts::tr("Family");
    case RunField::precision:
        return RunFilterTexts::tr("Precision");
    case RunField::framework:
        return RunFilterTexts::tr("Software");
    case RunField::source:
        return RunFilterTexts::tr("Source");
    case RunField::gpus:
        return RunFilterTexts::tr("GPUs");
    case RunField::model:
        return RunFilterTexts::tr("Model");
    }
    return {};
}

QString runFieldKey(const ValidationRow& row, RunField field) {
    switch (field) {
    case RunField::gpu:
        return text(row.gpu);
    case RunField::family:
        return text(row.family);
    case RunField::precision:
        return text(row.precision);
    case RunField::framework:
        return text(row.framework);
    case RunField::source:
        return text(row.sourceTitle);
    case RunField::gpus:
        return row.gpus > 0 ? QString::number(gpuCountClass(row.gpus)) : QString();
    case RunField::model:
        return text(row.model.empty() ? row.operation : row.model);
    }
    return {};
}

QString runFieldLabel(RunField field, const QString& key, const Catalog& catalog) {
    if (key.isEmpty())
        return RunFilterTexts::tr("not published");
    switch (field) {
    case RunField::gpu: {
        const Gpu* gpu = catalog.gpu(key.toStdString());
        if (gpu == nullptr)
            return key;
        // Boards and racks are told apart by the part; their names would fill the columns.
        static const QRegularExpression board(QStringLiteral(" SXM\\d?| \\(.*"));
        return text(gpu->name).remove(board);
    }
    case RunField::family:
        return key == QLatin1String("dense") ? RunFilterTexts::tr("Dense")
               : key == QLatin1String("moe") ? RunFilterTexts::tr("Mixture of experts")
                                             : key;
    case RunField::precision:
        return key.toUpper().replace(QLatin1String("_BLOCK"), RunFilterTexts::tr(" blocks"));
    case RunField::framework: {
        const Framework* framework = catalog.framework(key.toStdString());
        const Framework* software = framework != nullptr ? framework : catalog.engine(key.toStdString());
        return software != nullptr ? text(software->name) : key;
    }
    case RunField::gpus:
        return gpuCountLabel(key.toInt());
    case RunField::source:
    case RunField::model:
        return key;
    }
    return key;
}

QString quantityName(const QString& quantity) {
    if (quantity == allSpeeds)
        return RunFilterTexts::tr("Speed, as step time");
    const std::array names{RunFilterTexts::tr("Step time"),
                           RunFilterTexts::tr("Tokens/s per GPU"),
                           RunFilterTexts::tr("Model FLOP/s per GPU"),
                           RunFilterTexts::tr("MFU"),
                           RunFilterTexts::tr("Layer time"),
                           RunFilterTexts::tr("Peak memory"),
                           RunFilterTexts::tr("TTFT"),
                           RunFilterTexts::tr("TPOT"),
                           RunFilterTexts::tr("ITL"),
                           RunFilterTexts::tr("Prefill time"),
                           RunFilterTexts::tr("E2E"),
                           RunFilterTexts::tr("Output tokens/s"),
                           RunFilterTexts::tr("Output tokens/s per GPU"),
                           RunFilterTexts::tr("Input tokens/s"),
                           RunFilterTexts::tr("Input tokens/s per GPU"),
                           RunFilterTexts::tr("Tokens/s per user"),
                           RunFilterTexts::tr("ITL without context"),
                           RunFilterTexts::tr("ITL per context token"),
                           RunFilterTexts::tr("Collective time"),
                           RunFilterTexts::tr("Goodput"),
                           RunFilterTexts::tr("Restart and restore"),
                           RunFilterTexts::tr("Checkpoint time"),
                           RunFilterTexts::tr("Checkpoint stall"),
                           RunFilterTexts::tr("Checkpoint size"),
                           RunFilterTexts::tr("Storage rate"),
                           RunFilterTexts::tr("Power"),
                           RunFilterTexts::tr("Energy per output token, J"),
                           RunFilterTexts::tr("Energy of a run, kWh")};
    static_assert(std::tuple_size_v<decltype(names)> == quantityOrder.size());
    const std::size_t at = quantityPlace(quantity);
    return at < names.size() ? names[at] : QString(quantity).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString quantityGroup(const QString& quantity) {
    const std::size_t at = quantityPlace(quantity);
    return at >= firstEnergyQuantity && at < allQuantities      ? RunFilterTexts::tr("Energy")
           : at >= firstRunQuantity && at < allQuantities       ? RunFilterTexts::tr("Whole run")
           : at == collectiveQuantity                           ? RunFilterTexts::tr("Collectives")
           : at == memoryQuantity                               ? RunFilterTexts::tr("Memory")
           : quantity == allSpeeds || at < firstServingQuantity ? RunFilterTexts::tr("Training")
                                                                : RunFilterTexts::tr("Serving");
}

bool isSpeed(const ValidationRow& row) { return quantityPlace(text(row.quantity)) < speedQuantities; }

QString runKey(const ValidationRow& row) { return text(row.id) + QLatin1Char('/') + text(row.quantity); }

bool RunFilter::passes(const ValidationRow& row, std::optional<RunField> except) const {
    if (quantity == allSpeeds ? !isSpeed(row) : text(row.quantity) != quantity)
        return false;
    // Times of single layers are never judged; they are looked at for themselves.
    const bool kept = !judgedOnly || isJudged(row) || row.rowKind == "layer";
    if (!kept || (!ids.isEmpty() && !ids.contains(text(row.id))))
        return false;
    for (auto field = wanted.begin(); field != wanted.end(); ++field)
        if (field.key() != except && runFieldKey(row, field.key()) != field.value())
            return false;
    return true;
}

QList<RunChoice> choicesOf(const ValidationReport& report, const RunFilter& filter, RunField field,
                           const Catalog& catalog) {
    QHash<QString, std::pair<int, int>> counts; // of the filtered rows, of all rows
    for (const ValidationRow& row : report.rows) {
        auto& [passing, all] = counts[runFieldKey(row, field)];
        ++all;
        passing += filter.passes(row, field) ? 1 : 0;
    }
    QList<RunChoice> choices;
    for (auto each = counts.begin(); each != counts.end(); ++each)
        if (each->first > 0 || filter.wanted.value(field, QStringLiteral("-")) == each.key())
            choices.append({each.key(), runFieldLabel(field, each.key(), catalog), each->first});
    std::ranges::sort(choices, [&](const RunChoice& a, const RunChoice& b) {
        if (field == RunField::gpus)
            return a.key < b.key;
        const int ofA = counts[a.key].second, ofB = counts[b.key].second;
        return ofA != ofB ? ofA > ofB : a.label < b.label;
    });
    return choices;
}

QList<RunChoice> quantitiesOf(const ValidationReport& report, bool judgedOnly) {
    QHash<QString, int> counts;
    int speeds = 0;
    for (const ValidationRow& row : report.rows) {
        const RunFilter own{.quantity = text(row.quantity), .judgedOnly = judgedOnly};
        const int passing = own.passes(row) ? 1 : 0;
        counts[own.quantity] += passing;
        speeds += isSpeed(row) ? passing : 0;
    }
    QList<RunChoice> choices;
    for (auto each = counts.begin(); each != counts.end(); ++each)
        choices.append({each.key(), quantityName(each.key()), each.value()});
    std::ranges::sort(choices, {}, [](const RunChoice& c) { return std::pair(quantityPlace(c.key), c.key); });
    const bool several = std::ranges::count_if(choices, [](const RunChoice& c) {
                             return quantityPlace(c.key) < speedQuantities;
                         }) > 1;
    if (several)
        choices.prepend({allSpeeds, quantityName(allSpeeds), speeds});
    return choices;
}

std::vector<const ValidationRow*> rowsOf(const std::vector<ValidationRow>& all, const RunFilter& filter) {
    std::vector<const ValidationRow*> rows;
    for (const ValidationRow& row : all)
        if (filter.passes(row))
            rows.push_back(&row);
    return rows;
}

} // namespace alidade::views
