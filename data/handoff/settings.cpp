// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/settings.h"

#include "data/json/reader.h"
#include "model/scenario/fields.h"

#include <algorithm>

namespace alidade::data::handoff {

namespace {

template <class T>
std::string joined(const std::vector<T>& list) {
    std::string out;
    for (const T& each : list) {
        if (!out.empty())
            out += ',';
        if constexpr (std::is_same_v<T, std::string>)
            out += each;
        else
            out += std::to_string(each);
    }
    return out;
}

struct Word {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return numberText(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const std::vector<std::string>& value) const { return joined(value); }
    std::string operator()(const std::vector<std::int64_t>& value) const { return joined(value); }
};

bool isAboveOne(const ScenarioSpec& spec, const std::string& path) {
    return path.empty() || fieldNumber(spec, path, 1) > 1;
}

/// The exact number of decimal digits, also for fractions: 0.92.
void writeField(const Tool& tool, const FieldSpelling& field, const ScenarioSpec& spec, Settings& settings,
                std::vector<LeftOut>& left) {
    const std::string word = fieldWord(spec, field.path);
    if (word.empty() || word == field.omit || !isAboveOne(spec, field.needs))
        return;
    if (!field.option.empty() && field.values.empty()) {
        settings.set(field.option, word);
        return;
    }
    if (const auto at = field.values.find(word); at != field.values.end()) {
        settings.set(field.option, at->second);
        return;
    }
    const auto at = field.words.find(word);
    if (at == field.words.end()) {
        leaveOut(left, field.path, word, tool.name + " " + tool.version + " has no such choice");
        return;
    }
    for (const auto& [name, value] : at->second) {
        if (settings.has(name))
            continue;
        if (value.empty())
            settings.set(name);
        else
            settings.set(name, value);
    }
}

} // namespace

const std::string& Setting::value() const {
    static const std::string none;
    return values.empty() ? none : values.back();
}

Setting* Settings::use(std::string_view name) {
    Setting* found = nullptr;
    for (Setting& each : all) {
        if (each.name == name) {
            each.used = true;
            found = &each;
        }
    }
    return found;
}

const Setting* Settings::find(std::string_view name) const {
    const Setting* found = nullptr;
    for (const Setting& each : all)
        if (each.name == name)
            found = &each;
    return found;
}

std::string fieldWord(const ScenarioSpec& spec, std::string_view path) {
    const Field* field = findField(path);
    return field == nullptr ? std::string() : std::visit(Word{}, field->get(spec));
}

std::int64_t fieldNumber(const ScenarioSpec& spec, std::string_view path, std::int64_t absent) {
    const Field* field = findField(path);
    if (field == nullptr)
        return absent;
    const FieldValue value = field->get(spec);
    const auto* number = std::get_if<std::int64_t>(&value);
    return number == nullptr ? absent : *number;
}

void leaveOut(std::vector<LeftOut>& out, std::string path, std::string value, std::string why) {
    if (std::ranges::find(out, path, &LeftOut::path) == out.end())
        out.push_back({std::move(path), std::move(value), std::move(why)});
}

void writeFields(const Tool& tool, const ScenarioSpec& spec, Settings& settings, std::vector<LeftOut>& left) {
    for (const FieldSpelling& field : tool.fields)
        writeField(tool, field, spec, settings, left);
}

void leaveOutFields(const std::map<std::string, std::string>& why, const ScenarioSpec& written,
                    std::vector<LeftOut>& left) {
    for (const Field& field : fieldTable()) {
        const std::string path(field.path);
        const auto at = std::ranges::find_if(why, [&path](const auto& each) {
            return path == each.first || path.starts_with(each.first + ".");
        });
        const std::string word = at == why.end() ? std::string() : fieldWord(written, path);
        // What is absent in effect needs no word.
        const bool none = word == "none" || word == "0" || word == "false" || word == "full";
        const bool absent = (none && field.defaultDoc.starts_with(word)) || (field.degree && word == "1");
        if (!word.empty() && !absent)
            leaveOut(left, path, word, at->second);
    }
}

} // namespace alidade::data::handoff
