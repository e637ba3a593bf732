// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/fields_builder.h"

#include <algorithm>

namespace alidade::fields {

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
                        .absent("energy is no line of the order"));
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
}

} // namespace alidade::fields
