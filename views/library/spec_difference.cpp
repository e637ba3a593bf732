// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/spec_difference.h"

#include "data/scenario/scenario_json.h"
#include "model/scenario/fields.h"
#include "views/document/text.h"

#include <QCoreApplication>

namespace alidade::views {

namespace {

QString ownModelOf(const ScenarioSpec& spec) {
    const auto& model = spec.workload.architecture;
    return model ? text(model->name.empty() ? model->id : model->name) : QString();
}

/// Compared as it would be written: an architecture has no comparison of its own.
std::string writtenModel(const ScenarioSpec& spec) {
    ScenarioSpec alone;
    alone.workload.architecture = spec.workload.architecture;
    return data::writeScenario(alone);
}

} // namespace

QList<FieldDifference> differencesOf(const ScenarioSpec& then, const ScenarioSpec& now) {
    QList<FieldDifference> all;
    if (writtenModel(then) != writtenModel(now))
        all.append({QCoreApplication::translate("alidade::views::HistoryView", "Model of one's own"),
                    QStringLiteral("workload.model"), ownModelOf(then), ownModelOf(now)});
    for (const Field& field : fieldTable()) {
        if (field.path == "name")
            continue;
        const FieldValue before = field.get(then);
        const FieldValue after = field.get(now);
        if (before != after)
            all.append({text(field.label), text(field.path), text(fieldText(field, before)),
                        text(fieldText(field, after))});
    }
    return all;
}

} // namespace alidade::views
