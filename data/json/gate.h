// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string_view>

namespace alidade::data {

/// Limits beyond which a document is refused.
struct JsonLimits {
    std::size_t bytes = 16u << 20;
    std::size_t depth = 64;
    std::size_t values = 2'000'000; ///< objects, arrays and scalars together
    std::size_t stringBytes = 1u << 20;
};

/// Parses JSON from outside: files, servers, standard input. Besides documents that exceed the limits it
/// refuses duplicate keys, numbers beyond double (1e400), NaN, invalid UTF-8, a byte order mark, comments and
/// text after the document; the limits apply while the document is read, so that nothing larger is built. The
/// error is "line 3, column 7: what is wrong; how to fix it".
Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits = {});

} // namespace alidade::data
