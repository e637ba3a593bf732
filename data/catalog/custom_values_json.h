// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/custom_values.h"
#include "data/json/writer.h"

#include <span>

namespace alidade::data {

/// Writes "custom_values": [ { "kind", "entry", "key", "label", "value", "shipped", "date", "source" } ]
/// into the open object; nothing if there are none. "key" is absent for a whole entry, "date" and "source" if
/// they are unknown.
void writeCustomValues(JsonWriter& writer, std::span<const CustomValue> values);

} // namespace alidade::data
