// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/units/quantity.h"

#include <string_view>

namespace alidade {

/// Parses text typed into a field of this dimension: "400 Gbps", "3.35 TB/s", "80 GiB", "$98.32/h", "85 %",
/// "15.6 T tokens". Returns the value in the stored unit of the dimension (see Dimension), finite, and the
/// double nearest to the written value if the unit is a power of ten or two times it. The locale is ignored.
///
/// - SI prefixes are powers of 1000 (k M G T P E), IEC prefixes of 1024 (Ki Mi Gi ...); b is bits, B is
/// bytes.
/// - Counts, tokens and money use k, M, G or B (1e9), T instead, also without a unit.
/// - "2,048" and "2 048" are thousands; any other comma is rejected, never read as a decimal point.
/// - A rate may be per s, min, h, d or week. A month or year has no fixed length and is rejected.
///
/// \param bareUnit unit of a number without one (with or without "$"), as shown in a column heading or at the
/// right edge of a field ("GB/s", "/h"); empty: the stored unit, where a ratio over 1 is rejected because it
/// may be a percentage
/// \return the value, or a full sentence that says what is wrong and gives a valid example
Result<double> parseQuantity(std::string_view text, Dimension dimension, std::string_view bareUnit = {});

/// Parses a quantity: parse<Bytes>("80 GiB").
template <class Q>
Result<Q> parse(std::string_view text, std::string_view bareUnit = {}) {
    const Result<double> value = parseQuantity(text, Q::dimension, bareUnit);
    if (!value)
        return Error{value.error()};
    return Q::si(*value);
}

} // namespace alidade
