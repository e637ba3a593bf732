// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/explore/explore_words.h"

#include "model/catalog/catalog.h"
#include "model/scenario/choice_names.h"
#include "views/document/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace alidade::views {

namespace {

bool isSwept(const Field& field, bool numbersOnly) {
    switch (field.kind) {
    case FieldKind::integer:
    case FieldKind::quantity:
        return true;
    case FieldKind::choice:
    case FieldKind::flag:
        return !numbersOnly;
    default:
        return !numbersOnly && (field.isDate || field.path == "plan.recompute");
    }
}

/// A label alone may represent several fields: "Tensor" of the plan and of a pool.
QString longLabel(const Field& field, const Scenario& scenario) {
    for (const Field& other : fieldTable())
        if (&other != &field && other.label == field.label && other.get(scenario.spec) != FieldValue())
            return text(field.label) + u" (" + text(field.path.substr(0, field.path.rfind('.'))) + u')';
    return text(field.label);
}

} // namespace

QList<NamedPath> sweptVariables(const Scenario& scenario, const Catalog& catalog, bool numbersOnly) {
    QList<NamedPath> out;
    for (const Field& field : fieldTable()) {
        const AppliesTo other = scenario.isServing() ? AppliesTo::training : AppliesTo::serving;
        const FieldValue value = field.get(scenario.spec);
        const bool number = field.kind == FieldKind::integer || field.kind == FieldKind::quantity;
        // A number or a date without a value has nothing to be varied from.
        const bool startsSomewhere = field.isDate ? value != FieldValue() : !number || numberOf(value);
        if (field.appliesTo != other && isSwept(field, numbersOnly) &&
            fieldApplies(field, scenario.spec, catalog) && startsSomewhere)
            out.append({longLabel(field, scenario), text(field.path)});
    }
    for (std::size_t i = 0; i < inputCount; ++i) {
        const auto input = static_cast<Input>(i);
        if (mayVary(scenario, input) && leadingInput(scenario, input) == input && originsOf(scenario)[i].used)
            out.append({text(inputInfo(input).label), text(inputInfo(input).name)});
    }
    return out;
}

QList<NamedPath> figuresOf(const Scenario& scenario) {
    QList<NamedPath> out;
    for (const PlanFigure& each : planFigures()) {
        const bool ofRun = each.path == "training.run_time_s" || each.path == "cost.dollars_per_run" ||
                           each.path == "cost.energy_kwh";
        const bool ofMoney = each.path.starts_with("cost.");
        if (each.isOf(scenario.spec.workload) && (scenario.hasTokens || !ofRun) &&
            (scenario.hasPrice || !ofMoney))
            out.append({text(each.label), text(each.path)});
    }
    return out;
}

QString usualVariable(const Scenario& scenario, int place) {
    if (!scenario.isServing())
        return place == 0 ? QStringLiteral("workload.global_batch")
                          : QStringLiteral("workload.sequence_length");
    if (place == 1)
        return QStringLiteral("workload.input_tokens");
    return scenario.spec.workload.concurrency ? QStringLiteral("workload.concurrency")
                                              : QStringLiteral("workload.request_rate_per_s");
}

QString usualFigure(const Scenario& scenario, int place) {
    if (scenario.isServing())
        return place == 2 && scenario.hasPrice ? QStringLiteral("cost.dollars_per_million_tokens")
                                               : QStringLiteral("serving.tpot_s");
    if (place == 2 && scenario.hasPrice && scenario.hasTokens)
        return QStringLiteral("cost.dollars_per_run");
    return place == 1 ? QStringLiteral("training.mfu") : QStringLiteral("training.tokens_per_s");
}

QString labelOf(const Variable& variable) { return text(variable.label()); }

QString valueInWords(const Variable& variable, const FieldValue& value) {
    const auto number = numberOf(value);
    if (number && !variable.isInteger())
        return quantity(*number, variable.dimension(), {.trimZeros = true});
    if (number)
        return quantity(*number, Dimension::number, {.significant = 9, .trimZeros = true});
    if (const bool* flag = std::get_if<bool>(&value))
        return *flag ? QCoreApplication::translate("Explore", "yes")
                     : QCoreApplication::translate("Explore", "no");
    const QString words = text(fieldTextInWords(*variable.field(), fieldText(*variable.field(), value)));
    return words.isEmpty() ? QCoreApplication::translate("Explore", "default") : words;
}

QString pointInWords(const Sweep& sweep, const SweepPoint& point) {
    QStringList parts;
    for (std::size_t i = sweep.axes.size(); i-- > 0;)
        parts.append(labelOf(sweep.axes[i].variable) + u' ' +
                     valueInWords(sweep.axes[i].variable, point.values[i]));
    return parts.join(QStringLiteral(", "));
}

Edit editOf(const Variable& variable, const FieldValue& value, const ScenarioSpec& spec) {
    if (variable.field())
        return {{std::string(variable.field()->path), fieldText(*variable.field(), value)}};
    // A price is a number of the catalog, and can be agreed on for a scenario.
    if (variable.input() == Input::price && !spec.cluster.ultraserver && numberOf(value)) {
        const Field* field = findField("cluster.dollars_per_instance_hour");
        return {{"cluster.purchase", "custom"}, {std::string(field->path), fieldText(*field, value)}};
    }
    return {};
}

Edit editOf(const Sweep& sweep, const SweepPoint& point, const ScenarioSpec& spec) {
    Edit out = point.plan;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        const Edit part = editOf(sweep.axes[i].variable, point.values[i], spec);
        if (part.empty())
            return {};
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

} // namespace alidade::views
