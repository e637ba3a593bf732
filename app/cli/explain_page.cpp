// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/explain_page.h"

#include "app/cli/page.h"
#include "data/report/printing.h"
#include "model/estimate/visit.h"
#include "model/units/format.h"

#include <algorithm>
#include <cctype>

namespace alidade::cli {

namespace {

/// Enough digits to follow a calculation by hand.
std::string valueText(double value, Dimension dimension) {
    const FormatOptions options{.significant = 6, .binary = false, .trimZeros = true, .fixed = {}};
    return formatQuantity(value, dimension, options);
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

data::Table termTable(const std::vector<ExplainedTerm>& terms, bool withSource) {
    data::Table table;
    table.columns = {data::textColumn("Name"), data::mixedColumn("Value")};
    if (withSource) {
        table.columns.push_back(data::textColumn("Kind"));
        table.columns.push_back(data::textColumn("Source"));
    }
    for (const ExplainedTerm& term : terms) {
        std::vector<data::Cell> row{data::textCell(term.name), data::valueCell(term.value, term.dimension)};
        row.back().text = valueText(term.value, term.dimension);
        if (withSource) {
            row.push_back(data::textCell(std::string(sourceKindName(term.kind)), data::Emphasis::quiet));
            row.push_back(data::textCell(term.source, data::Emphasis::quiet));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

std::string formulaWithValues(const Explanation& explanation) {
    const std::string& formula = explanation.formula;
    std::string out;
    for (std::size_t i = 0; i < formula.size();) {
        std::size_t end = i;
        while (end < formula.size() && isWord(formula[end]))
            ++end;
        if (end == i) {
            out += formula[i++];
            continue;
        }
        const std::string word = formula.substr(i, end - i);
        const auto term = std::find_if(explanation.terms.begin(), explanation.terms.end(),
                                       [&word](const ExplainedTerm& each) { return each.name == word; });
        out += term == explanation.terms.end() ? word : valueText(term->value, term->dimension);
        i = end;
    }
    return out;
}

std::string explanationText(const Explanation& explanation, const Terminal& terminal) {
    std::string out = styled(terminal, explanation.path, Style::strong) + " = " +
                      styled(terminal, valueText(explanation.value, explanation.dimension), Style::good) +
                      '\n';
    if (!explanation.source.empty())
        out += paragraphText(explanation.source, terminal, Style::quiet);
    if (!explanation.terms.empty()) {
        out += headingText("Formula", terminal);
        out += paragraphText(explanation.formula, terminal);
        out += headingText("With its values", terminal);
        out += paragraphText(formulaWithValues(explanation), terminal);
        out += headingText("Terms", terminal);
        out += tableText(termTable(explanation.terms, false), terminal);
    }
    if (!explanation.inputs.empty()) {
        out += headingText("Inputs", terminal);
        out += tableText(termTable(explanation.inputs, true), terminal);
    }
    return out;
}

} // namespace alidade::cli
