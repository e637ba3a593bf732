// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace alidade {

struct Field;

/// Returns the display name of a word of the field with this path: "On-Demand" for "on_demand", "FP8" for
/// "fp8". nullptr if the word has no display name. The text has static lifetime.
const char* choiceName(std::string_view path, std::string_view word);

/// Returns the display name of a word of a field, or the word itself if it has none.
std::string nameOfChoice(std::string_view path, std::string_view word);

/// Returns the display names for the typed value of a field: "Norms, GLU product" for "norms, glu". Free text
/// and numbers are unchanged.
std::string fieldTextInWords(const Field& field, std::string_view text);

} // namespace alidade
