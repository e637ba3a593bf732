// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/file/csv_field.h"
#include "data/report/writers.h"
#include "model/units/dimension.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

namespace alidade::data {
namespace {

using Line = std::vector<std::string>; ///< fields, already quoted

/// The shortest text that reads as this double again; empty if it is not finite. Amounts have no exponent.
std::string numberField(double value) {
    if (!std::isfinite(value))
        return {};
    constexpr double least = 1e-4, most = 1e15;
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= least && size < most);
    std::array<char, 32> buffer{};
    char *const begin = buffer.data(), *const room = begin + buffer.size();
    const auto end = plain ? std::to_chars(begin, room, value, std::chars_format::fixed).ptr
                           : std::to_chars(begin, room, value).ptr;
    return {begin, end};
}

std::string unitOf(Dimension dimension) { return std::string(baseUnitName(dimension)); }

class Writer {
public:
    void addReport(const Report& report) {
        addHead(report);
        for (const ReportSection& section : report.sections)
            for (const Table& table : section.tables)
                addTable(report.title, table);
        for (const Report& part : report.parts)
            addReport(part);
    }

    std::string text() const {
        std::size_t width = 0;
        for (const Line& line : lines_)
            width = std::max(width, line.size());
        std::string out;
        for (const Line& line : lines_) {
            for (std::size_t i = 0; i < width; ++i) {
                if (i > 0)
                    out += ',';
                if (i < line.size())
                    out += line[i];
            }
            out += "\r\n";
        }
        return out;
    }

private:
    Line lineOf(const std::string& scenario, const std::string& table) const {
        return {csvField(scenario), csvField(table)};
    }

    void addRow(const std::string& scenario, const std::string& table,
                const std::vector<std::string>& texts) {
        Line line = lineOf(scenario, table);
        std::ranges::transform(texts, std::back_inserter(line), csvField);
        lines_.push_back(std::move(line));
    }

    void addHead(const Report& report) {
        const std::string& name = report.title;
        addRow(name, "report", {"Program", "Catalog", "Calibration", "Date"});
        addRow(name, "report",
               {report.footer.program, report.footer.catalogVersion, report.footer.calibration,
                report.footer.date});
        const Branding& b = report.branding;
        if (!b.organization.empty() || !b.author.empty() || !b.confidentiality.empty()) {
            addRow(name, "branding", {"Organisation", "Author", "Confidentiality"});
            addRow(name, "branding", {b.organization, b.author, b.confidentiality});
        }
        if (!report.priceValidUntil.empty()) {
            addRow(name, "validity", {"Prices valid until"});
            addRow(name, "validity", {report.priceValidUntil});
        }
        addRow(name, "answer", {"Sentence"});
        for (const Sentence& sentence : report.answer)
            addRow(name, "answer", {plainText(sentence)});
        if (report.keyFigures.empty())
            return;
        addRow(name, "key_figures", {"Question", "Answer", "Unit", "Detail", "Value", "Unit of the value"});
        for (const KeyFigure& k : report.keyFigures) {
            addRow(name, "key_figures", {k.question, k.value, k.unit, k.detail});
            lines_.back().push_back(k.si ? numberField(*k.si) : "");
            lines_.back().push_back(k.si ? csvField(unitOf(k.dimension)) : "");
        }
    }

    void addTable(const std::string& scenario, const Table& table) {
        Line head = lineOf(scenario, table.id);
        for (const Column& column : table.columns) {
            const std::string unit = column.kind == ColumnKind::quantity ? unitOf(column.dimension) : "";
            head.push_back(csvField(unit.empty() ? column.name : column.name + " (" + unit + ")"));
            if (column.kind == ColumnKind::mixed)
                head.push_back(csvField("Unit of " + column.name));
        }
        lines_.push_back(std::move(head));
        for (const auto& row : table.rows) {
            Line line = lineOf(scenario, table.id);
            for (std::size_t c = 0; c < table.columns.size() && c < row.size(); ++c)
                addCell(line, table.columns[c], row[c]);
            lines_.push_back(std::move(line));
        }
    }

    static void addCell(Line& line, const Column& column, const Cell& cell) {
        const bool number = cell.value.has_value();
        if (column.kind == ColumnKind::text)
            line.push_back(csvField(cell.text));
        else
            line.push_back(number ? numberField(*cell.value) : "");
        if (column.kind == ColumnKind::mixed)
            line.push_back(number ? csvField(unitOf(cell.dimension)) : "");
    }

    std::vector<Line> lines_;
};

} // namespace

std::string reportCsv(const Report& report) {
    Writer writer;
    writer.addReport(report);
    return writer.text();
}

} // namespace alidade::data
