// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/differing_fields.h"

#include <algorithm>

namespace alidade::data {

std::vector<DifferingField> differingFields(std::span<const ScenarioSpec* const> filled) {
    std::vector<DifferingField> out;
    for (const Field& field : fieldTable()) {
        if (field.path == "name")
            continue;
        DifferingField each{.field = &field, .texts = {}};
        for (const ScenarioSpec* spec : filled)
            each.texts.push_back(fieldText(field, field.get(*spec)));
        const bool same =
            std::ranges::all_of(each.texts, [&](const std::string& t) { return t == each.texts.front(); });
        if (!same)
            out.push_back(std::move(each));
    }
    return out;
}

} // namespace alidade::data
