// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare/compare_grid.h"

#include "model/base/quantiles.h"
#include "model/estimate/estimate.h"
#include "model/explore/comparison_words.h"
#include "views/document/text.h"
#include "views/memory/memory_data.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace alidade::views {

namespace {

/// By which plans are usually judged, in the order of the table.
constexpr std::array<std::string_view, 18> usualFigures{"training.run_time_s",
                                                        "cost.dollars_per_run",
                                                        "cost.dollars_per_million_tokens",
                                                        "training.step_time_s",
                                                        "training.tokens_per_s",
                                                        "training.mfu",
                                                        "serving.ttft_percentiles_s.p90",
                                                        "serving.itl_percentiles_s.p90",
                                                        "serving.tpot_s",
                                                        "serving.output_tokens_per_s",
                                                        "serving.output_tokens_per_s_per_gpu",
                                                        "serving.max_requests_per_s",
                                                        "cost.dollars_per_million_input_tokens",
                                                        "cost.dollars_per_million_output_tokens",
                                                        "cost.dollars_per_hour",
                                                        "cost.energy_kwh",
                                                        "gpus",
                                                        "memory.total_bytes"};

const Estimate* estimateOf(const CompareAnswer& answer, int i) {
    return answer.items[static_cast<std::size_t>(i)]->estimate.get();
}

ComparisonRow group(const QString& label, const QString& note) {
    return {.kind = ComparisonRow::Kind::group, .key = {}, .label = label, .note = note};
}

void addFields(CompareGrid& grid, const CompareAnswer& answer, bool everything) {
    const auto& fields = answer.comparison.fields;
    const auto differing = std::ranges::count_if(fields, &FieldRow::differs);
    const auto same = static_cast<qsizetype>(fields.size()) - differing;
    grid.rows.append(group(everything ? CompareText::tr("Inputs") : CompareText::tr("Inputs that differ"),
                           everything || grid.titles.size() < 2
                               ? CompareText::tr("%1 fields").arg(fields.size())
                               : CompareText::tr("%1 of %2 fields; %3 are the same in all")
                                     .arg(differing)
                                     .arg(fields.size())
                                     .arg(same)));
    const auto add = [&](const FieldRow& field) {
        ComparisonRow row{.kind = ComparisonRow::Kind::field,
                          .key = text(field.field->path),
                          .label = text(field.field->label)};
        const std::string& from = field.values[static_cast<std::size_t>(grid.baseline)];
        for (const std::string& value : field.values) {
            const bool differs = value != from;
            const bool isBaseline = row.cells.size() == grid.baseline;
            row.cells.append({.text = value.empty() ? QStringLiteral("–") : text(value),
                              .change = {},
                              .strong = field.differs && (differs || isBaseline),
                              .ink = differs || isBaseline ? Role::text : Role::text2,
                              .toolTip = text(field.field->doc)});
        }
        grid.rows.append(row);
    };
    for (const bool differs : {true, false})
        for (const FieldRow& each : fields)
            if (each.differs == differs && (differs || everything))
                add(each);
}

ComparisonCell verdictOf(const CompareAnswer& answer, int i) {
    const Estimate* e = estimateOf(answer, i);
    if (e == nullptr)
        return {.text = CompareText::tr("no estimate"),
                .change = {},
                .ink = Role::err,
                .toolTip = text(answer.items[static_cast<std::size_t>(i)]->error)};
    if (!e->runs)
        return {.text = CompareText::tr("cannot run"),
                .change = {},
                .ink = Role::err,
                .toolTip = e->problems.empty() ? QString() : text(e->problems.front().message)};
    if (!e->fits)
        return {.text = CompareText::tr("does not fit"), .change = {}, .ink = Role::err};
    if (!isUsable(*e))
        return {.text = CompareText::tr("overloaded"), .change = {}, .ink = Role::err};
    return {.text = CompareText::tr("runs and fits"), .change = {}, .ink = Role::text2};
}

void fillMemory(ComparisonCell& cell, const Memory& memory) {
    const double usable = memory.capacityBytes - memory.reserveBytes;
    cell.text = CompareText::tr("%1 of %2").arg(gigabyteNumber(memory.totalBytes), gigabyteText(usable));
    const bool over = memory.headroomBytes < 0, tight = !over && memory.highBytes > usable;
    if (over || tight) {
        cell.change = over ? CompareText::tr("too much") : CompareText::tr("tight");
        cell.changeInk = over ? Role::err : Role::warn;
        cell.toolTip = CompareText::tr("%1 at the high end of the error").arg(gigabyteText(memory.highBytes));
    }
}

ComparisonCell figureCell(const FigureRow& figure, std::size_t i, const ScaledUnit& unit) {
    const PlanFigure& what = *figure.figure;
    if (!figure.values[i])
        return {.text = QStringLiteral("–"), .change = {}, .ink = Role::text2};
    ComparisonCell out{.text =
                           what.dimension == Dimension::dollars || what.dimension == Dimension::dollarsPerHour
                               ? quantity(*figure.values[i], what.dimension)
                               : quantity(*figure.values[i], what.dimension, {.fixed = unit}),
                       .change = {},
                       .value = figure.values[i],
                       .best = figure.best == i,
                       .strong = figure.best == i};
    if (const auto& change = figure.changes[i]) {
        const bool better = what.moreIsBetter == (change->after > change->before);
        out.change = text(changeText(what, *change));
        out.changeInk = !change->certain ? Role::text3 : better ? Role::ok : Role::err;
        if (change->before == change->after)
            out.changeInk = Role::text3;
        else if (!change->certain)
            out.toolTip = CompareText::tr("within the error: shared error cancels, ± %1 remains")
                              .arg(quantity(std::exp(quantile90 * change->logSd) - 1, Dimension::ratio,
                                            {.significant = 2}));
    }
    return out;
}

void addFigures(CompareGrid& grid, const CompareAnswer& answer, bool everything) {
    grid.rows.append(
        group(CompareText::tr("Figures"),
              grid.titles.size() < 2
                  ? QString()
                  : CompareText::tr(
                        "best marked when the difference exceeds the independent error; gray: within it")));
    ComparisonRow verdict{.kind = ComparisonRow::Kind::figure,
                          .key = QStringLiteral("verdict"),
                          .label = CompareText::tr("Verdict")};
    for (int i = 0; i < grid.titles.size(); ++i)
        verdict.cells.append(verdictOf(answer, i));
    grid.rows.append(verdict);
    std::vector<const FigureRow*> shown;
    for (const FigureRow& each : answer.comparison.figures)
        if (everything || std::ranges::find(usualFigures, each.figure->path) != usualFigures.end())
            shown.push_back(&each);
    if (!everything)
        std::ranges::stable_sort(shown, {}, [](const FigureRow* row) {
            return std::ranges::find(usualFigures, row->figure->path) - usualFigures.begin();
        });
    for (const FigureRow* each : shown) {
        double largest = 0;
        for (const auto& value : each->values)
            largest = std::max(largest, std::abs(value.value_or(0)));
        const ScaledUnit unit = glanceUnit(each->figure->dimension, largest);
        ComparisonRow row{.kind = ComparisonRow::Kind::figure,
                          .key = text(each->figure->path),
                          .label = text(each->figure->label),
                          .moreIsBetter = each->figure->moreIsBetter};
        for (std::size_t i = 0; i < each->values.size(); ++i) {
            row.cells.append(figureCell(*each, i, unit));
            const Estimate* estimate = estimateOf(answer, static_cast<int>(i));
            if (each->figure->path == "memory.total_bytes" && estimate != nullptr && estimate->memory)
                fillMemory(row.cells.last(), *estimate->memory);
        }
        grid.rows.append(row);
    }
}

QString reasonsTitle(const Reasons& reasons) {
    return reasons.dimension == Dimension::ratio
               ? CompareText::tr("Change of the figure “%1”, in points that add up").arg(text(reasons.name))
               : CompareText::tr("Change of the figure “%1”, by class").arg(text(reasons.name));
}

ComparisonCell reasonCell(const std::optional<double>& amount, const Reasons& reasons, bool isBaseline) {
    if (isBaseline)
        return {.text = CompareText::tr("baseline"), .change = {}, .ink = Role::text2};
    if (!amount)
        return {.text = QStringLiteral("–"), .change = {}, .ink = Role::text2};
    return {.text = *amount == 0 ? QStringLiteral("0") : text(amountText(*amount, reasons.dimension)),
            .change = {},
            .value = amount,
            .ink = *amount == 0 ? Role::text2 : Role::text};
}

void addReasons(CompareGrid& grid, const CompareAnswer& answer) {
    for (const Reasons& reasons : answer.comparison.reasons) {
        grid.rows.append(group(reasonsTitle(reasons), {}));
        const QString prefix = text(reasons.name) + u'/';
        for (const ReasonRow& each : reasons.rows) {
            ComparisonRow row{.kind = ComparisonRow::Kind::reason,
                              .key = prefix + text(each.name),
                              .label = each.bound ? theme().classStyle(*each.bound).name : text(each.name),
                              .bound = each.bound};
            for (std::size_t i = 0; i < each.amounts.size(); ++i)
                row.cells.append(reasonCell(each.amounts[i], reasons, static_cast<int>(i) == grid.baseline));
            grid.rows.append(row);
        }
        ComparisonRow total{.kind = ComparisonRow::Kind::total, .key = prefix, .label = text(reasons.name)};
        for (std::size_t i = 0; i < reasons.totals.size(); ++i) {
            ComparisonCell cell =
                reasonCell(reasons.totals[i], reasons, static_cast<int>(i) == grid.baseline);
            cell.strong = true;
            if (cell.value && reasons.dimension == Dimension::ratio && reasons.changes[i])
                cell.change = difference(*reasons.changes[i], reasons.figureDimension);
            total.cells.append(cell);
        }
        grid.rows.append(total);
    }
}

TextTable tableOf(const CompareGrid& grid, bool transposed, const auto& labelOf, const auto& textOf) {
    TextTable out;
    out.headers.append(CompareText::tr("Scenario"));
    if (transposed) {
        for (const ComparisonRow& row : grid.rows)
            if (row.kind != ComparisonRow::Kind::group)
                out.headers.append(labelOf(row));
        for (qsizetype i = 0; i < grid.titles.size(); ++i) {
            QStringList line{grid.titles[i]};
            for (const ComparisonRow& row : grid.rows)
                if (row.kind != ComparisonRow::Kind::group)
                    line.append(textOf(row.cells[i]));
            out.rows.append(line);
        }
        return out;
    }
    out.headers += grid.titles;
    for (const ComparisonRow& row : grid.rows) {
        if (row.kind == ComparisonRow::Kind::group)
            continue;
        QStringList line{labelOf(row)};
        for (const ComparisonCell& cell : row.cells)
            line.append(textOf(cell));
        out.rows.append(line);
    }
    return out;
}

} // namespace

QString shortTitle(const CompareAnswer& answer, std::size_t scenario) {
    constexpr qsizetype most = 26;
    QString name = text(answer.names[scenario]);
    if (name.size() > most)
        name = name.left(most / 2 - 1) + u'…' + name.right(most / 2);
    return QString::number(scenario + 1) + QStringLiteral("  ") + name;
}

CompareGrid compareGrid(const CompareAnswer& answer, bool everything) {
    CompareGrid grid{.titles = {}, .rows = {}, .baseline = static_cast<int>(answer.comparison.baseline)};
    for (std::size_t i = 0; i < answer.names.size(); ++i)
        grid.titles.append(QString::number(i + 1) + QStringLiteral("  ") + text(answer.names[i]));
    addFields(grid, answer, everything);
    addFigures(grid, answer, everything);
    addReasons(grid, answer);
    return grid;
}

TextTable shownTable(const CompareGrid& grid, bool transposed) {
    return tableOf(
        grid, transposed, [](const ComparisonRow& row) { return row.label; },
        [](const ComparisonCell& cell) {
            return cell.change.isEmpty() ? cell.text : cell.text + QStringLiteral(" (") + cell.change + u')';
        });
}

TextTable plainTable(const CompareGrid& grid, bool transposed) {
    return tableOf(
        grid, transposed, [](const ComparisonRow& row) { return row.key; },
        [](const ComparisonCell& cell) {
            constexpr int digits = 12;
            return cell.value ? QLocale::c().toString(*cell.value, 'g', digits) : cell.text;
        });
}

} // namespace alidade::views
