// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/scenario/scenario_json.h"

#include "data/catalog/architecture_json.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "data/json/writer.h"
#include "data/scenario/scenario_writer.h"
#include "model/scenario/visit.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {

namespace {

using Json = nlohmann::json;
using SpecField = alidade::Field;

/// Returns a whole number, which may be stored as a double: 8.0 counts, 8.5 and 1e300 do not.
std::optional<std::int64_t> wholeNumber(const Json& value) {
    constexpr double largest = 9007199254740992.0; // 2^53
    if (!value.is_number())
        return {};
    const double number = value.get<double>();
    if (number != std::trunc(number) || std::abs(number) > largest)
        return {};
    return static_cast<std::int64_t>(number);
}

template <class T, class Convert>
FieldValue listOf(const Json& array, Convert convert) {
    std::vector<T> out;
    for (const Json& each : array) {
        const std::optional<T> item = convert(each);
        if (!item)
            return {};
        out.push_back(*item);
    }
    return out;
}

std::optional<std::string> textOf(const Json& value) {
    return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

/// Returns the value as the kind of the field; monostate if it has another kind.
FieldValue convert(const SpecField& field, const Json& value) {
    switch (field.kind) {
    case FieldKind::flag:
        return value.is_boolean() ? FieldValue(value.get<bool>()) : FieldValue();
    case FieldKind::integer:
        if (const auto whole = wholeNumber(value))
            return *whole;
        return {};
    case FieldKind::quantity:
        return value.is_number() ? FieldValue(value.get<double>()) : FieldValue();
    case FieldKind::choice:
    case FieldKind::text:
        return value.is_string() ? FieldValue(value.get<std::string>()) : FieldValue();
    case FieldKind::wordList:
        if (value.is_string()) { // one keyword instead of a list
            const auto word = value.get<std::string>();
            const bool alone = std::find(field.alone.begin(), field.alone.end(), word) != field.alone.end();
            return alone ? FieldValue(std::vector{word}) : FieldValue();
        }
        return value.is_array() ? listOf<std::string>(value, textOf) : FieldValue();
    case FieldKind::integerList:
        return value.is_array() ? listOf<std::int64_t>(value, wholeNumber) : FieldValue();
    }
    return {};
}

std::string words(const std::vector<std::string_view>& list) {
    std::string out;
    for (const std::string_view word : list)
        out += (out.empty() ? "\"" : ", \"") + std::string(word) + '"';
    return out;
}

/// Returns what is expected where a value has the wrong kind.
std::string neededKind(const SpecField& field, const Json& value) {
    switch (field.kind) {
    case FieldKind::flag:
        return "true or false";
    case FieldKind::integer:
    case FieldKind::quantity: {
        const std::string needed =
            field.kind == FieldKind::integer ? "a whole number" : "a number in SI units";
        if (!value.is_string())
            return needed;
        const Result<FieldValue> meant = parseField(field, value.get<std::string>());
        if (!meant || std::holds_alternative<std::monostate>(*meant))
            return needed;
        const auto* integer = std::get_if<std::int64_t>(&*meant);
        return needed + ", without quotes: " +
               jsonNumber(integer ? static_cast<double>(*integer) : std::get<double>(*meant));
    }
    case FieldKind::choice:
        return "one of " + words(field.choices);
    case FieldKind::text:
        return field.path == "workload.model" ? "the id of a model, or an object with its architecture"
                                              : "a string";
    case FieldKind::wordList:
        return (field.alone.empty() ? "" : words(field.alone) + " or ") + "a list of strings" +
               (field.choices.empty() ? "" : " from " + words(field.choices));
    case FieldKind::integerList:
        return "a list of whole numbers";
    }
    return {};
}

class Reader {
public:
    explicit Reader(std::vector<JsonFault>& faults)
        : faults_(faults) {}

    void object(const Json& object, const std::string& section, const std::string& pointer) {
        for (const auto& [key, value] : object.items())
            member(section.empty() ? key : section + "." + key, key, value, below(pointer, key), section);
    }
    /// Two fields that exclude each other are a fault: it is unknown which one was meant.
    void checkExclusions() {
        for (const auto& [field, pointer] : present_) {
            const auto other =
                std::find_if(present_.begin(), present_.end(), [&field = field](const auto& each) {
                    return each.first < field && excludesPath(*field, each.first->path);
                });
            if (other != present_.end()) {
                addFault(faults_, {pointer, "cannot be combined with " + std::string(other->first->path) +
                                                "; remove one of the two"});
            }
        }
    }
    ScenarioSpec spec;

private:
    void member(const std::string& path, const std::string& key, const Json& value,
                const std::string& pointer, const std::string& section) {
        if (const SpecField* field = findField(path)) {
            if (!value.is_null())
                fieldValue(*field, value, pointer);
        } else if (isSection(path)) {
            if (value.is_object())
                object(value, path, pointer);
            else if (!value.is_null())
                addFault(faults_, {pointer, describe(value) + " where an object is expected"});
        } else if (path == "alidade") {
            if (value != 1)
                addFault(faults_, {pointer, describe(value) + " is not a version of this format; use 1"});
        } else {
            unknown(path, key, pointer, section);
        }
    }

    static bool isSection(const std::string& path) {
        const auto table = fieldTable();
        return std::any_of(table.begin(), table.end(),
                           [start = path + "."](const SpecField& f) { return f.path.starts_with(start); });
    }

    void unknown(const std::string& path, const std::string& key, const std::string& pointer,
                 const std::string& section) {
        if (isFull(faults_)) {
            addFault(faults_, {}); // only counted: searching for similar names is slow
            return;
        }
        std::string near = nearestField(path);
        const std::string here = section.empty() ? "" : section + ".";
        if (near.starts_with(here) && near.find('.', here.size()) == std::string::npos)
            near.erase(0, here.size());
        addFault(faults_, {pointer, "unknown field '" + key + "'" +
                                        (near.empty() ? "; remove it" : "; did you mean '" + near + "'?")});
    }

    void fieldValue(const SpecField& field, const Json& value, const std::string& pointer) {
        present_.emplace_back(&field, pointer);
        if (field.path == "workload.model" && value.is_object()) {
            spec.workload.architecture = readArchitecture(value, pointer, faults_);
            return;
        }
        const FieldValue converted = convert(field, value);
        if (std::holds_alternative<std::monostate>(converted)) {
            addFault(faults_,
                     {pointer, describe(value) + " has the wrong type; use " + neededKind(field, value)});
        } else if (std::string wrong = checkField(field, converted); !wrong.empty()) {
            addFault(faults_, {pointer, std::move(wrong)});
        } else {
            field.set(spec, converted);
        }
    }

    std::vector<JsonFault>& faults_;
    std::vector<std::pair<const SpecField*, std::string>> present_;
};

} // namespace

ScenarioReading readScenario(std::string_view text) {
    ScenarioReading out;
    const Result<Json> document = parseJson(text);
    if (!document) {
        addFault(out.faults, {"", document.error()});
        return out;
    }
    if (!document->is_object()) {
        addFault(out.faults, {"", describe(*document) + " where a scenario object is expected"});
        return out;
    }
    if (!document->contains("alidade"))
        addFault(out.faults, {"/alidade", "the format version is missing; add \"alidade\": 1"});
    Reader reader(out.faults);
    reader.object(*document, "", "");
    reader.checkExclusions();
    if (out.faults.empty())
        out.spec = std::move(reader.spec);
    return out;
}

Result<ScenarioSpec> readScenario(std::string_view text, std::string_view fileName) {
    ScenarioReading reading = readScenario(text);
    if (!reading.spec)
        return Error{faultText(fileName, reading.faults.front())};
    return *std::move(reading.spec);
}

std::string faultText(std::string_view fileName, const JsonFault& fault) {
    return text(std::string(fileName), fault);
}

std::string writeScenario(const ScenarioSpec& spec) {
    ScenarioWriter writer;
    writer.beginObject({});
    writer.integer("alidade", 1);
    visitScenario(spec, writer);
    writer.endObject();
    return writer.take();
}

} // namespace alidade::data
