// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

struct Report;

/// How numbers and dates are written; the words stay English.
enum class NumberLocale : std::uint8_t {
    en, ///< 1,234.5 and 2027-01-04
    de  ///< 1.234,5 and 4.1.2027
};

/// "en" or "de"; nullopt for anything else.
std::optional<NumberLocale> numberLocaleNamed(std::string_view name);

struct NumberStyle {
    NumberLocale locale = NumberLocale::en;
    /// Texts with digits that are not numbers: "Llama 3.1 70B", the version of a program.
    std::vector<std::string> names{};

    /// Rewrites the numbers and days of an English text. Names, identifiers ("p5.48xlarge", "order.tax"),
    /// versions and addresses stay as they are.
    std::string text(std::string_view english) const;
};

/// The report with its numbers as its style writes them: for pages that people read. Values, identifiers and
/// what the author entered stay.
Report localized(Report report);

} // namespace alidade::data
