// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/calendar.h"
#include "model/base/plan_word.h"
#include "model/scenario/field_conditions.h"
#include "model/scenario/fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <utility>

namespace alidade::fields {

/// Builds one line of the field table. The kind of a field follows from the type of its member.
class Line {
public:
    /// \param member accesses the member for reading and writing: [](auto& spec) -> auto& { return spec.name;
    /// }
    template <class Member>
    Line(std::string_view path, std::string_view label, Member member, std::string_view doc) {
        using Optional = std::remove_reference_t<decltype(member(std::declval<ScenarioSpec&>()))>;
        using Value = typename Optional::value_type;
        describe(path, label, doc);
        field_.kind = kindOf<Value>();
        field_.get = [member](const ScenarioSpec& spec) {
            const Optional& value = member(spec);
            return value ? FieldValue(*value) : FieldValue();
        };
        field_.set = [member](ScenarioSpec& spec, const FieldValue& value) {
            Optional& target = member(spec);
            if (const Value* given = std::get_if<Value>(&value))
                target = *given;
            else
                target.reset();
        };
    }
    /// Of a choice whose member is an enumerator; the table has its words.
    template <class Member, class E, std::size_t n>
    Line(std::string_view path, std::string_view label, Member member,
         const std::array<PlanWord<E>, n>& words, std::string_view doc) {
        describe(path, label, doc);
        field_.kind = FieldKind::choice;
        field_.choices = wordsOf(words);
        field_.get = [member, words](const ScenarioSpec& spec) {
            const std::optional<E>& value = member(spec);
            const auto at = std::ranges::find(words, value, &PlanWord<E>::value);
            return at == words.end() ? FieldValue() : FieldValue(std::string(at->word));
        };
        field_.set = [member, words](ScenarioSpec& spec, const FieldValue& value) {
            const std::string* word = std::get_if<std::string>(&value);
            member(spec) = word != nullptr ? meaningOf(words, *word) : std::nullopt;
        };
    }

    Line& range(double minimum, double maximum) {
        field_.minimum = minimum;
        field_.maximum = maximum;
        return *this;
    }
    Line& measures(Dimension dimension) {
        field_.dimension = dimension;
        return *this;
    }
    Line& countsTokens() {
        field_.counts = Dimension::tokens;
        return *this;
    }
    Line& share() { return measures(Dimension::ratio).range(0, 1); } ///< 0..1
    Line& degree() {
        field_.degree = true;
        return range(1, 65'536);
    }
    Line& oneOf(std::vector<std::string_view> words) {
        field_.choices = std::move(words);
        field_.kind = field_.kind == FieldKind::text ? FieldKind::choice : field_.kind;
        return *this;
    }
    Line& purchaseOption(); ///< choices: how machines are bought
    Line& commitmentTerm(); ///< choices: the term and payment option of a commitment
    /// Names of choices that mean something else in another field.
    Line& named(std::vector<ChoiceName> names) {
        field_.names = std::move(names);
        return *this;
    }
    Line& alone(std::vector<std::string_view> words) {
        field_.alone = std::move(words);
        return *this;
    }
    Line& idOf(std::string_view catalogKind) {
        field_.catalogKind = catalogKind;
        return *this;
    }
    Line& training() { return appliesTo(AppliesTo::training); }
    Line& serving() { return appliesTo(AppliesTo::serving); }
    Line& reinforcement() { return appliesTo(AppliesTo::reinforcement); }
    Line& learning() { return appliesTo(AppliesTo::learning); }
    Line& excludes(std::vector<std::string_view> paths) {
        field_.excludes = std::move(paths);
        return *this;
    }
    Line& obeys(std::function<std::string(const FieldValue&)> rule) {
        field_.rule = std::move(rule);
        return *this;
    }
    /// The text is a date: year-month-day.
    Line& date() {
        field_.isDate = true;
        return obeys([](const FieldValue& value) {
            return dayOfDate(std::get<std::string>(value))
                       ? std::string()
                       : "it must be a date such as 2027-01-04 (year-month-day)";
        });
    }
    /// Marks a commonly used field: the editor shows it in its group, at this place.
    Line& common(FieldGroup group, int place) {
        field_.common = true;
        return inGroup(group, place);
    }
    Line& inGroup(FieldGroup group, int place) {
        field_.group = group;
        field_.place = place;
        return *this;
    }
    /// What an integer counts: "tokens".
    Line& unit(std::string_view text) {
        field_.unit = text;
        return *this;
    }
    Line& when(FieldCondition condition) {
        field_.when = condition;
        return *this;
    }
    /// What applies when the field is absent.
    Line& absent(std::string_view text) {
        field_.defaultDoc = text;
        return *this;
    }
    operator Field() const { return field_; }

private:
    void describe(std::string_view path, std::string_view label, std::string_view doc) {
        field_.path = path;
        // Layouts of reinforcement learning are those of its roles.
        field_.appliesTo = path.starts_with("plan.") ? AppliesTo::both : AppliesTo::all;
        field_.label = label;
        field_.doc = doc;
    }
    template <class Value>
    static constexpr FieldKind kindOf() {
        if constexpr (std::is_same_v<Value, bool>) {
            return FieldKind::flag;
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
            return FieldKind::integer;
        } else if constexpr (std::is_same_v<Value, double>) {
            return FieldKind::quantity;
        } else if constexpr (std::is_same_v<Value, std::string>) {
            return FieldKind::text;
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            return FieldKind::wordList;
        } else {
            static_assert(std::is_same_v<Value, std::vector<std::int64_t>>);
            return FieldKind::integerList;
        }
    }
    Line& appliesTo(AppliesTo kind) {
        field_.appliesTo = kind;
        return *this;
    }

    Field field_;
};

using Lines = std::vector<Field>;

// Each appends the lines of one section of the table.
void appendWorkload(Lines& lines);
void appendCluster(Lines& lines);
void appendTrainingPlan(Lines& lines);
void appendServingPlan(Lines& lines);
void appendOrder(Lines& lines);
void appendReinforcement(Lines& lines); ///< of the workload
/// Roles of reinforcement learning; their plans have the fields of the lines before.
void appendRoles(Lines& lines);
void appendRun(Lines& lines);

} // namespace alidade::fields
