// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "model/base/text.h"
#include "model/cost/storage_price.h"
#include "model/estimate/reinforcement.h"
#include "model/hardware/purchase.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::data {
namespace {

std::string dollarsText(Cents cents) { return formatQuantity(dollarsOf(cents), Dimension::dollars); }
std::string runDaysText(double days) { return formatQuantity(days * secondsPerDay, Dimension::seconds); }

std::string rangeText(std::optional<Cents> low, std::optional<Cents> high) {
    return low && high ? printedRange(dollarsOf(*low), dollarsOf(*high), Dimension::dollars) : std::string();
}

/// "16,128" of thousandths.
Cell textWithValue(std::string text, double value, Dimension dimension) {
    Cell cell = textCell(std::move(text));
    cell.value = value;
    cell.dimension = dimension;
    return cell;
}

/// "1,234.50": an amount in the smallest coin of a currency, whose code is in the title of the column.
Cell convertedCell(std::int64_t amount, int digits, Emphasis emphasis = Emphasis::none) {
    Cell cell = textCell((amount < 0 ? "\u2212" : "") +
                             groupedText(amountText(amount < 0 ? -amount : amount, digits)),
                         emphasis);
    cell.value = static_cast<double>(amount) / std::pow(10, digits);
    return cell;
}

/// What the other currency is converted by, and whether its rate is an old one.
std::vector<std::string> conversionRemarks(const Conversion& conversion, const std::string& reportDate) {
    constexpr int oldRateDays = 30;
    std::vector<std::string> out{"Amounts in " + conversion.currency + ": at " + priceText(conversion.rate) +
                                 ' ' + conversion.currency + " for one US dollar, rate of " +
                                 conversion.date + ". US dollars are billed."};
    if (const auto age = daysBetween(conversion.date, reportDate); age && *age > oldRateDays)
        out.push_back("The exchange rate is " + std::to_string(*age) +
                      " days older than this document; look it up again.");
    return out;
}

std::vector<Cell> orderRow(const OrderLine& line, bool dated, const std::optional<Conversion>& conversion) {
    // With a column more there is no room for those of the days.
    const bool inText = dated && conversion && !line.from.empty();
    std::vector<Cell> row{textCell(line.text + (inText ? ", " + line.from + " to " + line.to : "")),
                          textWithValue(groupedText(thousandthsText(line.quantity)),
                                        static_cast<double>(line.quantity) / 1e3, Dimension::number),
                          textCell(line.unit)};
    row.push_back(isShare(line.kind)
                      ? noCell()
                      : textWithValue("$" + priceText(line.price), static_cast<double>(line.price) / 1e9,
                                      Dimension::dollars));
    if (dated && !conversion) {
        row.push_back(line.from.empty() ? noCell() : textCell(line.from));
        row.push_back(line.to.empty() ? noCell() : textCell(line.to));
    }
    row.push_back(exactMoneyCell(line.amount));
    if (conversion)
        row.push_back(convertedCell(line.converted, conversion->digits));
    return row;
}

/// "2027-01" -> "Jan 2027"; "3" -> "Month 3".
std::string monthText(const std::string& name) {
    constexpr std::array names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (name.size() != 7)
        return "Month " + name;
    const int month = std::clamp(std::stoi(name.substr(5)), 1, 12);
    return std::string(names.at(static_cast<std::size_t>(month - 1))) + " " + name.substr(0, 4);
}

/// How it is bought, inside a sentence.
std::string purchaseText(const std::string& purchase) {
    const std::optional<Purchase> known = purchaseNamed(purchase);
    return known ? textsOf(*known).manner : "";
}

/// What is ordered: "64 x p5.48xlarge on demand", "64 x p5.48xlarge, 16 under a Savings Plan and 48 on
/// demand".
std::string orderedText(const Estimate& e) {
    const std::string how = purchaseText(e.cost->purchase);
    if (!e.cost->base)
        return e.clusterName + (how.empty() ? "" : " " + how);
    const CostBase& base = *e.cost->base;
    const std::string ofBase = formatCount(base.items) + " " + purchaseText(base.purchase);
    return e.clusterName + ", " +
           (base.rest > 0 ? ofBase + " and " + formatCount(base.rest) + " " + how : ofBase);
}

/// Whether lines of an order are in use at different times.
bool datesDiffer(const Order& order) {
    return std::ranges::any_of(order.lines, [&](const OrderLine& line) {
        return !line.from.empty() &&
               (line.from != order.lines.front().from || line.to != order.lines.front().to);
    });
}

/// Why a run is ordered without its storage; empty: it is a line of the order, or nothing is stored.
std::string missingStorage(const Estimate& e, const Order& order) {
    const bool ordered = std::ranges::any_of(
        order.lines, [](const OrderLine& line) { return line.kind == OrderLineKind::storage; });
    if (ordered || (!e.run && !e.reinforcement))
        return {};
    const std::string& id = e.run ? e.run->storage : e.reinforcement->storage;
    if (id.empty())
        return "Storage is not included.";
    const bool provisioned = (e.run ? e.run->storageBytes : e.reinforcement->storageBytes) > 0;
    return "Storage is not included: " +
           (provisioned ? "the catalog has no price of " + id + "."
                        : id + " is billed by what is kept in it; set run.storage_bytes to count it.");
}

/// "$2.58 M per month ($2.55 M – $2.61 M)": over the time that is paid for, with what it is at the ends of
/// the band.
std::string monthlyText(const PlanDocument& document) {
    const Cents month = perMonth(document.bill->expected.beforeTax, document.orderHours);
    std::string text = dollarsText(month) + " per month";
    if (!document.bill->low || !document.bill->high)
        return text;
    const Cents ends[] = {perMonth(document.bill->low->beforeTax, document.lowHours),
                          perMonth(document.bill->high->beforeTax, document.highHours)};
    const Cents low = std::min({ends[0], ends[1], month}), high = std::max({ends[0], ends[1], month});
    return text + (dollarsText(low) == dollarsText(high) ? ", low and high alike"
                                                         : " (" + rangeText(low, high) + ")");
}

} // namespace

std::string serviceTimeText(double hours) {
    return hours == monthHours ? "a month of 730 hours" : runDaysText(hours / 24);
}

std::string exactMoney(Cents cents) {
    return (cents < 0 ? "\u2212$" : "$") + groupedText(centsText(cents < 0 ? -cents : cents));
}

Cell exactMoneyCell(Cents cents, Emphasis emphasis) {
    Cell cell = textCell(exactMoney(cents), emphasis);
    cell.value = dollarsOf(cents);
    cell.dimension = Dimension::dollars;
    return cell;
}

std::vector<Sentence> decisionSentences(const Estimate& e, const PlanDocument& document) {
    const auto& w = e.scenario.workload;
    std::string question = "What has to be ordered ";
    question += isServing(e)         ? "to serve " + e.modelName
                : isReinforcement(e) ? "for " + rlJob(e)
                                     : "to train " + e.modelName;
    if (w.tokens && !isServing(e))
        question += " on " + formatQuantity(*w.tokens, Dimension::tokens);
    if (const auto& deadline = e.scenario.run.deadline)
        question += " by " + *deadline;
    std::vector<Sentence> out{{{"Question: ", true}, {question + "?", false}}};
    if (!document.result.carries) {
        out.push_back({{"Recommendation: ", true}, {"Do not order this plan.", false}});
        return out;
    }
    if (!document.bill)
        return out;
    const Cents total = document.bill->expected.beforeTax;
    std::string what = orderedText(e);
    if (!e.cost->region.empty())
        what += " in " + e.cost->region;
    if (const auto& start = e.scenario.order.start)
        what += " from " + *start;
    Sentence advice{{"Recommendation: ", true}, {"Order " + what, false}};
    if (document.result.days && w.tokens) {
        advice.push_back({": that trains " + formatQuantity(*w.tokens, Dimension::tokens) + " in ", false});
        advice.push_back({runDaysText(*document.result.days), true});
    } else if (document.result.days && isReinforcement(e)) {
        advice.push_back(
            {": that takes " + formatCount(w.reinforcement.steps.value_or(0)) + " steps in ", false});
        advice.push_back({runDaysText(*document.result.days), true});
    }
    advice.push_back({" for ", false});
    advice.push_back({dollarsText(total), true});
    const std::string range = rangeText(document.result.low, document.result.high);
    advice.push_back({" before tax" + (range.empty() ? "" : " (" + range + ")"), false});
    const bool ends = isServing(e) && e.cost && isSoldInBlocks(e.cost->purchase) &&
                      (!e.cost->base || isSoldInBlocks(e.cost->base->purchase)); // prepaid, not by the month
    if (document.orderHours > monthHours && !ends)
        advice.push_back({", " + monthlyText(document), false});
    if (isServing(e) && document.orderHours > 0)
        advice.push_back({", for " + serviceTimeText(document.orderHours), false});
    advice.push_back({document.result.missesDeadline() ? "; it misses the deadline." : ".", false});
    out.push_back(std::move(advice));
    if (!range.empty())
        out.push_back({{isReinforcement(e) ? "Low and high hold the model's error on published runs."
                                           : "Low and high hold the model's error on published runs, the "
                                             "rate of failures and chance.",
                        false}});
    return out;
}

void fillKeyFigures(std::vector<KeyFigure>& figures, const Estimate& e, const PlanDocument& document) {
    const PlanResult& r = document.result;
    for (KeyFigure& figure : figures) {
        if (figure.question == "How long?" && r.lowDays && r.highDays)
            figure.detail =
                printedRange(*r.lowDays * secondsPerDay, *r.highDays * secondsPerDay, Dimension::seconds);
        const bool price = figure.question == "How much?" || figure.question == "Cost of 1,000 steps";
        if (price && r.total && !isServing(e))
            figure = quantityFigure("How much?", dollarsOf(*r.total), Dimension::dollars,
                                    rangeText(r.low, r.high));
        if (figure.question == "How sure?" && r.days && r.lowDays && r.highDays) {
            const auto percent = [&](double days) {
                const double v = days / *r.days - 1;
                return formatParts(v, Dimension::ratio,
                                   FormatOptions{.significant = std::abs(v) < 0.1 ? 1 : 2, .fixed = {}})
                    .number;
            };
            figure.value = percent(*r.lowDays) + " +" + percent(*r.highDays);
            figure.unit = "%";
            figure.detail = "8 of 10 outcomes";
        }
    }
}

ReportSection orderedSection(const Estimate& e, const Order& order, const PriceNote& price,
                             const std::string& reportDate) {
    ReportSection section{.id = "order", .title = "What to order", .firstPage = true};
    const bool dated = datesDiffer(order);
    Table table{.id = "order",
                .columns = {textColumn("Item"), quantityColumn("Quantity", Dimension::number),
                            textColumn("Unit"), quantityColumn("Unit price", Dimension::dollars)}};
    const std::optional<Conversion>& conversion = order.conversion;
    if (dated && !conversion) {
        table.columns.push_back(textColumn("From"));
        table.columns.push_back(textColumn("To"));
    }
    table.columns.push_back(quantityColumn("Total", Dimension::dollars));
    const std::size_t totalColumn = table.columns.size() - 1;
    if (conversion)
        table.columns.push_back(quantityColumn("Total, " + conversion->currency, Dimension::number));
    for (const OrderLine& line : order.lines)
        table.rows.push_back(orderRow(line, dated, conversion));
    const bool taxed = order.total != order.beforeTax;
    std::vector<Cell> total(table.columns.size(), textCell(""));
    total.front() = textCell(taxed ? "Total, tax included" : "Total, before tax", Emphasis::strong);
    total[totalColumn] = exactMoneyCell(order.total, Emphasis::strong);
    if (conversion)
        total.back() = convertedCell(order.convertedTotal, conversion->digits, Emphasis::strong);
    table.rows.push_back(std::move(total));
    table.totalRow = true;
    if (!dated && !order.lines.front().from.empty())
        table.note = "From " + order.lines.front().from + " to " + order.lines.front().to + ". ";
    table.note += price.text;
    if (taxed)
        table.note += " Before tax " + exactMoney(order.beforeTax) + ".";
    if (order.idleHours > 0)
        table.note += " " + groupedText(thousandthsText(order.idleHours)) + " of " +
                      groupedText(thousandthsText(order.bookedHours)) + " hours are paid, but not used.";
    table.noteEmphasis = price.old ? Emphasis::warning : Emphasis::quiet;
    section.tables.push_back(std::move(table));
    if (conversion)
        section.text = conversionRemarks(*conversion, reportDate);
    for (const std::string& remark : order.remarks)
        section.text.push_back(remark);
    if (isReinforcement(e))
        section.text.emplace_back("The time is that of all steps without a failure: a contingency "
                                  "(order.contingency) covers failures.");
    if (const std::string without = missingStorage(e, order); !without.empty())
        section.text.push_back(without);
    return section;
}

std::optional<ReportSection> billSection(const Estimate& e, const PlanDocument& document,
                                         const PriceNote& price, const PriceValidity& validity,
                                         const std::string& reportDate) {
    if (!document.bill || !e.cost || document.bill->expected.lines.empty())
        return std::nullopt;
    return orderedSection(e, document.bill->expected, {price.text + validity.text, price.old}, reportDate);
}

std::optional<ReportSection> cashFlowSection(const PlanDocument& document, const std::string& start) {
    constexpr std::size_t mostBars = 18;
    if (document.cash.empty())
        return std::nullopt;
    ReportSection section{.id = "cash_flow",
                          .title = "Cash flow by month" + (start.empty() ? "" : ", start on " + start)};
    const bool band = document.bill && document.bill->low && document.bill->high;
    const std::optional<Conversion> conversion =
        document.bill ? document.bill->expected.conversion : std::nullopt;
    RangeBars bars{.dimension = Dimension::dollars, .bars = {}};
    std::string words = "Paid in each month: ";
    Table table{.id = "cash_flow",
                .columns = {textColumn("Month"), quantityColumn("Paid", Dimension::dollars),
                            quantityColumn("So far", Dimension::dollars)}};
    if (band) {
        table.columns.push_back(quantityColumn("So far, low", Dimension::dollars));
        table.columns.push_back(quantityColumn("So far, high", Dimension::dollars));
    }
    if (conversion)
        table.columns.push_back(quantityColumn("Paid, " + conversion->currency, Dimension::number));
    CashMonth sum;
    for (const CashMonth& month : document.cash) {
        const std::string name = monthText(month.name);
        std::vector<Cell> row{textCell(name), exactMoneyCell(month.paid), exactMoneyCell(month.soFar)};
        RangeBar bar{.label = name,
                     .value = dollarsOf(month.paid),
                     .low = {},
                     .high = {},
                     .text = dollarsText(month.paid)};
        if (band) {
            row.push_back(exactMoneyCell(month.lowSoFar));
            row.push_back(exactMoneyCell(month.highSoFar));
            bar.low = dollarsOf(std::min({month.low, month.paid, month.high}));
            bar.high = dollarsOf(std::max({month.low, month.paid, month.high}));
        }
        if (conversion)
            row.push_back(convertedCell(month.converted, conversion->digits));
        table.rows.push_back(std::move(row));
        words += (bars.bars.empty() ? "" : "; ") + bar.label + " " + bar.text;
        bars.bars.push_back(std::move(bar));
        sum.paid += month.paid;
    }
    table.note = band ? "Low and high: if the run ends at the 10 % or the 90 % quantile of its time."
                      : "Paid for the time that is ordered.";
    if (document.bill && document.bill->expected.total != document.bill->expected.beforeTax)
        table.note += " Tax is included.";
    if (bars.bars.size() <= mostBars)
        section.plots.push_back({"cash_flow", "Paid in the month", words + ".", std::move(bars)});
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> alternativeSection(const PlanDocument& document) {
    constexpr std::size_t most = 4; // room on the first page
    RangeBars bars{.dimension = Dimension::dollars, .bars = {}};
    std::string words = "Total of each: ";
    for (const ConsideredOption& each : document.options.options) {
        const PlanResult& r = each.result;
        if (!r.carries || !r.total || bars.bars.size() == most)
            continue;
        RangeBar bar{.label = each.name,
                     .value = dollarsOf(*r.total),
                     .low = {},
                     .high = {},
                     .text = dollarsText(*r.total)};
        if (r.low && r.high) {
            bar.low = dollarsOf(*r.low);
            bar.high = dollarsOf(*r.high);
        }
        words += (bars.bars.empty() ? "" : "; ") + bar.label + " " + bar.text;
        if (r.days)
            bar.text += ", " + runDaysText(*r.days);
        bars.bars.push_back(std::move(bar));
    }
    if (bars.bars.size() < 2)
        return std::nullopt;
    return ReportSection{
        .id = "alternatives",
        .title = "The same job otherwise",
        .plots = {{"alternatives", "Total before tax, with low and high", words + ".", std::move(bars)}},
        .firstPage = true};
}

} // namespace alidade::data
