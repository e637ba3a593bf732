// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/job_reader.h"
#include "data/json/reader.h"

#define TOML_EXCEPTIONS 0
// What its parser asserts is what it reports as an error right after: a file may hold anything.
#define TOML_ASSERT(condition) static_cast<void>(0)
#include <toml++/toml.h>

namespace alidade::data::handoff {

namespace {

std::string textOf(const toml::node& node) {
    if (const auto text = node.value<std::string>(); text && node.is_string())
        return *text;
    if (const auto* flag = node.as_boolean())
        return flag->get() ? "true" : "false";
    if (const auto* whole = node.as_integer())
        return std::to_string(whole->get());
    if (const auto* number = node.as_floating_point())
        return numberText(number->get());
    return {};
}

void flatten(const toml::table& table, const std::string& path, Settings& out, int depth) {
    if (depth > 32)
        return;
    for (const auto& [key, node] : table) {
        const std::string name = path.empty() ? std::string(key.str()) : path + "." + std::string(key.str());
        const int line = static_cast<int>(node.source().begin.line);
        if (const toml::table* below = node.as_table()) {
            flatten(*below, name, out, depth + 1);
        } else if (const toml::array* list = node.as_array()) {
            Setting setting{name, {}, line};
            for (const toml::node& each : *list)
                setting.values.push_back(textOf(each));
            out.all.push_back(std::move(setting));
        } else {
            out.all.push_back({name, {textOf(node)}, line});
        }
    }
}

} // namespace

std::string flattenToml(const std::string& text, const std::string& file, Settings& out) {
    const toml::parse_result result = toml::parse(text);
    if (!result) {
        const toml::parse_error& error = result.error();
        return file + ":" + std::to_string(std::max<std::uint32_t>(1, error.source().begin.line)) + ": " +
               std::string(error.description());
    }
    flatten(result.table(), "", out, 0);
    return {};
}

} // namespace alidade::data::handoff
