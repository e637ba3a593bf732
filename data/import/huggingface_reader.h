// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/import/huggingface_family.h"
#include "data/json/reader.h"

namespace alidade::data {

/// Reads one configuration of a known family; what it cannot express becomes a fault of the reader.
Architecture readHuggingFaceConfig(ObjectReader& in, const Family& family);

} // namespace alidade::data
