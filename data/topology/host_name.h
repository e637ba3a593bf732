// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace alidade::data {

/// The expected form, for a message.
inline constexpr std::string_view hostNameRule =
    "letters, digits, '-', '_' and '.', beginning and ending with a letter, a digit or '_', make one";

/// A name that a launcher can be given: at most 253 letters, digits, '-', '_' and '.', where neither a dash
/// nor a dot begins or ends it. Nothing of it means anything to a shell, to ssh or to a spreadsheet.
bool isHostName(std::string_view name);

} // namespace alidade::data
