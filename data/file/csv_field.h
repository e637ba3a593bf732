// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace alidade::data {

/// A text from outside as a field of a CSV: printable, on one line, quoted where RFC 4180 asks for it, and
/// with an apostrophe before what a spreadsheet would take for a formula ("=1+1").
std::string csvField(std::string_view text);

} // namespace alidade::data
