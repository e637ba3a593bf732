// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/differing_fields.h"

#include "model/base/text.h"
#include "model/scenario/choice_names.h"

#include <algorithm>

namespace alidade::data {

namespace {

std::string shownText(const Field& field, const FieldValue& value) {
    const std::string typed = fieldText(field, value);
    const auto* whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr && typed == std::to_string(*whole) ? formatCount(*whole)
                                                               : fieldTextInWords(field, typed);
}

} // namespace

std::vector<DifferingField> differingFields(std::span<const ScenarioSpec* const> filled) {
    std::vector<DifferingField> out;
    for (const Field& field : fieldTable()) {
        if (field.path == "name")
            continue;
        DifferingField each{.field = &field, .texts = {}, .shown = {}};
        for (const ScenarioSpec* spec : filled) {
            const FieldValue value = field.get(*spec);
            each.texts.push_back(fieldText(field, value));
            each.shown.push_back(shownText(field, value));
        }
        const bool same =
            std::ranges::all_of(each.texts, [&](const std::string& t) { return t == each.texts.front(); });
        if (!same)
            out.push_back(std::move(each));
    }
    return out;
}

} // namespace alidade::data
