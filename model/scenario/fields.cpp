// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/fields.h"

#include "model/catalog/catalog.h"
#include "model/scenario/fields_builder.h"
#include "model/units/text.h"

#include <algorithm>
#include <unordered_map>

namespace alidade {

namespace {

/// Returns whether `path` is the section or inside it. "cluster.custom" contains "cluster.custom.gpu".
bool inSection(std::string_view path, std::string_view section) {
    return path.starts_with(section) && (path.size() == section.size() || path[section.size()] == '.');
}

/// Makes setting a field clear the fields that it excludes.
void wireExclusions(std::vector<Field>& table) {
    struct Clearing {
        std::size_t field;
        std::vector<std::function<void(ScenarioSpec&, const FieldValue&)>> clear;
    };
    std::vector<Clearing> all;
    for (std::size_t i = 0; i < table.size(); ++i) {
        Clearing clearing{i, {}};
        for (const Field& other : table)
            if (excludesPath(table[i], other.path))
                clearing.clear.push_back(other.set);
        if (!clearing.clear.empty())
            all.push_back(std::move(clearing));
    }
    for (Clearing& clearing : all) {
        Field& field = table[clearing.field];
        field.set = [set = field.set, clear = std::move(clearing.clear)](ScenarioSpec& spec,
                                                                         const FieldValue& value) {
            if (!std::holds_alternative<std::monostate>(value))
                for (const auto& each : clear)
                    each(spec, {});
            set(spec, value);
        };
    }
}

/// Returns the default group of a field.
FieldGroup groupOfPath(std::string_view path) {
    if (path == "name" || inSection(path, "workload"))
        return FieldGroup::workload;
    if (inSection(path, "plan.disaggregated.prefill"))
        return FieldGroup::prefillPool;
    if (path == "plan.placement" || inSection(path, "plan.train") || inSection(path, "plan.rollout"))
        return FieldGroup::roles;
    return inSection(path, "cluster")              ? FieldGroup::cluster
           : inSection(path, "order")              ? FieldGroup::cluster
           : inSection(path, "run")                ? FieldGroup::run
           : inSection(path, "plan.speculative")   ? FieldGroup::speculation
           : inSection(path, "plan.disaggregated") ? FieldGroup::decodePool
                                                   : FieldGroup::plan;
}

std::vector<Field> makeTable() {
    using fields::Line;
    std::vector<Field> table;
    table.push_back(Line(
                        "name", "Name", [](auto& s) -> auto& { return s.name; }, "name of the scenario")
                        .absent("model on cluster"));
    fields::appendWorkload(table);
    fields::appendCluster(table);
    fields::appendTrainingPlan(table);
    fields::appendServingPlan(table);
    fields::appendOrder(table);
    fields::appendRoles(table);
    fields::appendRun(table);
    table.push_back(Line(
                        "calibration", "Calibration", [](auto& s) -> auto& { return s.calibration; },
                        "constants of the cost model: a profile's name or file")
                        .common(FieldGroup::machine, 450)
                        .absent("default"));
    for (Field& field : table)
        if (field.place == Field::lastPlace)
            field.group = groupOfPath(field.path);
    wireExclusions(table);
    return table;
}

std::string_view lastPart(std::string_view path) { return path.substr(path.rfind('.') + 1); }

/// "tensor_parallel" -> "tp"
std::string initials(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (i == 0 || name[i - 1] == '_')
            out += name[i];
    return out;
}

} // namespace

std::span<const Field> fieldTable() {
    static const std::vector<Field> table = makeTable();
    return table;
}

bool excludesPath(const Field& field, std::string_view path) {
    return std::any_of(field.excludes.begin(), field.excludes.end(),
                       [path](std::string_view section) { return inSection(path, section); });
}

const Field* findField(std::string_view path) {
    static const std::unordered_map<std::string_view, const Field*> known = [] {
        std::unordered_map<std::string_view, const Field*> out;
        for (const Field& field : fieldTable())
            out.emplace(field.path, &field);
        return out;
    }();
    const auto found = known.find(path);
    return found == known.end() ? nullptr : found->second;
}

std::string nearestField(std::string_view path) {
    const auto table = fieldTable();
    const std::string_view name = lastPart(path);
    for (const Field& field : table) // the right name, without or with the wrong section
        if (lastPart(field.path) == name)
            return std::string(field.path);
    for (const Field& field : table) // "tp"
        if (name.size() > 1 && initials(lastPart(field.path)) == name)
            return std::string(field.path);
    std::vector<std::string> paths, names;
    for (const Field& field : table) {
        paths.emplace_back(field.path);
        names.emplace_back(lastPart(field.path));
    }
    // The name matters more than the section: "plan.tensor_paralel" and "tensor_paralel" mean the same.
    const std::string near = nearestName(name, names);
    if (!near.empty())
        return paths[static_cast<std::size_t>(std::find(names.begin(), names.end(), near) - names.begin())];
    return nearestName(path, paths);
}

Result<ScenarioSpec> withField(const ScenarioSpec& spec, std::string_view path, std::string_view text) {
    const Field* field = findField(path);
    if (!field) {
        const std::string near = nearestField(path);
        return Error{"there is no field " + quoted(path) +
                     (near.empty() ? "" : "; the nearest is '" + near + "'")};
    }
    const Result<FieldValue> value = parseField(*field, text);
    if (!value)
        return Error{value.error()};
    ScenarioSpec out = spec;
    field->set(out, *value);
    return out;
}

} // namespace alidade
