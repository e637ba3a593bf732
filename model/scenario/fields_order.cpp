// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/fields_builder.h"

#include <algorithm>

namespace alidade::fields {

namespace {

/// The part of the machines that is bought in another way: its fields are those of the cluster.
void appendBase(Lines& lines) {
    lines.push_back(
        Line(
            "order.base.instances", "Base", [](auto& s) -> auto& { return s.order.base.instances; },
            "instances (or UltraServers) of the base: the part that is bought as order.base says, "
            "the rest as cluster.purchase does")
            .range(0, 1e6)
            .absent("0: all are bought in one way"));
    lines.push_back(Line(
                        "order.base.purchase", "Purchase of the base",
                        [](auto& s) -> auto& { return s.order.base.purchase; },
                        "purchase option for the base")
                        .purchaseOption()
                        .when(hasBase)
                        .absent("on_demand, or a Capacity Block if there is no other option"));
    lines.push_back(Line(
                        "order.base.dollars_per_instance_hour", "Price of the base",
                        [](auto& s) -> auto& { return s.order.base.dollarsPerInstanceHour; },
                        "price per instance (or UltraServer) hour of the base: custom, of a Savings Plan or "
                        "of a training plan")
                        .measures(Dimension::dollarsPerHour)
                        .range(0, 1e9)
                        .when(hasBase)
                        .absent("the catalog price"));
    lines.push_back(
        Line(
            "order.base.commitment", "Commitment of the base",
            [](auto& s) -> auto& { return s.order.base.commitment; },
            "term and payment option of the base, if it is a reservation or Savings Plan; the whole term is "
            "charged to the order")
            .commitmentTerm()
            .when(hasBase)
            .absent("any that has a price; of a Savings Plan 1_year_no_upfront"));
    lines.push_back(Line(
                        "order.base.discount", "Discount of the base",
                        [](auto& s) -> auto& { return s.order.base.discount; },
                        "discount on the catalog price of the base under a private agreement")
                        .share()
                        .when(hasBase)
                        .absent("0"));
}

} // namespace

void appendOrder(Lines& lines) {
    constexpr double longest = 3660; // days
    lines.push_back(Line(
                        "order.start", "Start of the order", [](auto& s) -> auto& { return s.order.start; },
                        "first day that is paid: year-month-day")
                        .date()
                        .absent("months are counted from the start, without dates"));
    lines.push_back(Line(
                        "order.days", "Days of the order", [](auto& s) -> auto& { return s.order.days; },
                        "days for which a service is rented")
                        .range(1.0 / 24, longest)
                        .serving()
                        .absent("365 / 12 days: one month; with a reservation or Savings Plan its term"));
    lines.push_back(Line(
                        "order.support", "Support", [](auto& s) -> auto& { return s.order.support; },
                        "support plan, as a share of the machines and services")
                        .share()
                        .absent("0"));
    lines.push_back(Line(
                        "order.contingency", "Contingency",
                        [](auto& s) -> auto& { return s.order.contingency; },
                        "reserve for a longer run or higher prices, as a share of what precedes it")
                        .share()
                        .absent("0"));
    lines.push_back(Line(
                        "order.tax", "Tax", [](auto& s) -> auto& { return s.order.tax; },
                        "sales tax or VAT, as a share of the total before tax")
                        .share()
                        .absent("0"));
    lines.push_back(Line(
                        "order.transfer_out_bytes", "Data sent to the internet",
                        [](auto& s) -> auto& { return s.order.transferOutBytes; },
                        "data that leaves AWS for the internet: of a service each month, of a run once")
                        .measures(Dimension::bytes)
                        .range(0, 1e18)
                        .absent("0"));
    lines.push_back(Line(
                        "order.energy_price", "Energy price",
                        [](auto& s) -> auto& { return s.order.energyPrice; },
                        "price of a kWh, for machines whose price does not include energy")
                        .measures(Dimension::dollars)
                        .range(0, 100)
                        .absent("energy is not a line of the order"));
    lines.push_back(Line(
                        "order.currency", "Currency", [](auto& s) -> auto& { return s.order.currency; },
                        "currency that amounts are printed in besides US dollars (ISO 4217)")
                        .obeys([](const FieldValue& value) {
                            const auto& text = std::get<std::string>(value);
                            const bool code = text.size() == 3 && std::ranges::all_of(text, [](char c) {
                                                  return c >= 'A' && c <= 'Z';
                                              });
                            return code ? std::string()
                                        : "it must be three capital letters such as EUR (ISO 4217)";
                        })
                        .absent("US dollars alone"));
    lines.push_back(Line(
                        "order.exchange_rate", "Exchange rate",
                        [](auto& s) -> auto& { return s.order.exchangeRate; },
                        "units of the currency for one US dollar")
                        .range(1e-6, 1e6)
                        .absent("amounts are not converted"));
    lines.push_back(Line(
                        "order.exchange_date", "Date of the exchange rate",
                        [](auto& s) -> auto& { return s.order.exchangeDate; },
                        "day of the exchange rate: year-month-day")
                        .date()
                        .absent("amounts are not converted"));
    appendBase(lines);
}

} // namespace alidade::fields
