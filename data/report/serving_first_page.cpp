// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/cost/storage_price.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::data {
namespace {

/// "p5en.48xlarge" of "6 x p5en.48xlarge" and of "Prefill on p5en.48xlarge": what is rented, whoever uses it.
std::string itemOf(const CostLineT<double>& line) {
    for (const std::string_view before : {" x ", " on "})
        if (const auto at = line.name.find(before); at != std::string::npos)
            return line.name.substr(at + before.size());
    return line.name;
}

/// The lines of a cost by what is rented: pools may share a machine, of which parts are not rented.
std::vector<CostLineT<double>> rentedItems(const Cost& cost) {
    std::vector<CostLineT<double>> out;
    for (const auto& line : cost.lines) {
        const std::string item = itemOf(line);
        const auto same = std::ranges::find_if(out, [&](const auto& other) {
            return other.name == item && other.dollarsPerUnit == line.dollarsPerUnit;
        });
        if (same == out.end()) {
            out.push_back(line);
            out.back().name = item;
        } else {
            same->quantity += line.quantity;
            same->dollars += line.dollars;
        }
    }
    return out;
}

/// "p5en.48xlarge, On-Demand, us-east-2".
std::string rentedItem(std::string name, const Cost& cost) {
    const std::string how = nameOfChoice("cluster.purchase", cost.purchase);
    for (const std::string& part : {how, cost.region})
        name += part.empty() ? "" : ", " + part;
    return name;
}

std::vector<Cell> rentRow(const Cost& cost, const std::string& name, Cell quantity, double perUnit,
                          double hourly, Emphasis emphasis = Emphasis::none) {
    return {textCell(rentedItem(name, cost), emphasis), std::move(quantity),
            moneyCell(perUnit, Dimension::dollarsPerHour), moneyCell(hourly, Dimension::dollars, emphasis),
            moneyCell(hourly * monthHours, Dimension::dollars, emphasis)};
}

} // namespace

std::optional<ReportSection> rentSection(const Estimate& e, const PriceNote& price,
                                         const std::string& reportDate) {
    if (!e.cost)
        return std::nullopt;
    const Cost& c = *e.cost;
    if (c.order && !c.order->lines.empty() && !isMonthOfRent(c))
        return orderedSection(e, *c.order, price, reportDate);
    ReportSection section{.id = "order", .title = "What to order", .firstPage = true};
    Table table{.id = "order",
                .columns = {textColumn("Item"), quantityColumn("Quantity", Dimension::number),
                            quantityColumn("Price of one", Dimension::dollarsPerHour),
                            quantityColumn("Each hour", Dimension::dollars),
                            quantityColumn("Each month", Dimension::dollars)}};
    if (!c.lines.empty() && linesMake(c, c.dollarsPerHour)) {
        for (const auto& line : rentedItems(c))
            table.rows.push_back(
                rentRow(c, line.name, exactCell(line.quantity), line.dollarsPerUnit, line.dollars));
    } else {
        table.rows.push_back(rentRow(c, e.clusterName, noCell(), c.dollarsPerHour, c.dollarsPerHour));
        table.rows.front()[2] = noCell();
    }
    if (table.rows.size() > 1) {
        table.rows.push_back(
            {textCell("Total, before tax", Emphasis::strong), textCell(""), textCell(""),
             moneyCell(c.dollarsPerHour, Dimension::dollars, Emphasis::strong),
             moneyCell(c.dollarsPerHour * monthHours, Dimension::dollars, Emphasis::strong)});
        table.totalRow = true;
    }
    table.note = price.text + " A month is " + formatQuantity(monthHours, Dimension::number) + " hours.";
    table.noteEmphasis = price.old ? Emphasis::warning : Emphasis::quiet;
    section.tables.push_back(std::move(table));
    return section;
}

std::optional<ReportSection> loadSection(const Estimate& e) {
    if (!e.serving || e.serving->loadCurve.size() < 2)
        return std::nullopt;
    return ReportSection{
        .id = "load", .title = "Latency against load", .plots = {loadPlot(e)}, .firstPage = true};
}

std::optional<ReportSection> decodeStepSection(const Estimate& e) {
    const bool decode = servesTokens(e);
    const auto& parts = decode ? e.serving->breakdown : e.serving->prefillBreakdown;
    const double step = decode ? e.serving->stepTime : e.serving->prefillStepTime;
    if (parts.empty() || !(step > 0))
        return std::nullopt;
    const std::string what = decode ? "decode step" : "prefill step";
    return ReportSection{.id = "step",
                         .title = "Step time breakdown (" + what + ", " +
                                  formatQuantity(step, Dimension::seconds) + ")",
                         .plots = {stepPlot(parts, step, "step", what)},
                         .firstPage = true};
}

} // namespace alidade::data
