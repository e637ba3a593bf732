// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/framework.h"

#include <string_view>
#include <vector>

namespace alidade {

/// Whether a text has a phrase in it. Case does not matter.
bool saysWord(std::string_view text, std::string_view phrase);

/// The framework or engine that a person or a publication names: by its id or by the published name that
/// takes up most of the words ("NeMo 25.09 container" is Megatron-Bridge). Case does not matter, nor how
/// words are joined: "Megatron-Bridge", "megatron bridge".
/// \param notes of a publication: patterns with " ... " look for their second half there
/// \returns nullptr if none fits
const Framework* softwareNamed(const std::vector<Framework>& known, std::string_view words,
                               std::string_view notes = {});

} // namespace alidade
