// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/price_report.h"

#include "model/base/calendar.h"
#include "model/catalog/price_choice.h"
#include "model/cost/price_age.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace alidade {

namespace {

void add(Estimate& estimate, Severity severity, std::string text) {
    estimate.problems.push_back({severity, "/cluster/purchase", std::move(text), {}});
}

/// "; the next one in the catalog is $58.10/h (+5.6 %)"
std::string nextPrice(const Scenario& scenario, const Catalog& catalog) {
    const auto price = std::ranges::find(catalog.prices, scenario.priceId, &Price::id);
    const Price* next = price == catalog.prices.end() ? nullptr : priceAfter(catalog.prices, *price);
    if (!next)
        return "; no later price is known";
    const double change = next->rate.si() / price->rate.si() - 1;
    return "; the next one in the catalog is " + formatQuantity(next->rate.si(), Dimension::dollarsPerHour) +
           " (" + (change > 0 ? "+" : "") + formatQuantity(change, Dimension::ratio) + ")";
}

/// The last day that is paid; nullopt: the scenario has no dates.
std::optional<int> lastDayOf(const Estimate& estimate) {
    if (estimate.cost->order && !estimate.cost->order->end.empty()) {
        const auto end = dayOfDate(estimate.cost->order->end);
        return end ? std::optional(*end - 1) : std::nullopt;
    }
    const auto start = estimate.run ? dayOfDate(estimate.run->start) : std::nullopt;
    return start && estimate.run->days
               ? std::optional(*start + static_cast<int>(std::ceil(estimate.run->days->p50)) - 1)
               : std::nullopt;
}

} // namespace

void reportPrice(const Scenario& scenario, const Catalog& catalog, const std::string& today,
                 Estimate& estimate) {
    if (!estimate.cost)
        return;
    if (isOldPrice(scenario.priceDate, today)) {
        add(estimate, Severity::info,
            "The price is from " + scenario.priceDate + ", more than " + std::to_string(oldPriceDays) +
                " days before " + today + "; look it up again");
    }
    const std::string& until = scenario.priceValidUntil;
    if (until.empty())
        return;
    const auto lastPriced = dayOfDate(until);
    const auto last = lastDayOf(estimate);
    if (scenario.spec.pricingDay().empty() && !today.empty() && until < today) {
        add(estimate, Severity::warning,
            "The price was valid until " + until + "; set the start, so that the price of that day is taken");
    } else if (last && lastPriced && *lastPriced < *last) {
        // What a supplier will ask on later days is not agreed, so one price holds for the whole order.
        add(estimate, Severity::info,
            "The price is valid until " + until + " and the machines are paid until " + dateText(*last) +
                ", all of it at the price of the first day" + nextPrice(scenario, catalog));
    }
}

} // namespace alidade
