// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/price_choice.h"

#include "model/base/calendar.h"

#include <string>
#include <tuple>

namespace alidade {

namespace {

// Dates in ISO 8601 sort as text. The day on which a price was read may be a month only ("2025-06").
bool within(const Price& price, std::string_view day) {
    const std::string_view from = price.validFrom, until = price.validUntil;
    return (from.empty() || from.substr(0, day.size()) <= day) &&
           (until.empty() || day <= until.substr(0, day.size()));
}

bool hasDates(const Price& price) { return !price.validFrom.empty() || !price.validUntil.empty(); }

} // namespace

bool isInForce(const Price& price, std::string_view day) {
    return price.current && within(price, day.empty() ? std::string_view(price.date) : day);
}

bool isPreferred(const Price& a, const Price& b) {
    return std::tuple(a.provenance.user, hasDates(a), std::string_view(a.validFrom)) >
           std::tuple(b.provenance.user, hasDates(b), std::string_view(b.validFrom));
}

std::string commitmentOf(const Price& price) {
    std::string word;
    for (const char c : price.terms) {
        if (c == ',' && word.find("upfront") != std::string::npos)
            break;
        if (c != ',')
            word += c == ' ' ? '_' : c;
    }
    return word;
}

const Price* priceAfter(std::span<const Price> prices, const Price& price) {
    const auto last = dayOfDate(price.validUntil);
    if (!last)
        return nullptr;
    return preferredPrice(prices, dateText(*last + 1), [&price](const Price& each) {
        return each.item == price.item && each.region == price.region && each.purchase == price.purchase &&
               each.terms == price.terms;
    });
}

} // namespace alidade
