// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/fields_builder.h"

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
                        .absent("365 / 12 days: one month"));
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
}

} // namespace alidade::fields
