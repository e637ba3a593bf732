// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/search/search.h"

#include <string>
#include <string_view>

namespace alidade {
struct Catalog;
struct Profile;
} // namespace alidade

namespace alidade::data {

/// A search as a workspace keeps it: the question, and of the answer what is listed, what was rejected and
/// some of the sample.
std::string writeSearch(const SearchAnswer& answer);

/// \returns an error if the text is none, or asks for something that the catalog does not have any more
Result<SearchAnswer> readSearch(std::string_view text, const Catalog& catalog, const Profile& profile);

/// The values of a free field as they are typed: "1,2,4"; of a field whose values are lists "norms|full".
std::string choicesAsTyped(const FreeField& field);

} // namespace alidade::data
