// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/branding.h"

#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace alidade::data {

std::string brandingText(std::string_view text) {
    constexpr std::size_t most = 200;
    std::string line = printable(text, "\t\r\n");
    std::ranges::replace_if(line, [](char c) { return c == '\t' || c == '\r' || c == '\n'; }, ' ');
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos)
        return {};
    line = line.substr(first, line.find_last_not_of(' ') - first + 1);
    if (line.size() > most) {
        std::size_t end = most;
        while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U)
            --end;
        line.resize(end);
    }
    return line;
}

const std::vector<SectionGroup>& sectionGroups() {
    static const std::vector<SectionGroup> groups{{"order", "What to order"},
                                                  {"step", "Step time breakdown"},
                                                  {"options", "Options considered"},
                                                  {"cash_flow", "Cash flow by month"},
                                                  {"risks", "Risks"},
                                                  {"assumptions", "Assumptions to sign"},
                                                  {"signatures", "Signatures"},
                                                  {"glossary", "Glossary"},
                                                  {"technical", "The technical part"}};
    return groups;
}

std::string_view groupOfSection(std::string_view id) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 18> known{{
        {"order", "order"},
        {"step", "step"},
        {"load", "step"},
        {"alternatives", "options"},
        {"options", "options"},
        {"cash_flow", "cash_flow"},
        {"risks", "risks"},
        {"deadline", "risks"},
        {"search", "options"},
        {"rejected", "options"},
        {"main_assumptions", "assumptions"},
        {"sign", "assumptions"},
        {"signatures", "signatures"},
        {"glossary", "glossary"},
        {"problems", ""},
        {"comparison", ""},
        {"custom_values", ""},
        {"contents", ""},
    }};
    for (const auto& [section, group] : known)
        if (id == section || (section == "comparison" && id.starts_with("comparison")))
            return group;
    return "technical";
}

Result<SectionChoice> sectionChoice(std::string_view text) {
    SectionChoice out;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find(',', from), text.size());
        const std::string_view name = text.substr(from, to - from);
        from = to + 1;
        if (name.empty())
            continue;
        if (std::ranges::find(sectionGroups(), name, &SectionGroup::name) == sectionGroups().end()) {
            std::string known;
            for (const SectionGroup& group : sectionGroups())
                known += (known.empty() ? "" : ", ") + std::string(group.name);
            return Error{"there is no section '" + brandingText(name) + "'; known: " + known};
        }
        out.names.emplace(name);
    }
    if (out.names.empty())
        return Error{"name at least one section"};
    return out;
}

} // namespace alidade::data
