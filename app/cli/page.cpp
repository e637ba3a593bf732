// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/page.h"

#include "data/report/printing.h"
#include "model/kernels/bound_words.h"
#include "model/scenario/fields.h"
#include "model/units/format.h"

#include <algorithm>
#include <numeric>

namespace alidade::cli {

namespace {

constexpr int indent = 2;
constexpr int gap = 2; ///< between two columns of a table

std::string spaces(int count) { return std::string(static_cast<std::size_t>(std::max(count, 0)), ' '); }

std::string padded(std::string_view text, int columns, bool right) {
    const std::string fill = spaces(columns - columnsOf(text));
    return right ? fill + std::string(text) : std::string(text) + fill;
}

Style styleOf(data::Emphasis emphasis) {
    switch (emphasis) {
    case data::Emphasis::none:
        return Style::plain;
    case data::Emphasis::strong:
        return Style::strong;
    case data::Emphasis::quiet:
        return Style::quiet;
    case data::Emphasis::warning:
        return Style::warning;
    }
    return Style::plain;
}

int longestWord(const std::string& text) {
    int longest = 0;
    for (const std::string& word : wrapped(text, 1))
        longest = std::max(longest, columnsOf(word));
    return longest;
}

/// Widths of the columns: as wide as their widest cell; where that is too much, titles of numbers are broken,
/// then the widest text columns give way.
std::vector<int> columnWidths(const data::Table& table, int available) {
    std::vector<int> widths;
    std::vector<int> least;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        int cells = 0;
        int word = 0;
        for (const auto& row : table.rows) {
            cells = std::max(cells, columnsOf(row[c].text));
            word = std::max(word, longestWord(row[c].text));
        }
        const std::string& title = table.columns[c].title;
        const bool text = table.columns[c].kind == data::ColumnKind::text;
        widths.push_back(std::max(cells, columnsOf(title)));
        least.push_back(std::max(text ? word : cells, longestWord(title)));
    }
    available -= gap * (static_cast<int>(widths.size()) - 1);
    int excess = std::accumulate(widths.begin(), widths.end(), -available);
    for (const bool text : {false, true}) {
        while (excess > 0) {
            std::size_t widest = widths.size();
            for (std::size_t c = 0; c < widths.size(); ++c) {
                const bool fits =
                    (table.columns[c].kind == data::ColumnKind::text) == text && widths[c] > least[c];
                if (fits && (widest == widths.size() || widths[c] > widths[widest]))
                    widest = c;
            }
            if (widest == widths.size())
                break; // numbers are never cut
            --widths[widest];
            --excess;
        }
    }
    return widths;
}

/// One row of cells, of as many lines as its longest cell needs.
std::string rowText(const std::vector<std::string>& cells, const std::vector<Style>& styles,
                    const std::vector<bool>& right, const std::vector<int>& widths,
                    const Terminal& terminal) {
    std::vector<std::vector<std::string>> lines;
    std::size_t height = 1;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        lines.push_back(wrapped(cells[c], widths[c]));
        height = std::max(height, lines.back().size());
    }
    std::string out;
    for (std::size_t i = 0; i < height; ++i) {
        std::string line = spaces(indent);
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string text = i < lines[c].size() ? lines[c][i] : std::string();
            const std::string cell = styled(terminal, text, styles[c]);
            const std::string fill = spaces(widths[c] - columnsOf(text));
            line += right[c] ? fill + cell : cell + fill;
            line += spaces(gap);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    }
    return out;
}

std::string keyFigureText(const data::KeyFigure& figure, const Terminal& terminal) {
    constexpr int questionColumns = 26;
    constexpr int valueColumns = 26;
    const bool joined = figure.unit.empty() || figure.unit.front() == '/'; // "$55.04/h"
    const std::string value = figure.value + (joined ? "" : " ") + figure.unit;
    const Style style = figure.emphasis == data::Emphasis::warning ? Style::bad
                        : figure.emphasis == data::Emphasis::quiet ? Style::quiet
                                                                   : Style::strong;
    const int between = std::max(valueColumns - columnsOf(value), gap);
    const int before = indent + questionColumns + columnsOf(value) + between;
    std::string out =
        spaces(indent) + padded(figure.question, questionColumns, false) + styled(terminal, value, style);
    if (figure.detail.empty())
        return out + '\n';
    int lead = between;
    for (const std::string& line : wrapped(figure.detail, std::max(terminal.width - before, 20))) {
        out += spaces(lead) + styled(terminal, line, Style::quiet) + '\n';
        lead = before;
    }
    return out;
}

std::string stepBarText(const data::StepBar& step, const Terminal& terminal) {
    constexpr int barColumns = 30;
    int nameColumns = 0;
    double total = 0;
    for (const data::PlotSegment& segment : step.bar.segments) {
        nameColumns = std::max(nameColumns, columnsOf(segment.name));
        total += segment.value;
    }
    std::string out;
    for (const data::PlotSegment& segment : step.bar.segments) {
        const std::string drawn = bar(total > 0 ? segment.value / total : 0, barColumns);
        out += spaces(indent) + padded(segment.name, nameColumns + gap, false) + drawn +
               spaces(barColumns - columnsOf(drawn)) +
               padded(formatQuantity(segment.value, Dimension::seconds), 11, true) +
               padded(segment.text, 9, true) + spaces(gap) +
               styled(terminal, segment.bound ? boundWords(*segment.bound).brief : "", Style::quiet) + '\n';
    }
    return out;
}

/// The scenario as it was filled in, in the words of --set.
std::string scenarioText(const ScenarioSpec& scenario, const Terminal& terminal) {
    std::string out = headingText("The scenario with everything filled in, as --set takes it", terminal);
    int longest = 0;
    for (const Field& field : fieldTable())
        if (!fieldText(field, field.get(scenario)).empty())
            longest = std::max(longest, static_cast<int>(field.path.size()));
    for (const Field& field : fieldTable()) {
        const std::string text = fieldText(field, field.get(scenario));
        if (!text.empty()) {
            out += spaces(indent) + padded(field.path, longest, false) + " = " +
                   styled(terminal, text, Style::plain) + '\n';
        }
    }
    return out;
}

/// Of plots only the bars of a step are printed.
bool isPrinted(const data::ReportSection& section) {
    return !section.text.empty() || !section.tables.empty() ||
           std::any_of(section.plots.begin(), section.plots.end(), [](const data::Plot& plot) {
               return std::holds_alternative<data::StepBar>(plot.content);
           });
}

std::string sectionText(const data::ReportSection& section, const Terminal& terminal) {
    std::string out = headingText(section.title, terminal);
    for (const data::Plot& plot : section.plots)
        if (const auto* step = std::get_if<data::StepBar>(&plot.content))
            out += stepBarText(*step, terminal);
    for (const std::string& text : section.text)
        out += paragraphText(text, terminal);
    for (std::size_t i = 0; i < section.tables.size(); ++i) {
        out += i > 0 || !section.text.empty() ? "\n" : "";
        out += tableText(section.tables[i], terminal);
    }
    return out;
}

/// Sources are long and many values share one: puts a number for each into the table. \returns the sources
std::vector<std::string> numberSources(data::Table& table) {
    std::vector<std::string> sources;
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [](const data::Column& each) { return each.title == "Source"; });
    if (column == table.columns.end())
        return sources;
    const auto at = static_cast<std::size_t>(column - table.columns.begin());
    for (auto& row : table.rows) {
        std::string& source = row[at].text;
        auto known = std::find(sources.begin(), sources.end(), source);
        if (known == sources.end())
            known = sources.insert(sources.end(), source);
        source = "[" + std::to_string(known - sources.begin() + 1) + "]";
    }
    return sources;
}

const data::ReportSection* find(const data::Report& report, std::string_view id) {
    const auto found = std::find_if(report.sections.begin(), report.sections.end(),
                                    [id](const data::ReportSection& section) { return section.id == id; });
    return found == report.sections.end() ? nullptr : &*found;
}

} // namespace

std::string headingText(const std::string& title, const Terminal& terminal) {
    return "\n" + styled(terminal, title, Style::strong) + '\n';
}

std::string paragraphText(std::string_view text, const Terminal& terminal, Style style) {
    std::string out;
    for (const std::string& line : wrapped(text, terminal.width - indent))
        out += spaces(indent) + styled(terminal, line, style) + '\n';
    return out;
}

std::string tableText(data::Table table, const Terminal& terminal) {
    const std::vector<std::string> sources = numberSources(table);
    const std::vector<int> widths = columnWidths(table, terminal.width - indent);
    std::vector<bool> right;
    std::vector<std::string> titles;
    for (const data::Column& column : table.columns) {
        right.push_back(column.kind != data::ColumnKind::text);
        titles.push_back(column.title);
    }
    std::string out;
    if (!table.title.empty())
        out += spaces(indent) + styled(terminal, table.title, Style::strong) + '\n';
    out += rowText(titles, std::vector(titles.size(), Style::quiet), right, widths, terminal);
    for (const auto& row : table.rows) {
        std::vector<std::string> cells;
        std::vector<Style> styles;
        for (const data::Cell& cell : row) {
            cells.push_back(cell.text);
            styles.push_back(styleOf(cell.emphasis));
        }
        out += rowText(cells, styles, right, widths, terminal);
    }
    if (!table.note.empty())
        out += paragraphText(table.note, terminal, styleOf(table.noteEmphasis));
    for (std::size_t i = 0; i < sources.size(); ++i) {
        out += i == 0 ? "\n" : "";
        out += paragraphText("[" + std::to_string(i + 1) + "] " + sources[i], terminal, Style::quiet);
    }
    return out;
}

std::string pageOf(const data::Report& report, const ScenarioSpec& scenario, const Terminal& terminal) {
    std::string out = styled(terminal, report.title, Style::strong) + '\n';
    if (!report.subtitle.empty())
        out += styled(terminal, report.subtitle, Style::quiet) + '\n';
    out += '\n';
    for (const data::Sentence& sentence : report.answer)
        out += paragraphText(data::plainText(sentence), terminal);
    out += '\n';
    for (const data::KeyFigure& figure : report.keyFigures)
        out += keyFigureText(figure, terminal);
    // The list of problems with their places and the settings that help is where the report has its short
    // one, and the full list of assumptions makes the short one needless.
    const data::ReportSection* notes = find(report, "notes");
    bool noted = false;
    for (const data::ReportSection& section : report.sections) {
        if (section.id == "main_assumptions" || (section.id == "notes" && noted) || !isPrinted(section))
            continue;
        if (section.id == "plan") {
            out += scenarioText(scenario, terminal);
            continue;
        }
        const bool problems = section.id == "problems" && notes != nullptr;
        out += sectionText(problems ? *notes : section, terminal);
        noted |= problems;
    }
    return out;
}

} // namespace alidade::cli
