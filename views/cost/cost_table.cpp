// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/cost/cost_table.h"

#include "model/cost/storage_price.h"
#include "model/estimate/run_order.h"
#include "model/hardware/purchase.h"
#include "model/units/constants.h"
#include "views/document/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>
#include <string>

namespace alidade::views {

namespace {

constexpr double hoursOfDay = 24;

struct CostTexts {
    Q_DECLARE_TR_FUNCTIONS(CostView)
};

CostRow orderRow(const Order& order, const OrderLine& line) {
    return {.name = text(line.text),
            .quantity = quantity(static_cast<double>(line.quantity) / 1e3, Dimension::number) +
                        QLatin1Char(' ') + text(line.unit),
            .price = isShare(line.kind) ? QStringLiteral("–")
                                        : quantity(static_cast<double>(line.price) / 1e9, Dimension::dollars),
            .dollars = glance(dollarsOf(line.amount), Dimension::dollars),
            .share = order.beforeTax > 0 ? dollarsOf(line.amount) / dollarsOf(order.beforeTax) : 0,
            .value = dollarsOf(line.amount)};
}

/// The lines of an order before tax, as they are ordered.
QList<CostRow> orderRows(const Order& order) {
    QList<CostRow> rows;
    for (const OrderLine& line : order.lines)
        if (line.kind != OrderLineKind::tax)
            rows.append(orderRow(order, line));
    return rows;
}

/// What the lines of a part begin with, in an order and in an estimate.
constexpr const char *basePart = "Base: ", *restPart = "Rest: ";

/// The part of a service that is in blocks while the other is not; nullptr: there is none.
const char* blockPart(const Estimate& estimate) {
    if (!estimate.serving || !estimate.cost || !estimate.cost->order || !estimate.cost->base)
        return nullptr;
    const bool base = isSoldInBlocks(estimate.cost->base->purchase),
               rest = isSoldInBlocks(estimate.cost->purchase);
    return base == rest ? nullptr : base ? basePart : restPart;
}

/// Over a month a block that does not renew costs what it was bought for.
bool isPaidOnce(const Estimate& estimate, CostPeriod period, const std::string& line) {
    const char* part = blockPart(estimate);
    return part != nullptr && period == CostPeriod::month && line.starts_with(part);
}

} // namespace

bool isPrepaid(const Estimate& estimate) {
    return estimate.serving && estimate.cost && estimate.cost->order &&
           isSoldInBlocks(estimate.cost->purchase) &&
           (!estimate.cost->base || isSoldInBlocks(estimate.cost->base->purchase));
}

std::vector<OrderLine> prepaidLines(const Estimate& estimate) {
    std::vector<OrderLine> out;
    const char* part = isPrepaid(estimate) ? "" : blockPart(estimate);
    if (part != nullptr)
        std::ranges::copy_if(estimate.cost->order->lines, std::back_inserter(out),
                             [part](const OrderLine& line) {
                                 return line.kind == OrderLineKind::machines && line.text.starts_with(part);
                             });
    return out;
}

std::optional<double> hoursOf(CostPeriod period, const Estimate& estimate) {
    switch (period) {
    case CostPeriod::hour:
        return 1;
    case CostPeriod::day:
        return hoursOfDay;
    case CostPeriod::month:
        return isPrepaid(estimate) ? std::nullopt : std::optional(monthHours);
    case CostPeriod::run:
        if (const auto seconds = runSeconds(estimate))
            return *seconds / secondsPerHour;
        return std::nullopt;
    }
    return std::nullopt;
}

QString costTotal(const Estimate& estimate, CostPeriod period) {
    const auto hours = hoursOf(period, estimate);
    if (!estimate.cost || !hours)
        return {};
    const auto total = runTotal(*estimate.cost);
    if (period == CostPeriod::month && blockPart(estimate) != nullptr) {
        double renewed = 0, once = 0;
        for (const CostRow& row : costRows(estimate, period))
            (row.prepaid ? once : renewed) += row.value;
        return CostTexts::tr("%1, and %2 prepaid")
            .arg(glance(renewed, Dimension::dollars), glance(once, Dimension::dollars));
    }
    const double dollars =
        period == CostPeriod::run && total ? total->dollars : estimate.cost->dollarsPerHour * *hours;
    return glance(dollars, Dimension::dollars);
}

QList<CostRow> costRows(const Estimate& estimate, CostPeriod period) {
    const auto hours = hoursOf(period, estimate);
    if (!estimate.cost || !hours)
        return {};
    const Cost& cost = *estimate.cost;
    if (period == CostPeriod::run && cost.order)
        return orderRows(*cost.order);
    const auto lineHours =
        estimate.serving ? hoursOf(CostPeriod::hour, estimate) : hoursOf(CostPeriod::run, estimate);
    if (cost.lines.empty() || !lineHours || !(*lineHours > 0)) {
        const double dollars = cost.dollarsPerHour * *hours;
        return {{.name = text(estimate.clusterName),
                 .quantity = CostTexts::tr("%1 h").arg(quantity(*hours, Dimension::number)),
                 .price = quantity(cost.dollarsPerHour, Dimension::dollarsPerHour),
                 .dollars = glance(dollars, Dimension::dollars),
                 .share = 1,
                 .value = dollars}};
    }
    // A line is what it costs over the run, or of serving in an hour; over a period it is the same share of
    // the time.
    const double part = *hours / *lineHours;
    double sum = 0;
    for (const auto& line : cost.lines)
        sum += line.dollars;
    QList<CostRow> rows;
    for (const auto& line : cost.lines) {
        if (isPaidOnce(estimate, period, line.name))
            continue;
        rows.append({.name = text(line.name),
                     .quantity = quantity(line.quantity * part, Dimension::number,
                                          {.trimZeros = estimate.serving.has_value()}) +
                                 QLatin1Char(' ') + text(line.unit),
                     .price = quantity(line.dollarsPerUnit, Dimension::dollars),
                     .dollars = glance(line.dollars * part, Dimension::dollars),
                     .share = sum > 0 ? line.dollars / sum : 0,
                     .value = line.dollars * part});
    }
    if (period == CostPeriod::month && blockPart(estimate) != nullptr)
        for (const OrderLine& line : prepaidLines(estimate)) {
            rows.append(orderRow(*cost.order, line));
            rows.back().name = CostTexts::tr("%1, paid when bought").arg(rows.back().name);
            rows.back().prepaid = true;
        }
    return rows;
}

std::optional<double> moreThan(const QList<CostRow>& baseline, const QList<CostRow>& rows, qsizetype row) {
    const auto named = std::ranges::find(baseline, rows[row].name, &CostRow::name);
    if (named != baseline.end())
        return rows[row].value - named->value;
    return baseline.size() == rows.size() ? std::optional(rows[row].value - baseline[row].value)
                                          : std::nullopt;
}

} // namespace alidade::views
