// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade {

/// How a number is rounded for display. Digits before the point are always kept.
struct Rounding {
    int significant = 3;
    int minDecimals = 0; ///< of values below `minDecimalsBelow`: cents
    double minDecimalsBelow = 0;
    bool trimZeros = false;   ///< trailing zeros of the decimals, down to the minimum
    bool trimIfWhole = false; ///< all decimals of a value that rounds to a whole number
};

/// Formats x ≥ 0 below 1e18 with thousands separated by commas: "16,384", "0.00123".
std::string positional(double x, const Rounding& rounding);
/// Formats x > 0: "3.80e25".
std::string scientific(double x, const Rounding& rounding);
/// Returns the value of a text from positional or scientific.
double valueOfDigits(const std::string& text);

/// The shortest digits that identify a double ≥ 0: value = 0.d1d2d3... × 10^point.
struct ShortestDigits {
    std::string digits; ///< without zeros at either end; "0" for zero
    int point = 1;      ///< position of the decimal point in `digits`
};
ShortestDigits shortestDigits(double x);

/// Returns the digits times 10^shift, exactly and without separators: "0.00123", "15600", "1.56e30".
std::string exactDecimal(const ShortestDigits& number, int shift);

} // namespace alidade
