// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace alidade::data {

/// Untrusted text as a CSV field: printable, on one line, quoted where RFC 4180 requires it, and prefixed
/// with an apostrophe where a spreadsheet would take it for a formula ("=1+1").
std::string csvField(std::string_view text);

} // namespace alidade::data
