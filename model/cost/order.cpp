// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/order.h"

#include "model/base/calendar.h"
#include "model/base/text.h"
#include "model/cost/capacity_block.h"
#include "model/cost/storage_price.h"
#include "model/hardware/purchase.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace alidade {

namespace {

// Times are in thousandths of an hour.
constexpr int dayLength = 24 * 1000;
constexpr auto periodLength = static_cast<int>(monthHours) * 1000; ///< a month, on average

/// A part of a quantity, rounded to a thousandth of its unit.
Thousandths partOf(Thousandths quantity, std::int64_t part, std::int64_t whole) {
    return std::llround(static_cast<double>(quantity) * static_cast<double>(part) /
                        static_cast<double>(whole));
}

/// The months from the start of an order to its end, in thousandths of an hour from the start.
class Months {
public:
    Months(std::optional<int> start, std::int64_t length)
        : start_(start) {
        for (std::int64_t at = 0; at < length; at = ends_.back())
            ends_.push_back(at + lengthAt(at));
    }

    std::size_t size() const { return ends_.size(); }
    /// Of the whole month, of which an order may begin late or end early.
    std::int64_t length(std::size_t i) const {
        if (!start_)
            return periodLength;
        const std::string text = name(i);
        return std::int64_t{daysOfMonth(std::stoi(text.substr(0, 4)), std::stoi(text.substr(5, 2)))} *
               dayLength;
    }

    std::string name(std::size_t i) const {
        if (!start_)
            return std::to_string(i + 1);
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
        if (!start_)
            return periodLength;
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
    std::int64_t from = 0, to = 0;     ///< in use
    std::int64_t upfront = 0;          ///< share that is paid at `from`, in millionths
    std::vector<std::int64_t> weights; ///< of its months, where they are not those of its time
};

constexpr std::int64_t allOfIt = 1'000'000;

std::string countOf(std::int64_t n) { return formatCount(n); }

std::string itemText(const OrderedMachines& machines, std::int64_t count) {
    return countOf(count) + " x " + machines.item;
}

std::string labeled(const OrderedMachines& machines, std::string text) {
    return machines.label.empty() ? text : machines.label + ": " + text;
}

const char* hoursUnit(const OrderedMachines& machines) {
    return machines.ultraserver ? "UltraServer-hours" : "instance-hours";
}

std::string counted(std::int64_t n, const char* one) {
    return formatCount(n) + ' ' + one + (n == 1 ? "" : "s");
}

Draft usedLine(const OrderedMachines& machines) {
    Draft out;
    out.to = billedHours(machines.hours);
    out.line.text =
        labeled(machines, itemText(machines, machines.count) + ", " + textsOf(machines.purchase).line);
    out.line.unit = hoursUnit(machines);
    out.line.quantity = machines.count * out.to;
    out.line.price = machines.price;
    return out;
}

/// Calls `each` with the days of the blocks that follow each other.
template <class Each>
void forBlockDays(double hours, const RentalTerms& rental, Each each) {
    const double usable = 24.0 * longestCapacityBlockDays - rental.blockEndHours;
    double left = hours;
    for (; left > usable; left -= usable)
        each(longestCapacityBlockDays);
    each(*capacityBlockDays(left + rental.blockEndHours, rental.blocksByDay));
}

/// Calls `each` with the sizes of blocks that are bought side by side and how many of each, largest
/// first. UltraServers: one each.
template <class Each>
void forBlockSizes(int count, bool ofOne, Each each) {
    if (ofOne) {
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
    const std::string name = textsOf(machines.purchase).line;
    forBlockDays(machines.hours, machines.rental, [&](int days) {
        const std::int64_t to = from + std::int64_t{days} * dayLength;
        forBlockSizes(machines.count, machines.rental.blocksOfOne, [&](int size, int number) {
            Draft draft;
            draft.from = from;
            draft.to = to;
            draft.upfront = allOfIt;
            const std::string block = number == 1 ? name + ", " : counted(number, name.c_str()) + " of ";
            draft.line.text =
                labeled(machines, block + itemText(machines, size) + ", " + counted(days, "day"));
            draft.line.unit = hoursUnit(machines);
            draft.line.quantity = std::int64_t{size} * number * (to - from);
            draft.line.price = machines.price;
            out.push_back(std::move(draft));
        });
        from = to;
    });
    return out;
}

/// The terms that follow each other, each billed from its first hour to its last.
std::vector<Draft> termLines(const OrderedMachines& machines) {
    const auto term = static_cast<std::int64_t>(machines.rental.termYears * hoursOfTermYear * 1000);
    const std::int64_t end = billedHours(paidHours(machines.hours, machines.rental));
    const std::string text =
        itemText(machines, machines.count) + ", " + textsOf(machines.purchase).line + ", " +
        (machines.commitment.empty() ? counted(machines.rental.termYears, "year") : machines.commitment);
    std::vector<Draft> out;
    for (std::int64_t from = 0; from < end; from += term) {
        Draft draft;
        draft.from = from;
        draft.to = from + term;
        draft.upfront = machines.rental.upfrontShare;
        draft.line.text = labeled(machines, text);
        draft.line.unit = hoursUnit(machines);
        draft.line.quantity = machines.count * term;
        draft.line.price = machines.price;
        out.push_back(std::move(draft));
    }
    return out;
}

void addBlockRemarks(const OrderedMachines& machines, const std::vector<Draft>& drafts, Order& order) {
    if (machines.purchase == Purchase::trainingPlan) {
        order.remarks.emplace_back("Training plans are paid in full when they are bought and cannot be "
                                   "canceled or changed; a HyperPod cluster loses its instances 60 minutes "
                                   "before the end. Order at the fee that an offer shows.");
    } else {
        order.remarks.emplace_back("Capacity Blocks are paid in full when they are bought, at most eight "
                                   "weeks before they start, and cannot be canceled or changed.");
    }
    std::size_t beside = 0;
    forBlockSizes(machines.count, machines.rental.blocksOfOne, [&beside](int, int) { ++beside; });
    if (beside > 1) {
        order.remarks.emplace_back(
            machines.purchase == Purchase::trainingPlan
                ? "Plans bought together may be in different Availability Zones; ask for one."
                : "Blocks bought together may be in different Availability Zones; ask for one.");
    }
    if (drafts.size() > beside) {
        order.remarks.emplace_back(
            std::string(machines.purchase == Purchase::trainingPlan ? "Plans" : "Blocks") +
            " that follow each other are bought one by one; no offer is certain, and "
            "instances are terminated between them.");
    }
}

void addTermRemarks(const OrderedMachines& machines, const std::vector<Draft>& drafts,
                    const std::optional<int>& start, Order& order) {
    const std::string years = counted(machines.rental.termYears, "year");
    if (machines.purchase == Purchase::savingsPlan) {
        order.remarks.push_back("The Savings Plan commits to " +
                                moneyText(amountOf(machines.count * 1000, machines.price)) +
                                " for every hour of " + years +
                                ", used or not, and cannot be canceled; it does not reserve capacity.");
    } else {
        order.remarks.push_back("A reservation is billed for every hour of its term of " + years +
                                ", used or not.");
    }
    if (machines.rental.upfrontShare > 0 && machines.rental.upfrontShare < allOfIt) {
        order.remarks.emplace_back(
            "Partial upfront: half is counted when the term begins, the rest by the month.");
    }
    if (drafts.size() > 1) {
        order.remarks.push_back("One term is too short: " + formatCount(std::ssize(drafts)) +
                                " follow each other, each billed in full.");
    }
    const Thousandths booked = drafts.back().to, needed = billedHours(machines.hours);
    const Thousandths idle = machines.count * (booked - needed);
    if (idle > 0) {
        const std::string after =
            start ? dateText(*start + static_cast<int>((needed + dayLength - 1) / dayLength)) : "";
        const std::string need = after.empty() ? "the term continues after they are no longer needed. "
                                               : "needed until " + after + ". ";
        order.remarks.push_back(std::string("Idle ") + (machines.ultraserver ? "UltraServers" : "instances") +
                                (machines.label.empty() ? ": " : " (" + machines.label + "): ") + need +
                                groupedText(thousandthsText(idle)) + " of " +
                                groupedText(thousandthsText(machines.count * booked)) + ' ' +
                                hoursUnit(machines) + " of the term, " +
                                moneyText(amountOf(idle, machines.price)) + ", are paid and not used.");
    }
}

/// The lines of the data sent, one for each tier that is reached in a month.
std::vector<Draft> transferLines(const OrderedTransfer& transfer, const Months& months, std::int64_t end) {
    std::vector<Draft> out(transfer.tiers.size());
    const std::vector<std::int64_t> used = months.within(0, end);
    std::size_t last = 0;
    for (std::size_t m = 0; m < used.size(); ++m)
        last = used[m] > 0 ? m : last;
    for (std::size_t m = 0; m < used.size(); ++m) {
        Thousandths left = transfer.monthly ? partOf(transfer.gigabytes, used[m], months.length(m))
                           : m == last      ? transfer.gigabytes
                                            : 0;
        Thousandths from = 0;
        for (std::size_t t = 0; t < out.size(); ++t) {
            const OrderedTier& tier = transfer.tiers[t];
            const Thousandths here = tier.upTo > 0 ? std::min(left, tier.upTo - from) : left;
            out[t].weights.push_back(here);
            out[t].line.quantity += here;
            left -= here;
            from = tier.upTo;
        }
    }
    Thousandths from = 0;
    for (std::size_t t = 0; t < out.size(); ++t) {
        const OrderedTier& tier = transfer.tiers[t];
        OrderLine& line = out[t].line;
        out[t].to = end;
        line.kind = OrderLineKind::transfer;
        line.unit = "GB";
        line.price = tier.price;
        line.text = "Data transfer to the internet";
        if (tier.upTo > 0) {
            line.text += from > 0 ? ", from " + formatCount(from / 1000) + " to " : ", first ";
            line.text += formatCount(tier.upTo / 1000) + " GB of a month";
        } else if (from > 0) {
            line.text += ", above " + formatCount(from / 1000) + " GB of a month";
        }
        from = tier.upTo;
    }
    std::erase_if(out, [](const Draft& each) { return each.line.quantity == 0; });
    return out;
}

/// What of a line is paid in each month.
std::vector<Cents> monthsOf(const Draft& draft, const Months& months) {
    if (!draft.weights.empty())
        return splitCents(draft.line.amount, draft.weights);
    const Cents upfront = shareOf(draft.line.amount, draft.upfront);
    std::vector<Cents> out = splitCents(upfront, months.within(draft.from, draft.from + 1));
    const std::vector<Cents> later =
        splitCents(draft.line.amount - upfront, months.within(draft.from, draft.to));
    std::ranges::transform(out, later, out.begin(), std::plus());
    return out;
}

/// Amounts in the other currency: each line is converted and rounded once, and sums are of those.
void convert(const Conversion& conversion, Order& order) {
    order.conversion = conversion;
    for (OrderLine& line : order.lines) {
        line.converted = convertedAmount(line.amount, conversion.rate, conversion.digits);
        if (line.amount > 0)
            line.convertedMonths = splitCents(line.converted, line.months);
        else
            line.convertedMonths.assign(line.months.size(), 0);
        order.convertedTotal += line.converted;
        order.convertedBeforeTax += line.kind == OrderLineKind::tax ? 0 : line.converted;
        for (std::size_t i = 0; i < order.months.size(); ++i)
            order.months[i].converted += line.convertedMonths[i];
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

Cents rentOf(int count, double hours, NanoDollars price, const RentalTerms& rental) {
    if (rental.termYears > 0) {
        const double term = rental.termYears * hoursOfTermYear;
        const auto terms = std::llround(paidHours(hours, rental) / term);
        return terms * amountOf(count * billedHours(term), price);
    }
    if (!rental.inBlocks())
        return amountOf(count * billedHours(hours), price);
    Cents out = 0;
    forBlockDays(hours, rental, [&](int days) {
        forBlockSizes(count, rental.blocksOfOne, [&](int size, int number) {
            out += amountOf(std::int64_t{size} * number * days * dayLength, price);
        });
    });
    return out;
}

Order orderOf(const std::vector<OrderedMachines>& machines, const std::vector<OrderedService>& services,
              const OrderTerms& terms, const OrderedTransfer& transfer) {
    Order out;
    std::vector<Draft> drafts;
    Thousandths used = 0;
    std::int64_t end = 0, useEnds = 0;
    for (const OrderedMachines& each : machines) {
        std::vector<Draft> made;
        if (each.rental.inBlocks()) {
            made = blockLines(each);
            addBlockRemarks(each, made, out);
        } else if (each.rental.termYears > 0) {
            made = termLines(each);
            addTermRemarks(each, made, terms.start, out);
        } else {
            made.push_back(usedLine(each));
        }
        const Thousandths needed = billedHours(each.hours);
        used += each.count * needed;
        end = std::max(end, made.back().to);
        // A commitment outlives its use; storage may go on to the end of a block.
        useEnds = std::max(useEnds, each.rental.termYears > 0 ? needed : made.back().to);
        std::ranges::move(made, std::back_inserter(drafts));
    }
    for (const Draft& each : drafts)
        out.bookedHours += each.line.quantity;
    out.idleHours = std::max<Thousandths>(0, out.bookedHours - used);
    for (const OrderedService& each : services) {
        Draft draft;
        draft.to = useEnds;
        draft.line = {.kind = each.kind,
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
    if (transfer.gigabytes > 0)
        std::ranges::move(transferLines(transfer, months, useEnds), std::back_inserter(drafts));
    const auto date = [&terms](std::int64_t time) {
        return terms.start ? dateText(*terms.start + static_cast<int>((time + dayLength - 1) / dayLength))
                           : std::string();
    };
    for (Draft& each : drafts) {
        OrderLine& line = each.line;
        line.amount = amountOf(line.quantity, line.price);
        line.from = date(each.from);
        line.to = date(each.to);
        line.months = monthsOf(each, months);
        out.lines.push_back(std::move(line));
    }
    out.end = date(end);
    std::vector<Cents> paid(months.size(), 0);
    Cents sum = 0;
    const auto count = [&](const OrderLine& line) {
        sum += line.amount;
        for (std::size_t i = 0; i < paid.size(); ++i)
            paid[i] += line.months[i];
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
    for (std::size_t i = 0; i < months.size(); ++i)
        out.months.push_back({months.name(i), paid[i]});
    if (terms.conversion)
        convert(*terms.conversion, out);
    // Machines that are bought apart may have the same to say.
    std::vector<std::string> remarks;
    for (std::string& each : out.remarks)
        if (std::ranges::find(remarks, each) == remarks.end())
            remarks.push_back(std::move(each));
    out.remarks = std::move(remarks);
    return out;
}

} // namespace alidade
