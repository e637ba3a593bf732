// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/library/spec_difference.h"

#include "data/scenario/scenario_json.h"
#include "model/base/text.h"
#include "model/scenario/fields.h"
#include "views/document/text.h"
#include "views/scenario/words.h"

#include <QCoreApplication>
#include <QLocale>

#include <cmath>
#include <optional>

namespace alidade::views {

namespace {

QString ownModelOf(const ScenarioSpec& spec) {
    const auto& model = spec.workload.architecture;
    return model ? text(model->name.empty() ? model->id : model->name) : QString();
}

/// Compared as it would be written: an architecture has no separate comparison.
std::string writtenModel(const ScenarioSpec& spec) {
    ScenarioSpec alone;
    alone.workload.architecture = spec.workload.architecture;
    return data::writeScenario(alone);
}

/// As it is typed, with thousands apart and the unit behind it.
QString shownValue(const Field& field, const FieldValue& value) {
    QString shown = text(fieldText(field, value));
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        shown = text(formatCount(*whole));
    const QString unit = unitOf(field);
    return shown.isEmpty() || unit.isEmpty() ? shown : shown + QLatin1Char(' ') + unit;
}

std::optional<double> numberOf(const FieldValue& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value))
        return *real;
    return std::nullopt;
}

QString changeBetween(const FieldValue& then, const FieldValue& now) {
    const auto before = numberOf(then), after = numberOf(now);
    if (!before || !after || *before == 0 || !std::isfinite(*after / *before))
        return {};
    const double change = *after / *before - 1;
    const QString words = quantity(std::abs(change), Dimension::ratio, {.significant = 3, .trimZeros = true});
    return (change < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + words;
}

} // namespace

QList<FieldDifference> differencesOf(const ScenarioSpec& then, const ScenarioSpec& now) {
    QList<FieldDifference> all;
    if (writtenModel(then) != writtenModel(now))
        all.append({QCoreApplication::translate("alidade::views::HistoryView", "Custom model"),
                    QStringLiteral("workload.model"),
                    ownModelOf(then),
                    ownModelOf(now),
                    {}});
    for (const Field& field : fieldTable()) {
        if (field.path == "name")
            continue;
        const FieldValue before = field.get(then);
        const FieldValue after = field.get(now);
        if (before != after)
            all.append({text(field.label), text(field.path), shownValue(field, before),
                        shownValue(field, after), changeBetween(before, after)});
    }
    return all;
}

} // namespace alidade::views
