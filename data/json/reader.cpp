// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/reader.h"

#include "data/json/json.h"
#include "model/catalog/catalog.h"
#include "model/units/text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace alidade::data {

using Json = nlohmann::json;

std::string numberText(double value) {
    constexpr double plain = 1e15; // whole numbers below are shown with all their digits
    if (value == std::floor(value) && std::abs(value) < plain)
        return std::to_string(static_cast<long long>(value));
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

namespace {

constexpr std::size_t longestPointer = 120, longestMessage = 240, longestLine = 300; // characters

std::string moreText(std::size_t more) {
    return "and " + std::to_string(more) + (more == 1 ? " more fault" : " more faults");
}

/// Returns the count of such a line, which is where it is stored.
std::size_t moreIn(const std::string& line) {
    return std::strtoull(line.c_str() + std::string_view("and ").size(), nullptr, 10);
}

} // namespace

std::size_t faultCount(const std::vector<JsonFault>& faults) {
    return faults.size() <= mostFaults ? faults.size() : mostFaults + faults.back().more;
}

std::size_t faultCount(const std::vector<std::string>& lines) {
    return lines.size() <= mostFaults ? lines.size() : mostFaults + moreIn(lines.back());
}

void addFault(std::vector<JsonFault>& faults, JsonFault fault) {
    if (faults.size() < mostFaults) {
        fault.pointer = printable(elided(fault.pointer, longestPointer));
        fault.message = printable(elided(fault.message, longestMessage));
        faults.push_back(std::move(fault));
        return;
    }
    if (faults.size() == mostFaults)
        faults.emplace_back();
    JsonFault& last = faults.back();
    ++last.more;
    last.message = moreText(last.more);
}

void addFault(std::vector<std::string>& lines, std::string_view line) {
    if (lines.size() < mostFaults) {
        lines.push_back(printable(elided(line, longestLine)));
        return;
    }
    if (lines.size() == mostFaults)
        lines.push_back(moreText(0));
    lines.back() = moreText(moreIn(lines.back()) + 1);
}

void addFaults(std::vector<std::string>& lines, const std::string& file,
               const std::vector<JsonFault>& faults) {
    for (const JsonFault& each : faults)
        if (each.more == 0)
            addFault(lines, text(file, each));
        else if (addFault(lines, {}); lines.size() > mostFaults)
            lines.back() = moreText(moreIn(lines.back()) + each.more - 1);
}

std::string text(const std::string& file, const JsonFault& fault) {
    return file + (fault.pointer.empty() ? "" : ":" + fault.pointer) + ": " + fault.message;
}

std::string below(std::string_view pointer, std::string_view key) {
    std::string out(pointer);
    out += '/';
    for (const char c : key)
        if (c == '~')
            out += "~0";
        else if (c == '/')
            out += "~1";
        else
            out += c;
    return out;
}

std::string below(std::string_view pointer, std::size_t index) {
    return std::string(pointer) + '/' + std::to_string(index);
}

std::string describe(const Json& value) {
    constexpr std::size_t longest = 40;
    switch (value.type()) {
    case Json::value_t::null:
        return "null";
    case Json::value_t::object:
        return "an object";
    case Json::value_t::array:
        return "an array";
    case Json::value_t::string: {
        const auto& text = value.get_ref<const std::string&>();
        const bool cut = text.size() > longest;
        std::size_t end = cut ? longest : text.size();
        while (cut && end > 0 &&
               (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) // not inside a character
            --end;
        return "the text \"" + text.substr(0, end) + (cut ? "...\"" : "\"");
    }
    case Json::value_t::boolean:
        return value.get<bool>() ? "true" : "false";
    default:
        return numberText(value.get<double>());
    }
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    constexpr std::size_t mostCompared = 1000, longestCompared = 200;
    const bool comparable = known.size() <= mostCompared && word.size() <= longestCompared;
    const std::string nearest = comparable ? nearestName(word, known) : std::string();
    if (!nearest.empty())
        return "; did you mean '" + nearest + "'?";
    constexpr std::size_t most = 24;
    if (known.empty() || known.size() > most)
        return {};
    std::string list = "; known: ";
    for (std::size_t i = 0; i < known.size(); ++i)
        list += (i == 0 ? "" : ", ") + known[i];
    return list;
}

namespace {

std::string rangeText(double low, double high, std::string_view unit) {
    constexpr double unbounded = 1e300;
    const std::string tail = unit.empty() ? "" : " " + std::string(unit);
    if (high >= unbounded)
        return low <= -unbounded ? "a number" + tail : numberText(low) + tail + " or more";
    return numberText(low) + " to " + numberText(high) + tail;
}

} // namespace

ObjectReader::ObjectReader(const Json& value, std::string pointer, std::vector<JsonFault>& faults)
    : pointer_(std::move(pointer))
    , faults_(&faults) {
    if (value.is_object())
        object_ = &value;
    else
        fault({}, describe(value) + " where an object is expected");
}

void ObjectReader::fault(std::string_view key, std::string message) {
    addFault(*faults_, {key.empty() ? pointer_ : below(pointer_, key), std::move(message)});
}

const Json* ObjectReader::value(std::string_view key) {
    asked_.emplace(key);
    if (object_ == nullptr)
        return nullptr;
    const auto& members = object_->get_ref<const Json::object_t&>();
    const auto found = members.find(key);
    return found == members.end() || found->second.is_null() ? nullptr : &found->second;
}

bool ObjectReader::has(std::string_view key) const {
    return object_ != nullptr && object_->get_ref<const Json::object_t&>().contains(key);
}

bool ObjectReader::isNull(std::string_view key) const {
    if (object_ == nullptr)
        return false;
    const auto& members = object_->get_ref<const Json::object_t&>();
    const auto found = members.find(key);
    return found != members.end() && found->second.is_null();
}

std::vector<std::string> ObjectReader::keys() const {
    std::vector<std::string> out;
    if (object_ != nullptr)
        for (const auto& [key, member] : object_->get_ref<const Json::object_t&>())
            out.push_back(key);
    return out;
}

void ObjectReader::require(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys)
        if (isObject() && value(key) == nullptr)
            fault(key, isNull(key) ? "null; this key requires a value" : "missing; this key is required");
}

std::optional<double> ObjectReader::number(std::string_view key, const NumberRange& range) {
    const Json* found = value(key);
    if (found == nullptr)
        return std::nullopt;
    const std::string right = rangeText(range.low, range.high, range.unit);
    if (!found->is_number()) {
        fault(key, describe(*found) + " is not a number; expected " + right);
        return std::nullopt;
    }
    const double number = found->get<double>();
    if (!std::isfinite(number) || number < range.low || number > range.high) {
        fault(key, numberText(number) + (range.unit.empty() ? "" : " " + std::string(range.unit)) +
                       " is out of range; expected " + right);
        return std::nullopt;
    }
    return number;
}

std::optional<int> ObjectReader::integer(std::string_view key, int low, int high, std::string_view unit) {
    const std::optional<double> found = number(key, {double(low), double(high), unit});
    if (!found)
        return std::nullopt;
    if (*found != std::floor(*found)) {
        fault(key, numberText(*found) + " is not a whole number; expected " + rangeText(low, high, unit));
        return std::nullopt;
    }
    return static_cast<int>(*found);
}

std::optional<bool> ObjectReader::boolean(std::string_view key) {
    const Json* found = value(key);
    if (found == nullptr)
        return std::nullopt;
    if (!found->is_boolean()) {
        fault(key, describe(*found) + " is not a Boolean; expected true or false");
        return std::nullopt;
    }
    return found->get<bool>();
}

std::optional<std::string> ObjectReader::text(std::string_view key) {
    const Json* found = value(key);
    if (found == nullptr)
        return std::nullopt;
    if (!found->is_string()) {
        fault(key, describe(*found) + " is not a string; use quotes");
        return std::nullopt;
    }
    return found->get<std::string>();
}

std::optional<std::size_t> ObjectReader::choice(std::string_view key, const std::vector<std::string>& legal) {
    const std::optional<std::string> found = text(key);
    if (!found)
        return std::nullopt;
    for (std::size_t i = 0; i < legal.size(); ++i)
        if (legal[i] == *found)
            return i;
    fault(key, "'" + *found + "' is not a valid value" + suggestion(*found, legal));
    return std::nullopt;
}

std::vector<std::string> ObjectReader::texts(std::string_view key) {
    const Json* found = value(key);
    if (found == nullptr)
        return {};
    if (!found->is_array()) {
        fault(key, describe(*found) + " where an array of strings is expected");
        return {};
    }
    std::vector<std::string> out;
    for (std::size_t i = 0; i < found->size(); ++i) {
        const Json& item = (*found)[i];
        if (item.is_string())
            out.push_back(item.get<std::string>());
        else
            addFault(*faults_,
                     {below(below(pointer_, key), i), describe(item) + " is not a string; use quotes"});
    }
    return out;
}

std::optional<ObjectReader> ObjectReader::object(std::string_view key) {
    const Json* found = value(key);
    if (found == nullptr)
        return std::nullopt;
    ObjectReader inner(*found, below(pointer_, key), *faults_);
    return inner.isObject() ? std::optional(std::move(inner)) : std::nullopt;
}

std::vector<ObjectReader> ObjectReader::objects(std::string_view key) {
    const Json* found = value(key);
    if (found == nullptr)
        return {};
    if (!found->is_array()) {
        fault(key, describe(*found) + " where an array of objects is expected");
        return {};
    }
    std::vector<ObjectReader> out;
    for (std::size_t i = 0; i < found->size(); ++i) {
        ObjectReader inner((*found)[i], below(below(pointer_, key), i), *faults_);
        if (inner.isObject())
            out.push_back(std::move(inner));
    }
    return out;
}

void ObjectReader::finish() {
    if (object_ == nullptr)
        return;
    for (const auto& [key, member] : object_->get_ref<const Json::object_t&>()) {
        if (asked_.contains(key))
            continue;
        if (isFull(*faults_))
            fault({}, {}); // only counted: searching for similar names is slow
        else
            fault(key, "unknown key '" + key + "'" + suggestion(key, {asked_.begin(), asked_.end()}));
    }
}

} // namespace alidade::data
