// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/search/plan_words.h"

#include "model/catalog/catalog.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/edit.h"
#include "model/scenario/fields.h"
#include "model/scenario/rented_machines.h"
#include "model/scenario/scenario.h"
#include "views/document/text.h"
#include "views/search/search_source.h"

namespace alidade::views {

QString planValue(const CatalogSearch& answer, const Edit& set, const FreeField& field) {
    const auto spec = applyEdit(answer.question.base, set);
    if (!spec)
        return {};
    if (field.path == "cluster.instance") {
        const std::string id =
            spec->cluster.ultraserver.value_or(spec->cluster.instance.value_or(std::string()));
        return QStringLiteral("%1 x %2").arg(machineCount(*spec)).arg(text(id));
    }
    if (isMachineCount(field.path))
        return QString::number(machineCount(*spec));
    const Field* known = findField(field.path);
    if (known == nullptr)
        return {};
    std::string value = fieldText(*known, known->get(*spec));
    if (value.empty() && answer.catalog && answer.profile) {
        if (const auto resolved = resolve(*spec, *answer.catalog, *answer.profile))
            value = fieldText(*known, known->get(resolved->spec));
    }
    return text(value.empty() ? std::string(known->defaultDoc) : fieldTextInWords(*known, value));
}

} // namespace alidade::views
