// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/order.h"

#include "model/base/calendar.h"
#include "model/base/text.h"
#include "model/cost/capacity_block.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace alidade {

namespace {

// Times are in thousandths of an hour.
constexpr int dayLength = 24 * 1000;
constexpr int periodLength = 730 * 1000; ///< a month, on average

/// The months from the start of an order to its end, in thousandths of an hour from the start.
class Months {
public:
    Months(std::optional<int> start, std::int64_t length)
        : start_(start) {
        for (std::int64_t at = 0; at < length; at = ends_.back()) {
            ends_.push_back(at + lengthAt(at));
        }
    }

    std::size_t size() const { return ends_.size(); }

    std::string name(std::size_t i) const {
        if (!start_) {
            return std::to_string(i + 1);
        }
        const std::int64_t begin = i == 0 ? 0 : ends_[i - 1];
        return dateText(*start_ + static_cast<int>(begin / dayLength)).substr(0, 7);
    }

    /// The part of a time that is within each month.
    std::vector<std::int64_t> within(std::int64_t from, std::int64_t to) const {
        std::vector<std::int64_t> out;
        std::int64_t begin = 0;
        for (const std::int64_t end : ends_) {
            out.push_back(std::max<std::int64_t>(0, std::min(to, end) - std::max(from, begin)));
            begin = end;
        }
        return out;
    }

private:
    std::int64_t lengthAt(std::int64_t at) const {
        if (!start_) {
            return periodLength;
        }
        const std::string date = dateText(*start_ + static_cast<int>(at / dayLength));
        const int days = daysOfMonth(std::stoi(date.substr(0, 4)), std::stoi(date.substr(5, 2)));
        return std::int64_t{days - std::stoi(date.substr(8, 2)) + 1} * dayLength;
    }

    std::optional<int> start_;
    std::vector<std::int64_t> ends_;
};

/// A line before its months are known.
struct Draft {
    OrderLine line;
    std::int64_t from = 0, to = 0; ///< in use
    bool prepaid = false;          ///< all of it is paid at `from`
};

std::string countOf(std::int64_t n) { return formatCount(n); }

std::string itemText(const OrderedMachines& machines, std::int64_t count) {
    return countOf(count) + " x " + machines.item;
}

std::string labelled(const OrderedMachines& machines, std::string text) {
    return machines.label.empty() ? text : machines.label + ": " + text;
}

const char* hoursUnit(const OrderedMachines& machines) {
    return machines.ultraserver ? "UltraServer-hours" : "instance-hours";
}

const char* purchaseText(Purchase purchase) {
    switch (purchase) {
    case Purchase::onDemand:
        return "on demand";
    case Purchase::capacityBlock:
        return "Capacity Block";
    case Purchase::reserved:
        return "reserved";
    case Purchase::spot:
        return "Spot";
    case Purchase::custom:
        return "custom price";
    }
    return "";
}

Draft usedLine(const OrderedMachines& machines) {
    Draft out;
    out.to = billedHours(machines.hours);
    out.line.text =
        labelled(machines, itemText(machines, machines.count) + ", " + purchaseText(machines.purchase));
    out.line.unit = hoursUnit(machines);
    out.line.quantity = machines.count * out.to;
    out.line.price = machines.price;
    return out;
}

/// Calls `each` with the days of the blocks that follow each other.
template <class Each>
void forBlockDays(double hours, double endHours, Each each) {
    const double usable = 24.0 * longestCapacityBlockDays - endHours;
    double left = hours;
    for (; left > usable; left -= usable) {
        each(longestCapacityBlockDays);
    }
    each(*capacityBlockDays(left + endHours));
}

/// Calls `each` with the sizes of blocks that are bought beside each other and how many of each, largest
/// first. UltraServers: one each.
template <class Each>
void forBlockSizes(int count, bool ultraserver, Each each) {
    if (ultraserver) {
        each(1, count);
        return;
    }
    for (int size = largestCapacityBlock, left = count; size > 0; size /= 2) {
        if (left >= size) {
            each(size, left / size);
            left %= size;
        }
    }
}

std::vector<Draft> blockLines(const OrderedMachines& machines) {
    std::vector<Draft> out;
    std::int64_t from = 0;
    forBlockDays(machines.hours, machines.blockEndHours, [&](int days) {
        const std::int64_t to = from + std::int64_t{days} * dayLength;
        forBlockSizes(machines.count, machines.ultraserver, [&](int size, int number) {
            Draft draft;
            draft.from = from;
            draft.to = to;
            draft.prepaid = true;
            const std::string block =
                number == 1 ? "Capacity Block, " : countOf(number) + " Capacity Blocks of ";
            draft.line.text = labelled(machines, block + itemText(machines, size) + ", " +
                                                     std::to_string(days) + (days == 1 ? " day" : " days"));
            draft.line.unit = hoursUnit(machines);
            draft.line.quantity = std::int64_t{size} * number * (to - from);
            draft.line.price = machines.price;
            out.push_back(std::move(draft));
        });
        from = to;
    });
    return out;
}

void addRemarks(const OrderedMachines& machines, const std::vector<Draft>& drafts, Order& order) {
    if (machines.purchase != Purchase::capacityBlock) {
        return;
    }
    order.remarks.emplace_back(
        "Capacity Blocks are paid in full when they are bought, at most eight weeks before "
        "they start, and cannot be cancelled or changed.");
    std::size_t beside = 0;
    forBlockSizes(machines.count, machines.ultraserver, [&beside](int, int) { ++beside; });
    if (beside > 1) {
        order.remarks.emplace_back(
            "Blocks bought together may be in different Availability Zones; ask for one.");
    }
    if (drafts.size() > beside) {
        order.remarks.emplace_back(
            "Blocks that follow each other are bought one by one; no offer is certain, and "
            "instances are terminated between them.");
    }
}

/// Lines of a percentage of the amounts so far, month by month.
OrderLine percentLine(OrderLineKind kind, const char* text, std::int64_t millionths, Cents of,
                      const std::vector<Cents>& paid) {
    OrderLine out;
    out.kind = kind;
    out.text = text;
    out.quantity = millionths / 10; // percent, in thousandths
    out.unit = "% of " + centsText(of);
    out.amount = shareOf(of, millionths);
    out.months = splitCents(out.amount, paid);
    return out;
}

} // namespace

Thousandths billedHours(double hours) {
    return std::max<Thousandths>(1, static_cast<Thousandths>(std::ceil(hours * 1e3 - 1e-6)));
}

Cents rentOf(int count, double hours, NanoDollars price, double blockEndHours, bool ultraserver) {
    if (blockEndHours <= 0) {
        return amountOf(count * billedHours(hours), price);
    }
    Cents out = 0;
    forBlockDays(hours, blockEndHours, [&](int days) {
        forBlockSizes(count, ultraserver, [&](int size, int number) {
            out += amountOf(std::int64_t{size} * number * days * dayLength, price);
        });
    });
    return out;
}

Order orderOf(const std::vector<OrderedMachines>& machines, const std::vector<OrderedService>& services,
              const OrderTerms& terms) {
    Order out;
    std::vector<Draft> drafts;
    for (const OrderedMachines& each : machines) {
        if (each.purchase == Purchase::capacityBlock) {
            std::vector<Draft> blocks = blockLines(each);
            addRemarks(each, blocks, out);
            std::ranges::move(blocks, std::back_inserter(drafts));
        } else {
            drafts.push_back(usedLine(each));
        }
    }
    Thousandths used = 0;
    for (const OrderedMachines& each : machines) {
        used += each.count * billedHours(each.hours);
    }
    std::int64_t end = 0;
    for (const Draft& each : drafts) {
        out.bookedHours += each.line.quantity;
        end = std::max(end, each.to);
    }
    out.idleHours = std::max<Thousandths>(0, out.bookedHours - used);
    for (const OrderedService& each : services) {
        Draft draft;
        draft.to = end;
        draft.line = {.kind = OrderLineKind::service,
                      .text = each.text,
                      .unit = each.unit,
                      .quantity = each.quantity,
                      .price = each.price,
                      .from = {},
                      .to = {},
                      .months = {}};
        drafts.push_back(std::move(draft));
    }
    const Months months(terms.start, end);
    const auto date = [&terms](std::int64_t time) {
        return terms.start ? dateText(*terms.start + static_cast<int>((time + dayLength - 1) / dayLength))
                           : std::string();
    };
    for (Draft& each : drafts) {
        OrderLine& line = each.line;
        line.amount = amountOf(line.quantity, line.price);
        line.from = date(each.from);
        line.to = date(each.to);
        line.months = splitCents(line.amount, each.prepaid ? months.within(each.from, each.from + 1)
                                                           : months.within(each.from, each.to));
        out.lines.push_back(std::move(line));
    }
    out.end = date(end);
    std::vector<Cents> paid(months.size(), 0);
    Cents sum = 0;
    const auto count = [&](const OrderLine& line) {
        sum += line.amount;
        for (std::size_t i = 0; i < paid.size(); ++i) {
            paid[i] += line.months[i];
        }
    };
    std::ranges::for_each(out.lines, count);
    const auto percent = [&](OrderLineKind kind, const char* text, std::int64_t millionths) {
        if (millionths > 0 && sum > 0) {
            out.lines.push_back(percentLine(kind, text, millionths, sum, paid));
            count(out.lines.back());
        }
    };
    percent(OrderLineKind::support, "Support", terms.support);
    percent(OrderLineKind::contingency, "Contingency", terms.contingency);
    out.beforeTax = sum;
    percent(OrderLineKind::tax, "Tax", terms.tax);
    out.total = sum;
    for (std::size_t i = 0; i < months.size(); ++i) {
        out.months.push_back({months.name(i), paid[i]});
    }
    return out;
}

} // namespace alidade
