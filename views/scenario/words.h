// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <QString>

namespace alidade::views {

/// The groups of the editor, top down.
enum class EditorGroup { workload, cluster, plan, speculation, prefillPool, decodePool, machine };
inline constexpr int editorGroupCount = 7;

/// Where a field stands in the editor. Fields that nobody placed by hand come last in the group of their
/// path, behind "More", so that a new field of the table is there at once.
struct FieldPlace {
    EditorGroup group = EditorGroup::plan;
    int rank = 0;        ///< order within the group
    bool common = false; ///< false: behind "More"
};

FieldPlace placeOf(const Field& field);

/// Does the field mean something beside the rest of the scenario? (A LoRA rank does not without LoRA.) A
/// field that is written always has a place, unless it is of the other kind of workload.
bool appliesNow(const Field& field, const ScenarioSpec& spec, const Catalog& catalog);

/// Does one of a field's choices mean something for the model? (Recomputing experts does not without
/// experts.)
bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog);

/// A choice's word for a person: "zero1" -> "ZeRO-1".
QString choiceText(std::string_view word);

/// What an integer counts, to stand beside it: "tokens", "sequences", "instances"; often empty.
QString unitOf(const Field& field);

} // namespace alidade::views
