// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace alidade {

struct Field;

/// What a person calls a word of a scenario: "On-Demand" of "on_demand", "FP8" of "fp8". nullptr if the word
/// has no other name. The text lives as long as the program.
const char* choiceName(std::string_view word);

/// The same; a word without a name as it is written.
std::string nameOfChoice(std::string_view word);

/// The value of a field, as a person would type it, in names: "Norms, GLU product" of "norms, glu". Free
/// texts and numbers stay as they are.
std::string fieldTextInWords(const Field& field, std::string_view text);

} // namespace alidade
