// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/printing.h"
#include "data/report/sections.h"

namespace alidade::data {

std::optional<ReportSection> customValueSection(std::span<const CustomValue> values) {
    if (values.empty())
        return std::nullopt;
    ReportSection section{.id = "custom_values", .title = "Custom values"};
    section.text.push_back("The answer is computed " + customValuesPhrase(values.size()) +
                           " instead of the shipped catalog's.");
    Table table{.id = "custom_values",
                .columns = {textColumn("Entry"), textColumn("Value"), textColumn("Yours"),
                            textColumn("Shipped"), textColumn("Entered"), textColumn("Source")}};
    for (const CustomValue& each : values)
        table.rows.push_back({textCell(each.entry), textCell(each.label),
                              textCell(each.value, Emphasis::strong), textCell(each.shipped),
                              each.date.empty() ? noCell() : textCell(each.date),
                              each.source.empty() ? noCell() : textCell(each.source, Emphasis::quiet)});
    section.tables.push_back(std::move(table));
    return section;
}

Sentence customValueSentence(std::span<const CustomValue> values) {
    constexpr std::size_t mostNamed = 2;
    Sentence out{{"Computed ", false}, {customValuesPhrase(values.size()), true}, {": ", false}};
    for (std::size_t i = 0; i < std::min(values.size(), mostNamed); ++i)
        out.push_back({(i > 0 ? "; " : "") + describe(values[i]), false});
    out.push_back(
        {values.size() > mostNamed ? "; and " + std::to_string(values.size() - mostNamed) + " more." : ".",
         false});
    return out;
}

} // namespace alidade::data
