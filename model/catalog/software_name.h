// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/framework.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// Whether a text contains a phrase, ignoring case.
bool saysWord(std::string_view text, std::string_view phrase);

/// The release that published words name, "NeMo 26.02" of "NeMo 26.02.01 container (Megatron Bridge)": the
/// words up to the first version or year, of which two places count. Point releases are one release. Words
/// without a version are their own release.
std::string softwareRelease(std::string_view words);

/// The framework or engine that the user or a publication names: by its id, or by the published name that
/// covers most of the words ("NeMo 25.09 container" is Megatron-Bridge). Ignores case and how words are
/// joined: "Megatron-Bridge", "megatron bridge".
/// \param notes of a publication: searched for the second half of patterns with " ... "
/// \returns nullptr if none matches
const Framework* softwareNamed(const std::vector<Framework>& known, std::string_view words,
                               std::string_view notes = {});

} // namespace alidade
