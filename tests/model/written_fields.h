// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/fields.h"

#include <QString>

#include <string>
#include <string_view>
#include <vector>

namespace alidade::tests {

/// The fields of a scenario that are written, as "tensor_parallel=8 micro_batch=2". \param begin of their
/// paths: left out of them
inline QString writtenFields(const ScenarioSpec& spec, std::string_view begin) {
    std::string out;
    for (const Field& field : fieldTable()) {
        const std::string value = field.path.starts_with(begin) ? fieldText(field, field.get(spec)) : "";
        if (!value.empty())
            out += (out.empty() ? "" : " ") + std::string(field.path.substr(begin.size())) + "=" + value;
    }
    return QString::fromStdString(out);
}

/// What is written differently in another scenario: "pipeline_parallel=4 -micro_batch", the latter no longer.
inline QString changedFields(const ScenarioSpec& from, const ScenarioSpec& to, std::string_view begin) {
    std::string out;
    for (const Field& field : fieldTable()) {
        const std::string before = fieldText(field, field.get(from)), after = fieldText(field, field.get(to));
        if (!field.path.starts_with(begin) || before == after)
            continue;
        const std::string name(field.path.substr(begin.size()));
        out += (out.empty() ? "" : " ") + (after.empty() ? "-" + name : name + "=" + after);
    }
    return QString::fromStdString(out);
}

/// "a, b"
inline QString joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& each : words)
        out += (out.empty() ? "" : ", ") + each;
    return QString::fromStdString(out);
}

} // namespace alidade::tests
