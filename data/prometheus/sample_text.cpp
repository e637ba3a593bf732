// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/sample_text.h"

#include <limits>

namespace alidade::data {

std::optional<double> sampleValue(std::string_view text) {
    if (text == "NaN")
        return std::numeric_limits<double>::quiet_NaN();
    if (text == "+Inf" || text == "Inf")
        return std::numeric_limits<double>::infinity();
    if (text == "-Inf")
        return -std::numeric_limits<double>::infinity();
    // from_chars would also take "infinity" and "nan(...)".
    const std::size_t digit = text.starts_with('-') ? 1 : 0;
    if (digit >= text.size() || text[digit] < '0' || text[digit] > '9')
        return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace alidade::data
