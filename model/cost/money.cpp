// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/money.h"

#include "model/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace alidade {

using namespace std::string_view_literals;

namespace {

__extension__ using Wide = __int128; // products of quantity and price exceed 64 bits

std::int64_t dividedRounded(Wide value, Wide by) {
    const Wide half = by / 2;
    return static_cast<std::int64_t>(value >= 0 ? (value + half) / by : -((-value + half) / by));
}

/// A whole number of 10^-decimals as a decimal number, without trailing zeros beyond `least` decimals.
std::string decimalText(std::int64_t value, int decimals, int least) {
    std::string digits = std::to_string(value < 0 ? -value : value);
    const auto width = static_cast<std::size_t>(decimals);
    if (digits.size() <= width)
        digits.insert(0, width + 1 - digits.size(), '0');
    std::string whole = digits.substr(0, digits.size() - width);
    std::string fraction = digits.substr(digits.size() - width);
    while (fraction.size() > static_cast<std::size_t>(least) && fraction.back() == '0')
        fraction.pop_back();
    return (value < 0 ? "-" : "") + whole + (fraction.empty() ? "" : "." + fraction);
}

} // namespace

NanoDollars nanoDollars(double dollars) { return std::llround(dollars * 1e9); }
Thousandths thousandths(double quantity) { return std::llround(quantity * 1e3); }

Cents amountOf(Thousandths quantity, NanoDollars price) {
    // 1e-3 x 1e-9 dollars are 1e-10 cents.
    return dividedRounded(Wide{quantity} * price, 10'000'000'000);
}

Cents shareOf(Cents amount, std::int64_t millionths) {
    return dividedRounded(Wide{amount} * millionths, 1'000'000);
}

std::int64_t convertedAmount(Cents amount, std::int64_t rate, int digits) {
    // cents x billionths are 1e-11 units of the currency
    Wide smallest = 1;
    for (int i = 0; i < digits; ++i)
        smallest *= 10;
    return dividedRounded(Wide{amount} * rate * smallest, Wide{100'000'000'000});
}

int currencyDigits(std::string_view currency) {
    // ISO 4217, "Minor unit"; all others have two decimals
    constexpr std::array none{"BIF"sv, "CLP"sv, "DJF"sv, "GNF"sv, "ISK"sv, "JPY"sv, "KMF"sv, "KRW"sv, "PYG"sv,
                              "RWF"sv, "UGX"sv, "UYI"sv, "VND"sv, "VUV"sv, "XAF"sv, "XOF"sv, "XPF"sv};
    constexpr std::array three{"BHD"sv, "IQD"sv, "JOD"sv, "KWD"sv, "LYD"sv, "OMR"sv, "TND"sv};
    const auto holds = [currency](const auto& list) {
        return std::ranges::find(list, currency) != list.end();
    };
    return holds(none) ? 0 : holds(three) ? 3 : 2;
}

std::vector<Cents> splitCents(Cents amount, std::span<const std::int64_t> weights) {
    const Wide sign = amount < 0 ? -1 : 1, whole = sign * amount;
    const Wide sum = std::accumulate(weights.begin(), weights.end(), Wide{0});
    std::vector<Cents> out;
    std::vector<std::pair<Wide, std::size_t>> remainders;
    Wide left = whole;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const Wide share = whole * weights[i] / sum;
        remainders.emplace_back(whole * weights[i] % sum, i);
        out.push_back(static_cast<Cents>(sign * share));
        left -= share;
    }
    std::ranges::stable_sort(remainders, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (std::size_t i = 0; left > 0; ++i, --left)
        out[remainders[i].second] += static_cast<Cents>(sign);
    return out;
}

std::string centsText(Cents cents) { return decimalText(cents, 2, 2); }
std::string amountText(std::int64_t smallest, int digits) { return decimalText(smallest, digits, digits); }

std::string groupedText(std::string_view decimal) {
    const std::size_t point = std::min(decimal.find('.'), decimal.size());
    return formatCount(std::stoll(std::string(decimal.substr(0, point)))) +
           std::string(decimal.substr(point));
}

std::string moneyText(Cents cents) {
    return (cents < 0 ? "-$" : "$") + groupedText(centsText(cents < 0 ? -cents : cents));
}
std::string thousandthsText(Thousandths value) { return decimalText(value, 3, 0); }
std::string priceText(NanoDollars value) { return decimalText(value, 9, 2); }

} // namespace alidade
