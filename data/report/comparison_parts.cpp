// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/comparison_parts.h"

#include "data/report/answer_parts.h"
#include "data/report/differing_fields.h"
#include "data/report/printing.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace alidade::data {
namespace {

/// Scenarios side by side in one table of fields: more have no room on a portrait page.
constexpr std::size_t mostColumns = 4;

/// "A, B and C", each once.
std::string listOf(const std::vector<std::string>& all) {
    std::vector<std::string> once;
    for (const std::string& each : all) {
        const std::string text = each.empty() ? "not set" : each;
        if (std::ranges::find(once, text) == once.end())
            once.push_back(text);
    }
    std::string out;
    for (std::size_t i = 0; i < once.size(); ++i)
        out += (i == 0 ? "" : i + 1 == once.size() ? " and " : ", ") + once[i];
    return out;
}

/// "2 T" of "2 T tokens", where the label says of what.
std::vector<std::string> withoutUnit(std::vector<std::string> texts, std::string_view unit) {
    for (std::string& text : texts)
        if (text.ends_with(unit))
            text.resize(text.size() - unit.size());
    return texts;
}

std::vector<const ScenarioSpec*> specsOf(std::span<const Compared> all) {
    std::vector<const ScenarioSpec*> specs;
    for (const Compared& each : all)
        specs.push_back(&each.estimate->scenario);
    return specs;
}

/// The label, with the pool that the field is of; the path where two fields still have one name.
std::string nameOf(const DifferingField& field, const std::vector<DifferingField>& all) {
    const auto label = [](const Field& each) {
        const bool prefill = each.path.find(".prefill.") != std::string_view::npos;
        const bool decode = each.path.find(".decode.") != std::string_view::npos;
        const std::string own(each.label);
        return prefill ? "Prefill, " + startLower(own) : decode ? "Decode, " + startLower(own) : own;
    };
    const std::string name = label(*field.field);
    const auto same =
        std::ranges::count_if(all, [&](const DifferingField& each) { return label(*each.field) == name; });
    return same == 1 ? name : std::string(field.field->path);
}

/// Type and number of the machines are one row.
bool namesMachines(const DifferingField& field) {
    const std::string_view path = field.field->path;
    return path == "cluster.instance" || path == "cluster.instances" || path == "cluster.ultraserver" ||
           path == "cluster.ultraservers";
}

std::vector<Cell> machineRow(std::span<const Compared> some) {
    std::vector<Cell> row{textCell("Machines")};
    for (const Compared& each : some)
        row.push_back(textCell(each.estimate->clusterName));
    return row;
}

} // namespace

void labelCompared(std::vector<Compared>& all) {
    std::set<std::string> machines;
    for (const Compared& each : all)
        machines.insert(each.estimate->clusterName);
    const bool numbered = all.size() > mostColumns || machines.size() < all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        all[i].label = numbered ? number : all[i].estimate->clusterName;
        all[i].row = numbered && all.size() > 1 ? number + ". " + all[i].name : all[i].name;
    }
}

std::string differencesIn(std::span<const Compared> all, std::span<const std::string_view> paths) {
    std::vector<std::string> models, parts;
    for (const Compared& each : all)
        models.push_back(each.estimate->modelName);
    if (std::set<std::string>(models.begin(), models.end()).size() > 1)
        parts.push_back("model (" + listOf(models) + ")");
    for (const DifferingField& each : differingFields(specsOf(all)))
        if (std::ranges::find(paths, each.field->path) != paths.end())
            parts.push_back(startLower(std::string(each.field->label)) + " (" +
                            listOf(withoutUnit(each.shown, " tokens")) + ")");
    return parts.empty() ? std::string() : listOf(parts);
}

std::optional<Table> differenceTable(std::span<const Compared> all, std::span<const ComparedFigure> figures,
                                     std::string id) {
    const Estimate& first = *all.front().estimate;
    if (all.size() < 2 || !holds(first))
        return std::nullopt;
    Table table{.id = std::move(id),
                .title = "Difference from " + all.front().row,
                .columns = {textColumn("Scenario")},
                .note = "Of each figure, as a share of the same figure of the first scenario."};
    std::vector<const ComparedFigure*> shown;
    for (const ComparedFigure& figure : figures) {
        const auto has = [&](const Compared& each) {
            return holds(*each.estimate) && figure.value(*each.estimate);
        };
        if (!has(all.front()) || std::ranges::none_of(all.subspan(1), has))
            continue;
        shown.push_back(&figure);
        table.columns.push_back(quantityColumn(figure.title, Dimension::ratio));
    }
    if (shown.empty())
        return std::nullopt;
    for (const Compared& each : all.subspan(1)) {
        std::vector<Cell> row{textCell(each.row)};
        for (const ComparedFigure* figure : shown) {
            const double base = *figure->value(first);
            const auto value = holds(*each.estimate) ? figure->value(*each.estimate) : std::nullopt;
            if (!value || base == 0) {
                row.push_back(noCell());
                continue;
            }
            Cell cell = valueCell(*value / base - 1, Dimension::ratio);
            cell.text = printedDifference(*value / base - 1, Dimension::ratio);
            row.push_back(std::move(cell));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::optional<ReportSection> differingFieldSection(std::span<const Compared> all, std::string id) {
    std::vector<DifferingField> fields = differingFields(specsOf(all));
    const bool headsAreMachines = all.front().label == all.front().estimate->clusterName;
    const bool machines = std::erase_if(fields, namesMachines) > 0 && !headsAreMachines;
    if (all.size() < 2 || (fields.empty() && !machines))
        return std::nullopt;
    ReportSection section{.id = id, .title = "What differs", .firstPage = all.size() <= mostColumns};
    const std::size_t tables = (all.size() + mostColumns - 1) / mostColumns;
    const std::size_t columns = (all.size() + tables - 1) / tables; // about as many in each
    for (std::size_t from = 0; from < all.size(); from += columns) {
        const std::size_t to = std::min(from + columns, all.size());
        const std::string range = std::to_string(from + 1) + " to " + std::to_string(to);
        Table table{.id = from == 0 ? id : id + "." + std::to_string(from + 1),
                    .title = all.size() > mostColumns ? "Scenarios " + range : std::string(),
                    .columns = {textColumn("Field")}};
        for (std::size_t i = from; i < to; ++i)
            table.columns.push_back(textColumn(all[i].label));
        if (machines)
            table.rows.push_back(machineRow(all.subspan(from, to - from)));
        for (const DifferingField& field : fields) {
            std::vector<Cell> row{textCell(nameOf(field, fields))};
            for (std::size_t i = from; i < to; ++i)
                row.push_back(field.shown[i].empty() ? noCell() : textCell(field.shown[i]));
            table.rows.push_back(std::move(row));
        }
        section.tables.push_back(std::move(table));
    }
    return section;
}

} // namespace alidade::data
