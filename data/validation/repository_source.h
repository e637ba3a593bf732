// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/validation/published_source.h"

namespace alidade::data {

/// A source with an address, or with a repository, a path and a commit in its place.
PublishedSource repositorySource(ObjectReader row);

} // namespace alidade::data
