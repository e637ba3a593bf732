// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace alidade {

/// The maximum length of a quantity text, in bytes.
inline constexpr std::size_t longestQuantityText = 128;

/// A decimal number as written. Stays decimal until the prefix of its unit is known, so that 3.35 TB is the
/// double nearest to 3.35e12 and not the product of two rounded numbers.
struct Decimal {
    std::array<char, longestQuantityText> digits = {}; ///< digits with at most one point, no separators
    std::size_t length = 0;
    int exponent = 0;     ///< as written after 'e', limited to ±99,999
    std::size_t used = 0; ///< bytes of the text that belong to the number

    bool isZero() const;
    /// Returns the double nearest to this number times 10^shift; nullopt if that is out of range.
    std::optional<double> toDouble(int shift) const;
    /// Returns whether an empty toDouble() means too large (otherwise too small).
    bool isLarge(int shift) const;
};

/// Reads the unsigned number that `text` begins with: digits, a point, thousands in groups of three (comma or
/// a space), an exponent. At most longestQuantityText bytes. Rejects a decimal comma and groups of another
/// length; the error is the second half of a sentence ("has two decimal points").
Result<Decimal> readDecimal(std::string_view text);

} // namespace alidade
