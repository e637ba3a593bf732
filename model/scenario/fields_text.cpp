// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"
#include "model/catalog/price_choice.h"
#include "model/scenario/fields.h"
#include "model/scenario/problem.h"
#include "model/units/dimension.h"
#include "model/units/format.h"
#include "model/units/parse.h"
#include "model/units/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace alidade {

namespace {

constexpr double largestInteger = 9007199254740992.0; // 2^53: every smaller whole number is exact as a double

std::string joined(const std::vector<std::string_view>& words) {
    std::string out;
    for (const std::string_view word : words)
        out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::vector<std::string_view> split(std::string_view text) {
    if (text.starts_with('[') && text.ends_with(']'))
        text = text.substr(1, text.size() - 2);
    std::vector<std::string_view> parts;
    for (std::size_t comma; (comma = text.find(',')) != std::string_view::npos; text.remove_prefix(comma + 1))
        parts.push_back(trimmed(text.substr(0, comma)));
    parts.push_back(trimmed(text));
    return parts;
}

/// Returns the range in the units of the field: "1 to 65,536", "1 MB to 1 PB".
std::string rangeText(const Field& field) {
    const FormatOptions exact{.significant = 6, .binary = false, .trimZeros = true, .fixed = {}};
    const auto bound = [&](double value) { return formatQuantity(value, field.dimension, exact); };
    return bound(field.minimum) + " to " + bound(field.maximum);
}

std::string checkRange(const Field& field, double value) {
    if (std::isfinite(value) && value >= field.minimum && value <= field.maximum)
        return {};
    const std::string text = std::isfinite(value) ? editText(value, field.dimension) : "the number";
    return text + " is out of range; use " + rangeText(field);
}

std::string checkWord(const Field& field, const std::string& word) {
    if (field.choices.empty() ||
        std::find(field.choices.begin(), field.choices.end(), word) != field.choices.end()) {
        return {};
    }
    const std::string near = nearestName(word, {field.choices.begin(), field.choices.end()});
    return quoted(word) + " is not a valid choice" + (near.empty() ? "" : ", the nearest is '" + near + "'") +
           "; use one of " + joined(field.choices);
}

std::string checkText(const std::string& text) {
    constexpr std::size_t longest = 1000;
    if (text.empty())
        return "the text is empty; enter a value or leave the field out";
    if (text.size() > longest)
        return "the text is too long; use at most 1,000 bytes";
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
        return quoted(text) + " contains control characters; use printable characters";
    return {};
}

std::string checkWords(const Field& field, const std::vector<std::string>& words) {
    if (words.empty())
        return "the list is empty; give at least one item or leave the field out";
    for (const std::string& word : words) {
        if (word.empty() || word.find(',') != std::string::npos || word != trimmed(word))
            return quoted(word) + " is not a valid list item; use words without commas or surrounding spaces";
        for (std::string wrong : {checkText(word), checkWord(field, word)})
            if (!wrong.empty())
                return wrong;
        if (std::count(words.begin(), words.end(), word) > 1)
            return quoted(word) + " is listed twice; list it once";
        const bool alone = std::find(field.alone.begin(), field.alone.end(), word) != field.alone.end();
        if (alone && words.size() > 1)
            return quoted(word) + " cannot be combined with other words; leave them out";
    }
    return {};
}

std::string checkIntegers(const Field& field, const std::vector<std::int64_t>& values) {
    if (values.empty())
        return "the list is empty; give at least one number or leave the field out";
    for (const std::int64_t each : values)
        if (std::string wrong = checkRange(field, static_cast<double>(each)); !wrong.empty())
            return wrong;
    return {};
}

std::string wrongKind(const Field& field) {
    switch (field.kind) {
    case FieldKind::flag:
        return "the value is not a Boolean; use true or false";
    case FieldKind::integer:
        return "the value is not a whole number; use " + rangeText(field);
    case FieldKind::quantity:
        return "the value is not a number; use " + rangeText(field);
    case FieldKind::choice:
        return "the value is not text; use one of " + joined(field.choices);
    case FieldKind::text:
        return field.catalogKind.empty()
                   ? "the value is not text; use text"
                   : "the value is not text; use an ID from the catalog's " + std::string(field.catalogKind);
    case FieldKind::wordList:
        return "the value is not a list of words; use " +
               (field.choices.empty() ? "words" : "one or more of " + joined(field.choices));
    case FieldKind::integerList:
        return "the value is not a list of whole numbers; use numbers from " + rangeText(field);
    }
    return {};
}

Result<FieldValue> parseFlag(std::string_view text) {
    const std::string word = lowerCase(text);
    for (const std::string_view yes : {"true", "yes", "on", "1"})
        if (word == yes)
            return FieldValue(true);
    for (const std::string_view no : {"false", "no", "off", "0"})
        if (word == no)
            return FieldValue(false);
    return Error{quoted(text) + " is not a Boolean; use true or false"};
}

Result<FieldValue> parseInteger(const Field& field, std::string_view text) {
    const Result<double> value = parseQuantity(text, field.counts);
    if (!value)
        return Error{value.error()};
    if (*value != std::trunc(*value) || std::abs(*value) > largestInteger)
        return Error{quoted(text) + " is not a whole number; use " + rangeText(field)};
    return FieldValue(static_cast<std::int64_t>(*value));
}

Result<FieldValue> parseIntegers(std::string_view text) {
    std::vector<std::int64_t> out;
    for (const std::string_view part : split(text)) {
        std::int64_t value = 0;
        const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (failed != std::errc() || end != part.data() + part.size()) {
            return Error{quoted(part) +
                         " is not a whole number; separate the numbers with commas, such as 8, 8, 7, 7"};
        }
        out.push_back(value);
    }
    return FieldValue(std::move(out));
}

/// Returns the word as the field spells it, ignoring case.
std::string spelled(const Field& field, std::string_view word) {
    const std::string lower = lowerCase(word);
    for (const auto* known : {&field.choices, &field.alone})
        if (std::find(known->begin(), known->end(), lower) != known->end())
            return lower;
    return std::string(word);
}

Result<FieldValue> parseKind(const Field& field, std::string_view text) {
    const std::string_view tight = trimmed(text);
    switch (field.kind) {
    case FieldKind::flag:
        return parseFlag(tight);
    case FieldKind::integer:
        return parseInteger(field, tight);
    case FieldKind::quantity: {
        const Result<double> value = parseQuantity(tight, field.dimension);
        return value ? Result<FieldValue>(FieldValue(*value)) : Result<FieldValue>(Error{value.error()});
    }
    case FieldKind::choice:
        return FieldValue(spelled(field, tight));
    case FieldKind::text:
        return FieldValue(std::string(field.catalogKind.empty() ? text : tight));
    case FieldKind::wordList: {
        std::vector<std::string> words;
        for (const std::string_view word : split(tight))
            words.push_back(spelled(field, word));
        return FieldValue(std::move(words));
    }
    case FieldKind::integerList:
        return parseIntegers(tight);
    }
    return FieldValue();
}

/// Returns whether a scenario may have a word that is not among the choices of its field.
bool isTaken(const Field& field, const std::string& word, const Catalog& catalog) {
    return std::ranges::find(field.unoffered, word) != field.unoffered.end() ||
           (field.isTermOfPrice && std::ranges::find(field.choices, word) == field.choices.end() &&
            std::ranges::any_of(catalog.prices,
                                [&](const Price& price) { return commitmentOf(price) == word; }));
}

} // namespace

std::string checkField(const Field& field, const FieldValue& value) {
    if (std::holds_alternative<std::monostate>(value))
        return {};
    std::string wrong = wrongKind(field);
    if (field.kind == FieldKind::flag && std::holds_alternative<bool>(value)) {
        wrong.clear();
    } else if (const auto* integer = std::get_if<std::int64_t>(&value);
               integer && field.kind == FieldKind::integer) {
        wrong = checkRange(field, static_cast<double>(*integer));
    } else if (const auto* number = std::get_if<double>(&value);
               number && field.kind == FieldKind::quantity) {
        wrong = checkRange(field, *number);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        if (field.kind == FieldKind::choice)
            wrong = checkWord(field, *text);
        else if (field.kind == FieldKind::text)
            wrong = checkText(*text);
    } else if (const auto* words = std::get_if<std::vector<std::string>>(&value);
               words && field.kind == FieldKind::wordList) {
        wrong = checkWords(field, *words);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value);
               integers && field.kind == FieldKind::integerList) {
        wrong = checkIntegers(field, *integers);
    }
    return wrong.empty() && field.rule ? field.rule(value) : wrong;
}

std::string checkChoices(const ScenarioSpec& spec, const Catalog& catalog) {
    static const std::vector<const Field*> withChoices = [] {
        std::vector<const Field*> out;
        for (const Field& field : fieldTable())
            if (!field.choices.empty())
                out.push_back(&field);
        return out;
    }();
    for (const Field* field : withChoices) {
        const FieldValue value = field->get(spec);
        std::string wrong;
        if (const auto* word = std::get_if<std::string>(&value))
            wrong = isTaken(*field, *word, catalog) ? std::string() : checkWord(*field, *word);
        else if (const auto* words = std::get_if<std::vector<std::string>>(&value))
            for (std::size_t i = 0; wrong.empty() && i < words->size(); ++i)
                wrong = checkWord(*field, (*words)[i]);
        if (!wrong.empty())
            return pointerOf(field->path) + ": " + wrong;
    }
    return {};
}

Result<FieldValue> parseField(const Field& field, std::string_view text) {
    if (trimmed(text).empty())
        return FieldValue();
    Result<FieldValue> value = parseKind(field, text);
    if (value) {
        if (std::string wrong = checkField(field, *value); !wrong.empty())
            return Error{std::move(wrong)};
    }
    return value;
}

std::string fieldText(const Field& field, const FieldValue& value) {
    if (const auto* flag = std::get_if<bool>(&value))
        return *flag ? "true" : "false";
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return std::to_string(*integer);
    if (const auto* number = std::get_if<double>(&value))
        return editText(*number, field.dimension);
    if (const auto* text = std::get_if<std::string>(&value))
        return *text;
    std::string out;
    const auto append = [&out](const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
    if (const auto* words = std::get_if<std::vector<std::string>>(&value))
        std::for_each(words->begin(), words->end(), append);
    else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value))
        for (const std::int64_t each : *integers)
            append(std::to_string(each));
    return out;
}

} // namespace alidade
