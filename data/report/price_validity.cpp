// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/price_validity.h"

#include "model/base/calendar.h"

#include <string_view>

namespace alidade::data {
namespace {

/// How the machines are bought, or the base of them, whichever has to do with this purchase option.
bool isBought(const Cost& cost, std::string_view purchase) {
    return cost.purchase == purchase || (cost.base && cost.base->purchase == purchase);
}

/// "capacity_block" where some of the machines are bought so, else how they are.
std::string_view datedPurchase(const Cost& cost) {
    return isBought(cost, "capacity_block") ? "capacity_block" : std::string_view(cost.purchase);
}

/// What is known of the price itself, apart from what an author promises.
PriceValidity knownValidity(const Cost& cost, const std::string& reportDate) {
    if (!cost.priceValidUntil.empty())
        return {.until = cost.priceValidUntil, .text = " Valid until " + cost.priceValidUntil + "."};
    if (const auto change = rateChangeAfter(datedPurchase(cost), reportDate))
        return {.until = *change,
                .text = " Valid until " + *change + ", when a new rate of Capacity Blocks is due."};
    if (isBought(cost, "on_demand"))
        return {.until = {},
                .text = " List prices may change on any day; valid for orders of the day of this document."};
    return {};
}

/// What can end the price before the day that the author set.
std::string earlierEnd(const Cost& cost, const PriceValidity& known, const std::string& until) {
    if (!known.until.empty() && known.until < until) // ISO 8601 sorts as text
        return cost.priceValidUntil.empty() ? " A new rate of Capacity Blocks is due on " + known.until + "."
                                            : " The price itself ends on " + known.until + ".";
    return isBought(cost, "on_demand") && known.until.empty() ? " List prices may change on any day." : "";
}

} // namespace

PriceValidity priceValidity(const Estimate& e, const ReportContext& context) {
    const Cost& cost = *e.cost;
    PriceValidity out = knownValidity(cost, context.date);
    if (const std::string& set = context.validUntil; !set.empty())
        out = {.until = set, .text = " Valid until " + set + "." + earlierEnd(cost, out, set)};
    if (const auto first = firstDayToBuy(datedPurchase(cost), e.scenario.order.start.value_or("")))
        out.text += " The blocks can be bought from " + *first + ".";
    return out;
}

Result<std::string> validUntilDay(std::string_view text, std::string_view reportDate) {
    const auto day = dayOfDate(text);
    if (!day)
        return Error{"it must be a date such as 2027-01-04 (year-month-day)"};
    if (const auto today = dayOfDate(reportDate); today && *day < *today)
        return Error{std::string(text) + " is before the date of the document, " + std::string(reportDate)};
    return std::string(text);
}

} // namespace alidade::data
