// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/validate_page.h"

#include "app/cli/cells.h"
#include "app/cli/page.h"
#include "data/report/sections.h"
#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace alidade::cli {

namespace {

using data::Cell;
using data::Column;
using data::ColumnKind;
using data::Emphasis;

/// "5.3 %"; a dash where there is nothing.
Cell percentCell(double share, bool signedNumber = false) {
    char text[32] = "\u2013";
    if (std::isfinite(share))
        std::snprintf(text, sizeof text, signedNumber ? "%+.1f" : "%.1f", 100 * share);
    return {text, std::isfinite(share) ? std::optional(share) : std::nullopt, Dimension::ratio, std::nullopt,
            Emphasis::none};
}

Cell count(int n) {
    return {formatCount(n), static_cast<double>(n), Dimension::number, std::nullopt, Emphasis::none};
}

Column percentColumn(const char* title) { return {title, ColumnKind::quantity, Dimension::ratio, title}; }
Column textColumn(const char* title) { return {title, ColumnKind::text, Dimension::number, title}; }
Column countColumn(const char* title) { return {title, ColumnKind::quantity, Dimension::number, title}; }

std::string quantityWords(const std::string& quantity) {
    static const std::map<std::string, std::string, std::less<>> words = {
        {"step_time_s", "step time"},
        {"tokens_per_s_per_gpu", "tokens/s per GPU"},
        {"model_flops_per_s_per_gpu", "FLOP/s per GPU"},
        {"mfu", "MFU"},
        {"peak_memory_bytes", "peak memory"},
        {"layer_time_s", "layer time"},
        {"ttft_s", "TTFT"},
        {"tpot_s", "TPOT"},
        {"itl_s", "ITL"},
        {"e2e_s", "E2E"},
        {"prefill_s", "prefill time"},
        {"output_tokens_per_s", "output tokens/s"},
        {"output_tokens_per_s_per_gpu", "output tokens/s per GPU"},
        {"input_tokens_per_s", "input tokens/s"},
        {"input_tokens_per_s_per_gpu", "input tokens/s per GPU"},
        {"tokens_per_s_per_user", "tokens/s per user"},
        {"itl_intercept_s", "ITL without context"},
        {"itl_s_per_context_token", "ITL per token of context"},
        {"time_s", "time of collectives"},
        {"goodput", "goodput"},
        {"restore_s", "restart and restore"},
        {"checkpoint_s", "time of checkpoints"},
        {"checkpoint_stall_s", "checkpoint stall"},
        {"checkpoint_bytes", "size of checkpoints"},
        {"storage_bytes_per_s", "rate of storage"},
        {"power_w", "power"},
        {"energy_j_per_output_token", "J per output token"},
        {"energy_kwh", "energy in kWh"},
        {"storage", "storage and checkpoints together"},
        {"energy", "power and energy together"}};
    const auto found = words.find(quantity);
    return found == words.end() ? quantity : found->second;
}

Dimension dimensionOf(const std::string& quantity) {
    const bool rate = quantity.find("_per_s") != std::string::npos;
    if (!rate && (quantity.ends_with("_s") || quantity == "itl_s_per_context_token"))
        return Dimension::seconds;
    return quantity == "peak_memory_bytes" || quantity == "checkpoint_bytes" ? Dimension::bytes
           : quantity == "storage_bytes_per_s"                               ? Dimension::bytesPerSecond
           : quantity == "power_w"                                           ? Dimension::watts
           : quantity == "goodput"                                           ? Dimension::ratio
           : quantity == "model_flops_per_s_per_gpu"                         ? Dimension::flopPerSecond
           : quantity == "mfu"                                               ? Dimension::ratio
                                                                             : Dimension::number;
}

/// The table of one quantity.
std::string classesText(const ValidationReport& report, const std::string& quantity,
                        const Terminal& terminal) {
    data::Table table;
    const bool leftOut =
        std::ranges::any_of(report.summary, [](const auto& each) { return each.leaveOneOut.has_value(); });
    table.columns = {textColumn("Rows"),         countColumn("n"),         countColumn("Sweeps"),
                     percentColumn("Median, %"), percentColumn("Mean, %"), percentColumn("p90, %"),
                     percentColumn("Bias, %"),   percentColumn("In 10 %"), percentColumn("In 20 %"),
                     percentColumn("In band"),   percentColumn("Band, ±%")};
    if (leftOut) {
        table.columns.push_back(percentColumn("Left out, %"));
        table.columns.push_back(percentColumn("mean, %"));
        table.columns.push_back(percentColumn("in band, %"));
    }
    for (const ValidationSummary& s : report.summary) {
        if (s.quantity != quantity)
            continue;
        std::vector<Cell> row = {words(s.group, s.group == "all" ? Emphasis::strong : Emphasis::none),
                                 count(s.n),
                                 count(s.groups),
                                 percentCell(s.medianAbsError),
                                 percentCell(s.meanAbsError),
                                 percentCell(s.p90AbsError),
                                 percentCell(s.bias, true),
                                 percentCell(s.within10),
                                 percentCell(s.within20),
                                 percentCell(s.bandCoverage),
                                 percentCell(s.bandHalfWidth)};
        if (leftOut) {
            row.push_back(percentCell(s.leaveOneOut ? s.leaveOneOut->medianAbsError : NAN));
            row.push_back(percentCell(s.leaveOneOut ? s.leaveOneOut->meanAbsError : NAN));
            row.push_back(percentCell(s.leaveOneOut ? s.leaveOneOut->bandCoverage : NAN));
        }
        table.rows.push_back(std::move(row));
    }
    return headingText("Error of the " + quantityWords(quantity) + ", each sweep counted once", terminal) +
           tableText(table, terminal);
}

std::string summaryText(const ValidationReport& report, const Terminal& terminal) {
    std::vector<std::string> quantities;
    for (const ValidationSummary& each : report.summary)
        if (std::ranges::find(quantities, each.quantity) == quantities.end())
            quantities.push_back(each.quantity);
    std::string out;
    for (const std::string& quantity : quantities)
        out += classesText(report, quantity, terminal);
    return out;
}

std::string worstText(const ValidationReport& report, int worst, const Terminal& terminal) {
    std::vector<const ValidationRow*> rows;
    for (const ValidationRow& row : report.rows)
        rows.push_back(&row);
    const auto size = [](const ValidationRow* row) {
        return std::abs(std::log1p(std::max(row->error, -0.999)));
    };
    std::ranges::stable_sort(rows, [&](const auto* a, const auto* b) { return size(a) > size(b); });
    rows.resize(std::min(rows.size(), static_cast<std::size_t>(std::max(worst, 0))));
    if (rows.empty())
        return {};
    data::Table table;
    table.columns = {textColumn("Row"),
                     textColumn("Quantity"),
                     {"Measured", ColumnKind::mixed, Dimension::number, "Measured"},
                     {"Predicted", ColumnKind::mixed, Dimension::number, "Predicted"},
                     percentColumn("Error, %"),
                     textColumn("Assumed"),
                     textColumn("Source")};
    for (const ValidationRow* row : rows) {
        const Dimension dimension = dimensionOf(row->quantity);
        const auto figure = [&](double value) {
            return Cell{formatQuantity(value, dimension), value, dimension, std::nullopt, Emphasis::none};
        };
        std::string assumed;
        for (const std::string& field : row->assumed)
            assumed += (assumed.empty() ? "" : ", ") + field.substr(field.find('.') + 1);
        table.rows.push_back({words(row->id), words(quantityWords(row->quantity)), figure(row->measured),
                              figure(row->predicted), percentCell(row->error, true),
                              words(assumed, Emphasis::quiet),
                              words(row->sourceTitle + " (" + row->sourceLocator + ")")});
    }
    return headingText("Worst rows", terminal) + tableText(table, terminal);
}

std::string outcomesText(const ValidationReport& report, const Terminal& terminal) {
    int ran = 0, ranFits = 0, ranLikely = 0, failed = 0, failedFits = 0, failedLikely = 0;
    for (const MemoryOutcome& outcome : report.memoryOutcomes) {
        (outcome.ran() ? ran : failed) += 1;
        (outcome.ran() ? ranFits : failedFits) += outcome.fits ? 1 : 0;
        (outcome.ran() ? ranLikely : failedLikely) += outcome.likelyOut() ? 1 : 0;
    }
    if (ran + failed == 0)
        return {};
    return headingText("Memory", terminal) +
           paragraphText("Of " + formatCount(ran) + " configurations that ran, " + formatCount(ranFits) +
                             " fit by the model. Of " + formatCount(failed) + " that ran out of memory, " +
                             formatCount(failed - failedFits) + " do not fit.",
                         terminal) +
           paragraphText("More likely than not to run out: " + formatCount(failedLikely) +
                             " of those that did, " + formatCount(ranLikely) + " of those that ran.",
                         terminal);
}

std::string skippedText(const ValidationReport& report, const Terminal& terminal) {
    if (report.skipped.empty())
        return {};
    std::map<std::string, int> why;
    for (const SkippedRow& row : report.skipped)
        ++why[row.why];
    data::Table table;
    table.columns = {countColumn("Rows"), textColumn("Why")};
    for (const auto& [reason, rows] : why)
        table.rows.push_back({count(rows), words(reason)});
    return headingText("Skipped", terminal) + tableText(table, terminal);
}

} // namespace

namespace {

/// What it costs to take the plan that the model finds fastest.
std::string regretText(const ValidationReport& report, const Terminal& terminal) {
    if (report.regret.empty())
        return {};
    data::Table table;
    table.columns = {
        textColumn("Choices among plans"), countColumn("Choices"), percentColumn("Mean regret, %"),
        percentColumn("Worst, %"),         countColumn("Pairs"),   percentColumn("In order, %")};
    std::string worst;
    for (const RegretSummary& each : report.regret) {
        table.rows.push_back({{{each.group, std::nullopt, Dimension::number, std::nullopt, Emphasis::none},
                               count(each.choices),
                               percentCell(each.mean),
                               percentCell(each.worst),
                               count(each.pairs),
                               percentCell(each.ordered)}});
        worst += paragraphText("Worst of " + each.group + ": " + each.worstChoice, terminal, Style::quiet);
    }
    return headingText("Regret of the plan that the model finds fastest", terminal) +
           tableText(std::move(table), terminal) + worst;
}

} // namespace

std::string validationText(const ValidationReport& report, int worst, const Terminal& terminal) {
    return summaryText(report, terminal) + regretText(report, terminal) + worstText(report, worst, terminal) +
           outcomesText(report, terminal) + skippedText(report, terminal);
}

std::string customValuesText(std::span<const data::CustomValue> values, const Terminal& terminal) {
    const auto section = data::customValueSection(values);
    if (!section)
        return {};
    return paragraphText(data::plainText(data::customValueSentence(values)), terminal) +
           tableText(section->tables.front(), terminal) + '\n';
}

} // namespace alidade::cli
