// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_text.h"

#include "model/catalog/catalog.h"
#include "model/estimate/error_band.h"
#include "model/scenario/fields.h"
#include "model/validation/summaries.h"
#include "views/document/text.h"
#include "views/validation/run_filter.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

struct RunTexts {
    Q_DECLARE_TR_FUNCTIONS(RunText)
};

constexpr int cardSourceLength = 64; // characters of a title that a card has room for

QString shortened(const QString& words, int most) {
    return words.size() <= most ? words : words.left(most - 1).trimmed() + QStringLiteral("…");
}

/// "FP8"; element types of collectives stay as they are: "float".
QString precisionText(const ValidationRow& row, const Catalog& catalog) {
    return row.scenario ? runFieldLabel(RunField::precision, text(row.precision), catalog)
                        : text(row.precision);
}

/// A label inside a sentence: "micro-batch", yet "KV cache".
QString inSentence(const QString& label) {
    const bool isAcronym = label.size() > 1 && label[1].isUpper();
    return isAcronym ? label : label.left(1).toLower() + label.mid(1);
}

/// "TP 8" for each degree above 1.
template <class Degrees>
QStringList degreeTexts(const Degrees& plan) {
    QStringList parts;
    const std::pair<QString, std::optional<std::int64_t>> degrees[] = {
        {QStringLiteral("TP"), plan.tensorParallel},
        {QStringLiteral("PP"), plan.pipelineParallel},
        {QStringLiteral("EP"), plan.expertParallel},
        {RunTexts::tr("attention DP"), plan.attentionDataParallel}};
    for (const auto& [name, degree] : degrees)
        if (degree.value_or(1) > 1)
            parts.append(name + QLatin1Char(' ') + QString::number(*degree));
    return parts;
}

/// "TP 4, EP 4, 2 replicas, 1,024 in, 1,024 out, 64 at once"
QString servingLayoutText(const ScenarioSpec& spec) {
    const PlanSpec& plan = spec.plan;
    const WorkloadSpec& workload = spec.workload;
    QStringList parts = degreeTexts(plan);
    const auto number = [](double value) {
        return quantity(value, Dimension::number, {.significant = 3, .trimZeros = true});
    };
    const auto pool = [&](const QString& name, const PoolSpec& spec) {
        if (spec.workers)
            parts.append(QStringLiteral("%1 %2 × %3")
                             .arg(name, number(static_cast<double>(*spec.workers)),
                                  degreeTexts(spec).join(QLatin1Char(' '))));
    };
    pool(RunTexts::tr("prefill"), plan.disaggregated.prefill);
    pool(RunTexts::tr("decode"), plan.disaggregated.decode);
    if (plan.dataParallel.value_or(1) > 1)
        parts.append(RunTexts::tr("%1 replicas").arg(*plan.dataParallel));
    if (workload.phase && *workload.phase != "both")
        parts.append(RunTexts::tr("%1 only").arg(text(*workload.phase)));
    if (workload.inputTokens)
        parts.append(RunTexts::tr("%1 in").arg(number(*workload.inputTokens)));
    if (workload.outputTokens)
        parts.append(RunTexts::tr("%1 out").arg(number(*workload.outputTokens)));
    if (workload.concurrency)
        parts.append(RunTexts::tr("%1 at once").arg(number(*workload.concurrency)));
    if (workload.requestRatePerS)
        parts.append(RunTexts::tr("%1 requests/s").arg(number(*workload.requestRatePerS)));
    return parts.join(QStringLiteral(", "));
}

Cell plainCell(const QString& words) { return {.text = words, .value = {}, .bound = {}}; }

Cell numberCell(const QString& words, double value) {
    return std::isfinite(value) ? Cell{.text = words, .value = value, .bound = {}}
                                : plainCell(QStringLiteral("–"));
}

} // namespace

QString amountText(const ValidationRow& row, double amount) {
    const Dimension dimension = dimensionOf(row);
    return quantity(amount, dimension, {.fixed = glanceUnit(dimension, row.measured)});
}

QString bandText(const ValidationRow& row) {
    if (!(row.high > row.low))
        return {};
    const Dimension dimension = dimensionOf(row);
    const FormatOptions options{.fixed = glanceUnit(dimension, row.measured)};
    return text(formatParts(row.low, dimension, options).number) + QStringLiteral(" – ") +
           amountText(row, row.high);
}

Dimension dimensionOf(const ValidationRow& row) {
    const std::string_view name = row.quantity;
    if (name == "mfu" || name == "goodput")
        return Dimension::ratio;
    if (name == "power_w")
        return Dimension::watts;
    if (name == "storage_bytes_per_s")
        return Dimension::bytesPerSecond;
    if (name.ends_with("_bytes"))
        return Dimension::bytes;
    if (name.find("flops_per_s") != name.npos)
        return Dimension::flopPerSecond;
    if (name.find("tokens_per_s") != name.npos)
        return Dimension::tokensPerSecond;
    return name.ends_with("_s") || name == "itl_s_per_context_token" ? Dimension::seconds : Dimension::number;
}

double errorAsTime(const ValidationRow& row) { return asTime(row).error; }

QString percentNumber(double share, bool withSign) {
    const double percent = 100 * share;
    if (!std::isfinite(percent))
        return QStringLiteral("–");
    // Two digits are all that such figures are good for.
    QString number = QString::number(std::abs(percent), 'f', std::abs(percent) < 9.95 ? 1 : 0);
    const bool isZero = number.toDouble() == 0;
    if (percent < 0 && !isZero)
        number.prepend(QChar(0x2212));
    else if (withSign && !isZero)
        number.prepend(QLatin1Char('+'));
    return number;
}

QString errorText(double error) { return percentNumber(error, true) + QStringLiteral(" %"); }
QString shareText(double share) { return percentNumber(share, false) + QStringLiteral(" %"); }

QString subjectText(const ValidationRow& row) {
    if (!row.model.empty())
        return text(row.model);
    if (row.operation.empty())
        return text(row.id);
    const QString operation = text(row.operation).replace(QLatin1Char('_'), QLatin1Char('-'));
    return row.bytes > 0 ? operation + QLatin1Char(' ') +
                               quantity(row.bytes, Dimension::bytes, {.binary = true, .trimZeros = true})
                         : operation;
}

QString runTitle(const ValidationRow& row, const Catalog& catalog) {
    QStringList parts{subjectText(row)};
    const QString gpu = runFieldLabel(RunField::gpu, text(row.gpu), catalog);
    if (row.gpus > 0)
        parts.append(RunTexts::tr("%1 × %2").arg(quantity(row.gpus, Dimension::number), gpu));
    else
        parts.append(gpu);
    if (!row.precision.empty())
        parts.append(precisionText(row, catalog));
    return parts.join(QStringLiteral(", "));
}

QString layoutText(const ValidationRow& row) {
    if (!row.scenario)
        return row.nodes > 0 ? counted(row.nodes, RunTexts::tr("node"), RunTexts::tr("nodes")) : QString();
    if (row.kind == RowKind::serving)
        return servingLayoutText(*row.scenario);
    const PlanSpec& plan = row.scenario->plan;
    QStringList parts;
    const auto degree = [&](const char* name, const std::optional<std::int64_t>& value) {
        if (value && *value > 1)
            parts.append(QLatin1String(name) + QLatin1Char(' ') + QString::number(*value));
    };
    degree("TP", plan.tensorParallel);
    degree("CP", plan.contextParallel);
    degree("PP", plan.pipelineParallel);
    degree("VPP", plan.virtualPipeline);
    degree("EP", plan.expertParallel);
    degree("DP", plan.dataParallel);
    if (plan.sharding && *plan.sharding != "none")
        parts.append(text(*plan.sharding));
    if (row.scenario->workload.globalBatch)
        parts.append(
            RunTexts::tr("batch %1")
                .arg(quantity(static_cast<double>(*row.scenario->workload.globalBatch), Dimension::number)));
    if (plan.microBatch)
        parts.append(RunTexts::tr("micro-batch %1").arg(*plan.microBatch));
    if (plan.recompute)
        for (const std::string& what : *plan.recompute)
            parts.append(RunTexts::tr("recompute %1").arg(text(what)));
    return parts.join(QStringLiteral(", "));
}

QString placeText(const ValidationRow& row) {
    QStringList parts;
    if (!row.sourceTable.empty())
        parts.append(text(row.sourceTable));
    if (!row.sourceRow.empty())
        parts.append(RunTexts::tr("row %1").arg(text(row.sourceRow)));
    if (!row.sourceDate.empty())
        parts.append(text(row.sourceDate));
    return parts.join(QStringLiteral(", "));
}

QString assumedText(const ValidationRow& row) {
    QStringList parts;
    for (const std::string& path : row.assumed) {
        const Field* field = findField(path);
        const QString last = text(path).section(QLatin1Char('.'), -1);
        parts.append(field != nullptr ? inSentence(text(field->label))
                                      : QString(last).replace(QLatin1Char('_'), QLatin1Char(' ')));
    }
    return parts.join(QStringLiteral(", "));
}

CardContent runCard(const ValidationRow& row, const Catalog& catalog, bool asTimes) {
    CardContent card;
    card.title = runTitle(row, catalog);
    const QString layout = layoutText(row);
    card.rows.append(
        {RunTexts::tr("Run"), layout.isEmpty() ? text(row.id) : shortened(layout, cardSourceLength)});
    card.rows.append({RunTexts::tr("Measured"), amountText(row, row.measured)});
    const QString band = bandText(row);
    card.rows.append({RunTexts::tr("Predicted"),
                      amountText(row, row.predicted) + QStringLiteral(", ") + errorText(row.error) +
                          (asTimes && dimensionOf(row) != Dimension::seconds
                               ? RunTexts::tr(", step time %1").arg(errorText(errorAsTime(row)))
                               : QString()) +
                          (band.isEmpty() ? QString() : QStringLiteral(" (") + band + QLatin1Char(')'))});
    const QString place = placeText(row);
    card.rows.append({RunTexts::tr("Source"),
                      shortened(place.isEmpty() ? text(row.sourceTitle)
                                                : place + QStringLiteral(", ") + text(row.sourceTitle),
                                cardSourceLength)});
    if (!row.assumed.empty())
        card.rows.append({RunTexts::tr("Assumed"), shortened(assumedText(row), cardSourceLength)});
    return card;
}

RunTable runTable(const std::vector<const ValidationRow*>& rows, const Catalog& catalog, bool asTimes) {
    const bool oneQuantity =
        std::ranges::all_of(rows, [&](const ValidationRow* r) { return r->quantity == rows[0]->quantity; });
    double largest = 0, smallest = INFINITY;
    for (const ValidationRow* row : rows) {
        largest = std::max(largest, row->measured);
        smallest = std::min(smallest, row->measured);
    }
    // One unit for the column where its numbers then stay readable.
    const bool oneUnit = oneQuantity && !rows.empty() && largest < 1e4 * smallest;
    const Dimension dimension = rows.empty() ? Dimension::number : dimensionOf(*rows[0]);
    const ScaledUnit unit = chooseUnit(dimension, largest);
    const QString suffix = oneUnit ? QStringLiteral(", ") + text(unit.label) : QString();
    const auto amount = [&](const ValidationRow& row, double value) {
        return numberCell(oneUnit ? text(formatParts(value, dimension, {.fixed = unit}).number)
                                  : amountText(row, value),
                          oneUnit ? value / unit.factor : value);
    };
    RunTable table;
    const bool collectives = !rows.empty() && rows[0]->kind == RowKind::collective;
    table.columns = {{collectives ? RunTexts::tr("Operation") : RunTexts::tr("Model"), false, {}},
                     {RunTexts::tr("GPU"), false, {}},
                     {RunTexts::tr("GPUs"), true, {}},
                     {RunTexts::tr("Precision"), false, {}},
                     {asTimes ? RunTexts::tr("Step time, %") : RunTexts::tr("Error, %"), true,
                      asTimes ? RunTexts::tr("Error of the step time: predicted / measured − 1")
                              : RunTexts::tr("Predicted / measured − 1")},
                     {RunTexts::tr("Size of error, %"), true, {}},
                     {RunTexts::tr("Measured") + suffix, true, {}},
                     {RunTexts::tr("Predicted") + suffix, true, {}},
                     {RunTexts::tr("Low – high"), false, RunTexts::tr("The band of the prediction")},
                     {RunTexts::tr("Layout"), false, {}},
                     {RunTexts::tr("Software"), false, {}},
                     {RunTexts::tr("Source"), false, {}},
                     {RunTexts::tr("Place"), false, {}},
                     {RunTexts::tr("Assumed"), false, RunTexts::tr("Missing from the source")},
                     {RunTexts::tr("Id"), false, {}}};
    for (const ValidationRow* row : rows) {
        const double percent = 100 * (asTimes ? errorAsTime(*row) : row->error);
        const auto onePlace = [](double value) {
            QString number = QString::number(value, 'f', 1);
            return number.replace(QLatin1Char('-'), QChar(0x2212));
        };
        table.rows.append(
            {runKey(*row),
             {plainCell(subjectText(*row)), plainCell(runFieldLabel(RunField::gpu, text(row->gpu), catalog)),
              numberCell(quantity(row->gpus, Dimension::number), row->gpus),
              plainCell(precisionText(*row, catalog)),
              numberCell((percent > 0 ? QStringLiteral("+") : QString()) + onePlace(percent), percent),
              numberCell(onePlace(std::abs(percent)), std::abs(percent)), amount(*row, row->measured),
              amount(*row, row->predicted), plainCell(bandText(*row)), plainCell(layoutText(*row)),
              plainCell(runFieldLabel(RunField::framework, text(row->framework), catalog)),
              plainCell(text(row->sourceTitle)), plainCell(placeText(*row)), plainCell(assumedText(*row)),
              plainCell(text(row->id))}});
    }
    return table;
}

RunTable outcomeTable(const ValidationReport& report) {
    RunTable table;
    table.columns = {{RunTexts::tr("Run"), false, {}},
                     {RunTexts::tr("Published"), false, {}},
                     {RunTexts::tr("Predicted"), false, {}},
                     {RunTexts::tr("Agreement"), false, {}}};
    std::vector<const MemoryOutcome*> outcomes;
    for (const MemoryOutcome& outcome : report.memoryOutcomes)
        outcomes.push_back(&outcome);
    // What is wrong first, then what was published as out of memory.
    std::ranges::stable_sort(outcomes, {},
                             [](const MemoryOutcome* o) { return std::pair(o->agrees(), o->ran()); });
    for (const MemoryOutcome* outcome : outcomes) {
        table.rows.append(
            {text(outcome->id),
             {plainCell(text(outcome->id)),
              plainCell(outcome->ran()              ? RunTexts::tr("ran")
                        : outcome->outcome == "oom" ? RunTexts::tr("out of memory")
                                                    : RunTexts::tr("out of memory, by fragmentation")),
              plainCell(!outcome->fits ? RunTexts::tr("does not fit")
                        : outcome->outOfMemoryProbability > 1 - surelyOutOfMemory
                            ? RunTexts::tr("tight: %1 likely to run out")
                                  .arg(shareText(outcome->outOfMemoryProbability))
                            : RunTexts::tr("fits")),
              plainCell(outcome->agrees() ? RunTexts::tr("agrees") : RunTexts::tr("differs"))}});
    }
    return table;
}

RunTable skippedTable(const ValidationReport& report) {
    RunTable table;
    table.columns = {{RunTexts::tr("Run"), false, {}}, {RunTexts::tr("Why it is not predicted"), false, {}}};
    for (const SkippedRow& row : report.skipped)
        table.rows.append({text(row.id), {plainCell(text(row.id)), plainCell(text(row.why))}});
    return table;
}

} // namespace alidade::views
