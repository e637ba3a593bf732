// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

/// A word for a shell: as it is if it holds nothing special, else quoted so that nothing in it is expanded.
std::string shellQuote(std::string_view word);

/// A comment of a file: each line after "# ", without control characters.
std::string commentOf(const std::vector<std::string>& lines);

/// YAML in block style. Texts that read as a number, a Boolean or a null are quoted. Several documents are
/// separated by "---".
std::string yamlText(const nlohmann::ordered_json& document);
std::string yamlText(const std::vector<nlohmann::ordered_json>& documents);

/// TOML with one table a section.
std::string tomlText(const nlohmann::ordered_json& document);

/// JSON, indented by two, with a newline at the end.
std::string jsonText(const nlohmann::ordered_json& document);

/// Sets `document` at a dotted path; objects on the way are made. Texts such as "8", "0.9", "true", "null"
/// and JSON lists become values.
void setPath(nlohmann::ordered_json& document, std::string_view path, const nlohmann::ordered_json& value);
nlohmann::ordered_json valueOf(std::string_view text);

/// Do requests share prompts that an engine has to keep: cached prefixes, or the samples of a question?
inline bool reusesPrompts(const WorkloadSpec& serving) {
    return serving.prefixCacheHit.value_or(0) > 0 || samplesOf(serving) > 1;
}

} // namespace alidade::data::handoff
