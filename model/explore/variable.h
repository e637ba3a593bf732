// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/scenario/edit.h"
#include "model/scenario/fields.h"
#include "model/scenario/scenario.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// Something that a what-if can change: a field of the scenario, or a number that the estimate rests on, of
/// the catalog or of the calibration, by the name that it has among the assumptions ("memory_bandwidth").
class Variable {
public:
    enum class Kind : std::uint8_t { field, catalog, constant };

    /// \returns an error that names the nearest known field or number
    static Result<Variable> named(std::string_view path, const Scenario& scenario);
    explicit Variable(const Field& field)
        : field_(&field) {}
    explicit Variable(Input input)
        : kind_(isConstant(input) ? Kind::constant : Kind::catalog)
        , input_(input) {}

    std::string path() const;
    std::string label() const;
    Kind kind() const { return kind_; }
    const Field* field() const { return field_; }         ///< nullptr: a number of catalog or calibration
    std::optional<Input> input() const { return input_; } ///< absent: a field
    Dimension dimension() const;
    bool isNumber() const;                                   ///< has values that can be ordered
    bool isInteger() const;                                  ///< of them, whole numbers
    bool isDate() const { return field_ && field_->isDate; } ///< "2027-01-04"
    bool hasOrder() const { return isNumber() || isDate(); }
    double minimum() const; ///< inclusive
    double maximum() const;

    /// The value in a resolved scenario; monostate if it has none.
    FieldValue value(const Scenario& scenario) const;
    /// Reads a value with its unit.
    Result<FieldValue> parse(std::string_view text) const;
    /// A number as the kind of value that this variable has: integers are rounded.
    FieldValue valueOf(double number) const;

private:
    Kind kind_ = Kind::field;
    const Field* field_ = nullptr;
    std::optional<Input> input_;
};

/// The inputs of a scenario and where they are from; of two pools those of the last one.
const Inputs& inputsOf(const Scenario& scenario);
const InputOrigins& originsOf(const Scenario& scenario);

/// Whether a what-if can change an input: a number of the catalog or of the calibration that the scenario
/// uses. How much there is of something (GPUs) follows from the plan.
bool mayVary(const Scenario& scenario, Input input);

/// The parameter of the profile that an input was taken from; nullptr: from none, or it is exact.
const Parameter* uncertainParameter(const Scenario& scenario, const Profile& profile, Input input);

/// Says that an estimate has no such number, and which one is nearest.
std::string noSuchFigure(const Estimate& estimate, const std::string& path);

/// The input under whose name another one is known where both are the same number of the catalog or of the
/// calibration (the 16-bit peak of GEMMs and of the output layer, say); else the input itself.
Input leadingInput(const Scenario& scenario, Input input);

/// The number in a value; nullopt for words, lists and flags.
std::optional<double> numberOf(const FieldValue& value);

/// Where a value of a variable lies among the others: the number, or the day of a date (calendar.h). nullopt:
/// values of this variable have no order.
std::optional<double> placeOf(const Variable& variable, const FieldValue& value);

/// What to set: variables with their values.
using VariableSettings = std::vector<std::pair<Variable, FieldValue>>;

/// Changes the numbers of catalog and calibration in a resolved scenario; settings of fields are passed over.
void applyNumbers(Scenario& scenario, const VariableSettings& settings);

/// One figure of a changed scenario, and what limits the step there.
struct ExploredFigure {
    std::optional<double> value; ///< absent: it does not run, or has no such figure
    std::optional<Bound> bound;  ///< absent: it does not run
};

/// Estimates of one scenario under changes.
class Explorer {
public:
    /// \param simulate serving: play the engine where the closed form does not hold, as estimate() does
    Explorer(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile, bool simulate = true)
        : spec_(spec)
        , catalog_(catalog)
        , profile_(profile)
        , simulate_(simulate) {}

    Result<Scenario> scenarioWith(const VariableSettings& settings) const;
    /// The estimate with the settings applied. \returns an error for a request that means nothing
    /// \param plan fields to set besides, as typed
    Result<Estimate> with(const VariableSettings& settings, const Edit& plan = {}) const;
    /// One figure by its path; nothing if the changed scenario does not run.
    ExploredFigure figureAndBound(const std::string& path, const VariableSettings& settings) const;
    std::optional<double> figure(const std::string& path, const VariableSettings& settings) const {
        return figureAndBound(path, settings).value;
    }
    const Catalog& catalog() const { return catalog_; }
    const Profile& profile() const { return profile_; }
    /// The spec with the settings of fields applied.
    ScenarioSpec specWith(const VariableSettings& settings) const;

private:
    const ScenarioSpec& spec_;
    const Catalog& catalog_;
    const Profile& profile_;
    bool simulate_;
};

} // namespace alidade
