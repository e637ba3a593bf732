// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/edit.h"

#include "model/scenario/choice_names.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade {

std::optional<ScenarioSpec> applyEdit(const ScenarioSpec& spec, const Edit& edit) {
    ScenarioSpec out = spec;
    for (const auto& [path, text] : edit) {
        const Field* field = findField(path);
        const auto value = field ? parseField(*field, text) : Result<FieldValue>(Error{"unknown field"});
        if (!value || !checkField(*field, *value).empty())
            return std::nullopt;
        field->set(out, *value);
    }
    return out;
}

Edit changesOf(const ScenarioSpec& spec, const Edit& edit) {
    Edit out;
    for (const auto& [path, text] : edit) {
        const Field* field = findField(path);
        if (field && fieldText(*field, field->get(spec)) != text)
            out.emplace_back(path, text);
    }
    return out;
}

std::string describeEdit(const Edit& whole) {
    Edit edit = whole; // fields to set first, then fields to clear
    std::ranges::stable_partition(edit, [](const auto& each) { return !each.second.empty(); });
    std::string out;
    for (std::size_t i = 0; i < edit.size(); ++i) {
        const auto& [path, text] = edit[i];
        const Field* field = findField(path);
        const std::string label(field ? field->label : std::string_view(path));
        out += i == 0 ? "" : i + 1 == edit.size() ? " and " : ", ";
        out += text.empty() ? (i == 0 ? "Clear " : "clear ") + label
                            : (i == 0 ? "Set " : "") + label + " to " +
                                  (field ? fieldTextInWords(*field, text) : text);
    }
    return out;
}

} // namespace alidade
