// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

// Money of an order is decimal: quantities and prices are whole numbers of a small unit, a line is rounded
// once to the cent, half away from zero, and a total is the sum of printed lines. Binary fractions never
// enter.

/// An amount in whole cents.
using Cents = std::int64_t;
/// A quantity in thousandths of its unit.
using Thousandths = std::int64_t;
/// A price of one unit in billionths of a dollar: 41.528 dollars per hour are 41,528,000,000.
using NanoDollars = std::int64_t;

/// The decimal number nearest to a double of at most nine (three) decimals, as read from a catalog.
NanoDollars nanoDollars(double dollars);
Thousandths thousandths(double quantity);

/// quantity x price, rounded to the cent. \pre below 9e16 dollars
Cents amountOf(Thousandths quantity, NanoDollars price);
/// A share of an amount, in millionths: 12 % are 120,000.
Cents shareOf(Cents amount, std::int64_t millionths);

/// An amount in another currency, in whole units of its smallest coin: rounded once.
/// \param rate units of the currency for a dollar, in billionths
/// \param digits decimals of the currency, see currencyDigits
std::int64_t convertedAmount(Cents amount, std::int64_t rate, int digits);
/// Decimals of the amounts of a currency (ISO 4217): 2 of "EUR", 0 of "JPY".
int currencyDigits(std::string_view currency);

/// Splits an amount over parts of these weights into whole cents that add up to it: by largest remainder,
/// ties to the earlier part. \pre weights are not negative and one of them is positive
std::vector<Cents> splitCents(Cents amount, std::span<const std::int64_t> weights);

inline double dollarsOf(Cents cents) { return static_cast<double>(cents) / 100; }

/// "1,234.05" of "1234.05", which has no sign
std::string groupedText(std::string_view decimal);

/// "1234.05": for files
std::string centsText(Cents cents);
std::string amountText(std::int64_t smallest, int digits); ///< of another currency, in the same form
std::string moneyText(Cents cents);                        ///< "$1,234.05", "-$0.50": to read
std::string thousandthsText(Thousandths value);            ///< "1697.05"
std::string priceText(NanoDollars value);                  ///< "41.528", two decimals at least

} // namespace alidade
