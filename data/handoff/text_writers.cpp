// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/handoff/text_writers.h"

#include "data/json/json.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <yaml-cpp/yaml.h>

namespace alidade::data::handoff {

namespace {

using Json = nlohmann::ordered_json;

bool isPlainShellCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./=:,+@%").find(c) != std::string_view::npos;
}

/// Whether a YAML reader could take the text for something else than a text: YAML 1.1 and 1.2 together.
bool needsQuotes(const std::string& text) {
    static constexpr std::string_view words[] = {"true", "false", "yes", "no",   "on",   "off",   "null",
                                                 "y",    "n",     "~",   ".nan", ".inf", "-.inf", "="};
    if (text.empty())
        return true;
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(words, lower) != std::end(words))
        return true;
    const char first = text.front();
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '+' || first == '.' ||
        (first == '-' && text.size() > 1 && text[1] != '-'))
        return true;
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }) ||
           text.find(": ") != std::string::npos || text.find(" #") != std::string::npos ||
           std::string_view("!&*?|>%@`\"'[]{},#:").find(first) != std::string_view::npos ||
           text.back() == ' ' || text.back() == ':' || first == ' ';
}

bool isBlock(const std::string& text) {
    return text.size() > 1 && text.back() == '\n' && text.front() != ' ' && text.front() != '\n' &&
           std::ranges::none_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n') || c == 0x7f; });
}

void emit(YAML::Emitter& out, const Json& value) {
    switch (value.type()) {
    case Json::value_t::object:
        if (value.empty()) {
            out << YAML::Flow << YAML::BeginMap << YAML::EndMap;
            return;
        }
        out << YAML::BeginMap;
        for (const auto& [key, each] : value.items()) {
            out << YAML::Key;
            if (needsQuotes(key))
                out << YAML::DoubleQuoted;
            out << key << YAML::Value;
            emit(out, each);
        }
        out << YAML::EndMap;
        return;
    case Json::value_t::array:
        if (value.empty()) {
            out << YAML::Flow << YAML::BeginSeq << YAML::EndSeq;
            return;
        }
        out << YAML::BeginSeq;
        for (const Json& each : value)
            emit(out, each);
        out << YAML::EndSeq;
        return;
    case Json::value_t::string: {
        const auto& text = value.get_ref<const std::string&>();
        if (isBlock(text))
            out << YAML::Literal;
        else if (needsQuotes(text))
            out << YAML::DoubleQuoted;
        out << text;
        return;
    }
    case Json::value_t::boolean:
        out << value.get<bool>();
        return;
    case Json::value_t::null:
        out << YAML::Null;
        return;
    default:
        out << YAML::Auto << value.dump();
        return;
    }
}

std::string tomlString(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string tomlValue(const Json& value) {
    if (value.is_string())
        return tomlString(value.get_ref<const std::string&>());
    if (value.is_array()) {
        std::string out = "[";
        for (const Json& each : value)
            out += (out.size() > 1 ? ", " : "") + tomlValue(each);
        return out + "]";
    }
    return value.dump();
}

void tomlTable(std::string& out, const std::string& name, const Json& table) {
    bool headed = name.empty();
    for (const auto& [key, value] : table.items()) {
        if (value.is_object())
            continue;
        if (!headed) {
            out += "\n[" + name + "]\n";
            headed = true;
        }
        out += key + " = " + tomlValue(value) + "\n";
    }
    for (const auto& [key, value] : table.items())
        if (value.is_object())
            tomlTable(out, name.empty() ? key : name + "." + key, value);
}

} // namespace

std::string shellQuote(std::string_view word) {
    if (!word.empty() && std::ranges::all_of(word, isPlainShellCharacter))
        return std::string(word);
    std::string out = "'";
    for (const char c : word)
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    return out + "'";
}

std::string commentOf(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) {
        std::string clean = line;
        std::ranges::replace_if(clean, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
        out += clean.empty() ? "#\n" : "# " + clean + "\n";
    }
    return out;
}

std::string yamlText(const Json& document) {
    YAML::Emitter out;
    out.SetIndent(2);
    out.SetStringFormat(YAML::Auto);
    emit(out, document);
    return std::string(out.c_str()) + "\n";
}

std::string yamlText(const std::vector<Json>& documents) {
    std::string out;
    for (const Json& each : documents)
        out += (out.empty() ? "" : "---\n") + yamlText(each);
    return out;
}

std::string tomlText(const Json& document) {
    std::string out;
    tomlTable(out, "", document);
    return out.starts_with('\n') ? out.substr(1) : out;
}

std::string jsonText(const Json& document) { return document.dump(2) + "\n"; }

void setPath(Json& document, std::string_view path, const Json& value) {
    Json* at = &document;
    while (true) {
        const std::size_t dot = path.find('.');
        Json& next = (*at)[std::string(path.substr(0, dot))];
        if (dot == std::string_view::npos) {
            next = value;
            return;
        }
        at = &next;
        path.remove_prefix(dot + 1);
    }
}

Json valueOf(std::string_view text) {
    if (text == "true" || text == "false")
        return text == "true";
    if (text == "null")
        return nullptr;
    std::int64_t whole = 0;
    const char* end = text.data() + text.size();
    if (const auto [at, error] = std::from_chars(text.data(), end, whole); error == std::errc() && at == end)
        return whole;
    double number = 0;
    if (const auto [at, error] = std::from_chars(text.data(), end, number); error == std::errc() && at == end)
        return number;
    if (text.starts_with('[')) {
        Json list = Json::parse(text, nullptr, false);
        if (list.is_array())
            return list;
    }
    return std::string(text);
}

} // namespace alidade::data::handoff
