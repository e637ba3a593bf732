// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alidade {

/// Opens and closes the objects along dotted paths: "plan.overlap.tensor" after "plan.schedule" opens
/// "overlap" inside "plan". Fields of one section must be consecutive.
template <class V>
class SectionWalk {
public:
    explicit SectionWalk(V& visitor)
        : visitor_(visitor) {}

    /// Moves to the section of a path. \returns the last part of the path
    std::string_view enter(std::string_view path) {
        std::vector<std::string_view> parts;
        for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos; path.remove_prefix(dot + 1))
            parts.push_back(path.substr(0, dot));
        std::size_t common = 0;
        while (common < parts.size() && common < open_.size() && parts[common] == open_[common])
            ++common;
        leave(common);
        for (; common < parts.size(); ++common) {
            visitor_.beginObject(parts[common]);
            open_.push_back(parts[common]);
        }
        return path;
    }
    void leave(std::size_t depth = 0) {
        for (; open_.size() > depth; open_.pop_back())
            visitor_.endObject();
    }

private:
    V& visitor_;
    std::vector<std::string_view> open_;
};

/// Passes one value of a field to a visitor (see estimate/visit.h for its calls).
template <class V>
void visitFieldValue(const Field& field, std::string_view key, const FieldValue& value, V& visitor) {
    if (const auto* flag = std::get_if<bool>(&value)) {
        visitor.flag(key, *flag);
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        visitor.integer(key, *integer, field.doc);
    } else if (const auto* number = std::get_if<double>(&value)) {
        visitor.constant(key, *number, field.dimension, field.doc);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        visitor.text(key, *text);
    } else if (const auto* words = std::get_if<std::vector<std::string>>(&value)) {
        const auto& alone = field.alone;
        if (words->size() == 1 && std::find(alone.begin(), alone.end(), words->front()) != alone.end()) {
            visitor.text(key, words->front());
            return;
        }
        visitor.beginArray(key);
        for (const std::string& word : *words)
            visitor.text({}, word);
        visitor.endArray();
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
        visitor.beginArray(key);
        for (const std::int64_t each : *integers)
            visitor.integer({}, each, field.doc);
        visitor.endArray();
    }
}

/// Passes the written fields of a spec to a visitor in the order of the field table, nested as in a scenario
/// file. The caller provides the enclosing object. An inline architecture is one call:
/// visitor.architecture("model", ...).
template <class V>
void visitScenario(const ScenarioSpec& spec, V& visitor) {
    SectionWalk<V> sections(visitor);
    for (const Field& field : fieldTable()) {
        const FieldValue value = field.get(spec);
        if (!std::holds_alternative<std::monostate>(value)) {
            const std::string_view key = sections.enter(field.path);
            visitFieldValue(field, key, value, visitor);
        } else if (field.path == "workload.model" && spec.workload.architecture) {
            const std::string_view key = sections.enter(field.path);
            visitor.architecture(key, *spec.workload.architecture);
        }
    }
    sections.leave();
}

} // namespace alidade
