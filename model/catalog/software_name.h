// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/framework.h"

#include <string_view>
#include <vector>

namespace alidade {

/// Whether a text contains a phrase, ignoring case.
bool saysWord(std::string_view text, std::string_view phrase);

/// The framework or engine that the user or a publication names: by its id, or by the published name that
/// covers most of the words ("NeMo 25.09 container" is Megatron-Bridge). Ignores case and how words are
/// joined: "Megatron-Bridge", "megatron bridge".
/// \param notes of a publication: searched for the second half of patterns with " ... "
/// \returns nullptr if none matches
const Framework* softwareNamed(const std::vector<Framework>& known, std::string_view words,
                               std::string_view notes = {});

} // namespace alidade
