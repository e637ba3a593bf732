// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/writer.h"

#include "data/json/json.h"

#include <charconv>
#include <cmath>

namespace alidade::data {

namespace {

std::string quotedJson(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

void JsonWriter::newLine() {
    out_ += '\n';
    out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::start(std::string_view key, bool container) {
    if (levels_.empty())
        return;
    Level& level = levels_.back();
    if (!level.empty)
        out_ += ',';
    if (!level.array || container || level.broken) {
        level.broken = true;
        newLine();
    } else if (!level.empty) {
        out_ += ' ';
    }
    level.empty = false;
    if (!level.array) {
        out_ += quotedJson(key);
        out_ += ": ";
    }
}

void JsonWriter::open(std::string_view key, char bracket) {
    start(key, true);
    out_ += bracket;
    levels_.push_back({.array = bracket == '['});
}

void JsonWriter::close(char bracket) {
    const bool broken = levels_.back().broken;
    levels_.pop_back();
    if (broken)
        newLine();
    out_ += bracket;
}

void JsonWriter::plain(std::string_view key, std::string_view text) {
    start(key, false);
    out_ += text;
}

std::string jsonNumber(double value) {
    if (!std::isfinite(value))
        return "null";
    constexpr double plainDigits = 1e15; // whole numbers below are easier to read without an exponent
    char buffer[40];
    const bool whole = value == std::trunc(value) && std::abs(value) < plainDigits;
    const auto end = whole
                         ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<std::int64_t>(value)).ptr
                         : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
    return {buffer, end};
}

void JsonWriter::number(std::string_view key, double value, Dimension, std::string_view) {
    plain(key, jsonNumber(value));
}

void JsonWriter::integer(std::string_view key, std::int64_t value, std::string_view) {
    plain(key, std::to_string(value));
}

void JsonWriter::text(std::string_view key, std::string_view value) { plain(key, quotedJson(value)); }

void JsonWriter::document(std::string_view key, std::string_view json) {
    start(key, true);
    for (const char c : json)
        if (c == '\n')
            newLine();
        else
            out_ += c;
}

std::string JsonWriter::take() {
    out_ += '\n';
    return std::move(out_);
}

} // namespace alidade::data
