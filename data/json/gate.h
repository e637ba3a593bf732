// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string_view>

namespace alidade::data {

/// What a document may hold before it is refused.
struct JsonLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;
    std::size_t values = 2'000'000; ///< objects, arrays and scalars together
    std::size_t stringBytes = 1u << 20;
};

/// The one gate for JSON from outside: files, servers, standard input. Besides the limits it refuses
/// duplicate keys, numbers beyond double (1e400), NaN, invalid UTF-8, a byte order mark, comments and text
/// after the document; the limits hold while the document is read, so that nothing larger is ever built. On
/// refusal the message is "line 3, column 7: what is wrong; what would be right".
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});

} // namespace alidade::data
