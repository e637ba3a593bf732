// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/document/bill.h"

#include "model/base/calendar.h"
#include "model/cost/storage_price.h"
#include "model/estimate/run_order.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr int daysAheadOfBlocks = 8 * 7;

Cents paidIn(const std::vector<OrderMonth>& months, std::size_t i) {
    return i < months.size() ? months[i].paid : 0;
}

} // namespace

std::optional<Order> planOrder(const Scenario& scenario, const Estimate& estimate, double timeFactor) {
    if (!estimate.cost || !scenario.hasPrice)
        return std::nullopt;
    return scenario.isServing() || timeFactor == 1 ? estimate.cost->order
                                                   : runOrder(scenario, estimate, timeFactor);
}

std::optional<Bill> billOf(const Scenario& scenario, const Estimate& estimate) {
    std::optional<Order> expected = planOrder(scenario, estimate);
    if (!expected)
        return std::nullopt;
    Bill out{.expected = *std::move(expected), .low = {}, .high = {}};
    if (const auto band = durationBand(estimate); band && !scenario.isServing()) {
        out.low = planOrder(scenario, estimate, band->low);
        out.high = planOrder(scenario, estimate, band->high);
    }
    return out;
}

std::vector<CashMonth> cashFlow(const Bill& bill) {
    const std::vector<OrderMonth>& expected = bill.expected.months;
    const std::vector<OrderMonth>& low = bill.low ? bill.low->months : expected;
    const std::vector<OrderMonth>& high = bill.high ? bill.high->months : expected;
    std::vector<CashMonth> out;
    CashMonth sum;
    for (std::size_t i = 0; i < std::max({expected.size(), low.size(), high.size()}); ++i) {
        const auto& named = i < expected.size() ? expected : i < high.size() ? high : low;
        CashMonth month{.name = named[i].name,
                        .paid = paidIn(expected, i),
                        .low = paidIn(low, i),
                        .high = paidIn(high, i)};
        month.converted = i < expected.size() ? expected[i].converted : 0;
        month.soFar = sum.soFar + month.paid;
        month.lowSoFar = sum.lowSoFar + month.low;
        month.highSoFar = sum.highSoFar + month.high;
        out.push_back(month);
        sum = out.back();
    }
    return out;
}

Cents perMonth(Cents total, double hours) {
    return hours > 0 ? std::llround(static_cast<double>(total) * monthHours / hours) : 0;
}

std::optional<std::string> rateChangeAfter(std::string_view purchase, std::string_view today) {
    const auto day = dayOfDate(today);
    if (!day || purchase != "capacity_block")
        return std::nullopt;
    const int year = std::stoi(std::string(today.substr(0, 4)));
    const int month = std::stoi(std::string(today.substr(5, 2)));
    const int next = (month - 1) / 3 * 3 + 4; // 4, 7, 10 or 13
    return dateText(next > 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, next, 1));
}

std::optional<std::string> firstDayToBuy(std::string_view purchase, std::string_view start) {
    const auto day = dayOfDate(start);
    return day && purchase == "capacity_block" ? std::optional(dateText(*day - daysAheadOfBlocks))
                                               : std::nullopt;
}

} // namespace alidade
