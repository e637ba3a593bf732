// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/json.h"

#include <optional>
#include <string>

namespace alidade::cli {

// Parts of the JSON documents that several commands print.

inline nlohmann::ordered_json numberOrNull(const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The document, indented, with a newline at its end; invalid UTF-8 becomes U+FFFD.
inline std::string dumped(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace alidade::cli
