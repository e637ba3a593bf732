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

/// The value of a field; monostate if the field is absent.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                                std::vector<std::string>, std::vector<std::int64_t>>;

enum class FieldKind : std::uint8_t {
    flag,     ///< bool
    integer,  ///< std::int64_t
    quantity, ///< double in SI units of the field's dimension
    choice,   ///< one of `choices`
    text,     ///< free text, or an ID of the catalog kind `catalogKind`
    wordList, ///< one word or a list of words (from `choices`, if not empty)
    integerList,
};

/// Kinds of workload that a field belongs to; `both`: training and serving; `learning`: training and
/// reinforcement learning.
enum class AppliesTo : std::uint8_t { both, training, serving, reinforcement, learning, all };
/// Returns whether a field of this applicability belongs to a workload of this kind.
bool belongsTo(AppliesTo which, const WorkloadSpec& workload);
/// Names kinds of workload in a sentence: "a field of serving, and this scenario is training".
std::string_view kindName(AppliesTo which);
std::string_view kindName(const WorkloadSpec& workload);

/// Groups of the editor, from top to bottom.
enum class FieldGroup : std::uint8_t {
    workload,
    cluster,
    plan,
    speculation,
    prefillPool,
    decodePool,
    roles,
    run,
    machine
};
inline constexpr int fieldGroupCount = 9;

/// Returns whether a field is meaningful for a scenario.
using FieldCondition = bool (*)(const ScenarioSpec&, const Catalog&);

/// A word and its display name, a text of static lifetime.
struct ChoiceName {
    std::string_view word;
    const char* name;
};

/// One line of the table that describes every field of a ScenarioSpec. It drives the JSON reader and writer,
/// --set, the editor, undo texts, sweeps and nearest-name errors; there is no second list.
struct Field {
    static constexpr int lastPlace = 1000;

    std::string_view path;  ///< "plan.tensor_parallel", as in the file and in --set
    std::string_view label; ///< "Tensor", for the editor
    FieldKind kind = FieldKind::text;
    Dimension dimension = Dimension::number; ///< of a quantity
    /// Integers only: the unit that may follow a typed number, "8192 tokens".
    Dimension counts = Dimension::number;
    double minimum = 0, maximum = 0; ///< inclusive range of an integer (each of a list) or a quantity
    std::vector<std::string_view> choices;
    /// Words that a scenario may have besides, but that nobody is offered: Spot is compared, not planned
    /// with.
    std::vector<std::string_view> unoffered;
    bool isTermOfPrice = false; ///< a scenario may have any term of a price of the catalog besides
    /// Of words that only this field has, or that mean something else in another; see choiceName() for all.
    std::vector<ChoiceName> names;
    std::vector<std::string_view> alone; ///< of a word list: words that exclude all others, "none" or "full"
    std::string_view catalogKind;        ///< "models", "instances", ...: the value is an ID of that kind
    AppliesTo appliesTo = AppliesTo::both;
    bool isDate = false; ///< of a text: "2027-01-04"
    bool degree = false; ///< a parallel degree; legalDegrees returns its legal values
    FieldGroup group = FieldGroup::plan;
    int place = lastPlace;         ///< order within the group
    bool common = false;           ///< false: the editor shows it behind "More"
    std::string_view unit;         ///< what an integer counts, shown next to it: "tokens"; often empty
    FieldCondition when = nullptr; ///< nullptr: always; see fieldApplies
    std::string_view doc;          ///< one line
    std::string_view defaultDoc;   ///< what applies when it is absent
    /// Paths (or sections of paths) that this field replaces: setting it clears them, and a file that
    /// contains both is rejected.
    std::vector<std::string_view> excludes;
    /// An additional rule for values that pass the checks of kind, range and choices. Returns an empty text,
    /// or what is wrong and how to fix it.
    std::function<std::string(const FieldValue&)> rule;
    std::function<FieldValue(const ScenarioSpec&)> get;
    /// Sets or (monostate) clears. The value must be of the field's kind: see checkField.
    std::function<void(ScenarioSpec&, const FieldValue&)> set;
};

/// Returns all fields, in the order of the scenario format.
std::span<const Field> fieldTable();

/// Returns whether the field excludes `path` or a section that contains it.
bool excludesPath(const Field& field, std::string_view path);

/// Returns the field, or nullptr if the path does not exist.
const Field* findField(std::string_view path);

/// Returns the known path nearest to an unknown one, for error messages; empty if none is near.
std::string nearestField(std::string_view path);

/// Parses typed text (with units where the field has a dimension; lists separated by commas). An empty text
/// clears the field.
Result<FieldValue> parseField(const Field& field, std::string_view text);

/// Checks that the value has the field's kind, is in range and is one of its choices. An absent value is
/// always valid.
/// \returns an empty text, or what is wrong and how to fix it
std::string checkField(const Field& field, const FieldValue& value);

/// Checks the words of all choices of a scenario. Files and the editor are checked field by field; this is
/// for scenarios that are built otherwise.
/// \returns an empty text, or the JSON pointer of the first field with an unknown word and what is wrong with
/// it
std::string checkChoices(const ScenarioSpec& spec, const Catalog& catalog);

/// Returns the value as typed text; empty if absent. parseField(fieldText(v)) is v.
std::string fieldText(const Field& field, const FieldValue& value);

/// Parses and sets a field by path, as --set and fixes do.
Result<ScenarioSpec> withField(const ScenarioSpec& spec, std::string_view path, std::string_view text);

/// Returns whether the field is meaningful for the rest of the scenario. (A LoRA rank is not without LoRA.) A
/// field with a value always is, unless it belongs to the other kind of workload.
bool fieldApplies(const Field& field, const ScenarioSpec& spec, const Catalog& catalog);

/// Returns whether a choice of the field is meaningful for the model. (Recomputing experts is not without
/// experts.)
bool choiceApplies(const Field& field, std::string_view word, const ScenarioSpec& spec,
                   const Catalog& catalog);

/// Returns the values of a parallel degree (or micro-batch, virtual pipeline, data parallel) that are legal
/// for the rest of the spec, ascending. Empty if the field is not a degree or the spec does not resolve.
/// `why` (may be null) receives the rule that limits them, for a tooltip.
std::vector<std::int64_t> legalDegrees(const Field& field, const ScenarioSpec& spec, const Catalog& catalog,
                                       std::string* why = nullptr);

} // namespace alidade
