// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace alidade {

/// How a number of one unit is rounded for reading. Digits before the point are always kept.
struct Rounding {
    int significant = 3;
    int minDecimals = 0; ///< of values below `minDecimalsBelow`: cents
    double minDecimalsBelow = 0;
    bool trimZeros = false;   ///< zeros at the end of the decimals, down to the minimum
    bool trimIfWhole = false; ///< all decimals of a value that rounds to a whole number
};

/// x ≥ 0 below 1e18, with thousands in commas: "16,384", "0.00123".
std::string positional(double x, const Rounding& rounding);
/// x > 0: "3.80e25".
std::string scientific(double x, const Rounding& rounding);
/// The value of a text that one of the two printed.
double valueOfDigits(const std::string& text);

/// The shortest digits that identify a double ≥ 0: value = 0.d1d2d3... × 10^point.
struct ShortestDigits {
    std::string digits; ///< without zeros at either end; "0" for zero
    int point = 1;      ///< place of the decimal point in `digits`
};
ShortestDigits shortestDigits(double x);

/// The digits times 10^shift, written exactly, without separators: "0.00123", "15600", "1.56e30".
std::string exactDecimal(const ShortestDigits& number, int shift);

} // namespace alidade
