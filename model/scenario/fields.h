// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/scenario/spec.h"
#include "model/units/quantity.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alidade {

struct Catalog;

/// The value of a field; monostate: the field is absent.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                std::vector<std::string>, std::vector<std::int64_t>>;

enum class FieldKind : std::uint8_t {
    flag,     ///< bool
    integer,  ///< std::int64_t
    quantity, ///< double in SI units of the field's dimension
    choice,   ///< one of `choices`
    text,     ///< free text, or an id of the catalog kind `catalogKind`
    wordList, ///< one word or a list of them (of `choices`, if there are any)
    integerList,
};

enum class AppliesTo : std::uint8_t { both, training, serving };

/// Groups of the editor, top down.
enum class FieldGroup : std::uint8_t {
    workload,
    cluster,
    plan,
    speculation,
    prefillPool,
    decodePool,
    machine
};
inline constexpr int fieldGroupCount = 7;

/// Whether a field has a meaning beside the rest of a scenario.
using FieldCondition = bool (*)(const ScenarioSpec&, const Catalog&);

/// One line of the table that describes every field of a ScenarioSpec. The JSON reader and writer, --set, the
/// editor, undo texts, sweeps and nearest-name errors are driven by it; there is no second list.
struct Field {
    static constexpr int lastPlace = 1000;

    std::string_view path;  ///< "plan.tensor_parallel", as in the file and in --set
    std::string_view label; ///< "Tensor", for the editor
    FieldKind kind = FieldKind::text;
    Dimension dimension = Dimension::number; ///< of a quantity
    /// Of an integer: the unit that may follow the number when it is typed, "8192 tokens".
    Dimension counts = Dimension::number;
    double minimum = 0, maximum = 0; ///< of an integer (each of a list) or a quantity, both included
    std::vector<std::string_view> choices;
    std::vector<std::string_view> alone; ///< of a word list: words that stand by themselves, "none" or "full"
    std::string_view catalogKind;        ///< "models", "instances", ...: the value is an id of that kind
    AppliesTo appliesTo = AppliesTo::both;
    bool degree = false; ///< a parallel degree: its legal values follow from the rest (legalDegrees)
    FieldGroup group = FieldGroup::plan;
    int place = lastPlace;         ///< order within the group
    bool common = false;           ///< false: the editor shows it behind "More"
    std::string_view unit;         ///< what an integer counts, to be shown beside it: "tokens"; often empty
    FieldCondition when = nullptr; ///< nullptr: always; see fieldApplies
    std::string_view doc;          ///< one line
    std::string_view defaultDoc;   ///< what holds when it is absent
    /// Paths (or sections of paths) that this field stands instead of: setting it clears them, and a file
    /// that has both is refused.
    std::vector<std::string_view> excludes;
    /// A rule beyond kind, range and choices, of a value that obeys those: empty, or what is wrong and right.
    std::function<std::string(const FieldValue&)> rule;
    std::function<FieldValue(const ScenarioSpec&)> get;
    /// Sets or (monostate) clears. The value must be of the field's kind: see checkField.
    std::function<void(ScenarioSpec&, const FieldValue&)> set;
};

/// All fields, in the order of the contract.
std::span<const Field> fieldTable();

/// Is `path` one of the paths that the field excludes, or inside such a section?
bool excludesPath(const Field& field, std::string_view path);

/// nullptr if there is no such path.
const Field* findField(std::string_view path);

/// The known path nearest to an unknown one, for error messages; empty if none is near.
std::string nearestField(std::string_view path);

/// Reads what a person typed (with units where the field has a dimension; lists separated by commas). An
/// empty text clears the field.
Result<FieldValue> parseField(const Field& field, std::string_view text);

/// Is the value of the field's kind, in range, and one of its choices? Absent is always fine.
/// \returns an empty text, or what is wrong and what would be right
std::string checkField(const Field& field, const FieldValue& value);

/// The value as a person would type it; empty if absent. parseField(fieldText(v)) is v.
std::string fieldText(const Field& field, const FieldValue& value);

/// parseField and set by path: what --set and a fix do.
Result<ScenarioSpec> withField(const ScenarioSpec& spec, std::string_view path, std::string_view text);

/// Does the field have a meaning beside the rest of the scenario? (A LoRA rank has none without LoRA.) A
/// field that has a value does, unless it belongs to the other kind of workload.
bool fieldApplies(const Field& field, const ScenarioSpec& spec, const Catalog& catalog);

/// Does one of a field's choices have a meaning for the model? (Recomputing experts has none without
/// experts.)
bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog);

/// The values of a parallel degree (or micro-batch, virtual pipeline, data parallel) that are legal beside
/// the rest of the spec, ascending; empty if the field is no degree or the spec does not resolve. `why` (may
/// be null) receives the rule that limits them, for a tooltip.
std::vector<std::int64_t> legalDegrees(const Field& field, const ScenarioSpec& spec, const Catalog& catalog,
                                       std::string* why = nullptr);

} // namespace alidade
