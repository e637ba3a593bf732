// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace alidade::views {

/// The stretch of time that costs are shown for.
enum class CostPeriod { hour, day, month, run };

/// Whether an estimate is of a service whose machines are bought in blocks, which are prepaid and end.
bool isPrepaid(const Estimate& estimate);

/// The lines of the order for the blocks that a service is on, of all its machines or of a base or rest
/// alone. Empty: it is paid by use.
std::vector<OrderLine> prepaidLines(const Estimate& estimate);

/// Hours of a period; a month is 730 hours, as AWS counts it. Empty: the run has no known length, or blocks
/// that a service is on have no month.
std::optional<double> hoursOf(CostPeriod period, const Estimate& estimate);

/// One line as it is shown.
struct CostRow {
    QString name, quantity, price, dollars;
    double share = 0;     ///< of the whole, 0..1
    double value = 0;     ///< dollars
    bool prepaid = false; ///< paid once for blocks, not in each period
};

/// The lines of a cost over a period; empty without a price. Over a month, blocks next to machines that are
/// billed by time are lines of the order.
QList<CostRow> costRows(const Estimate& estimate, CostPeriod period);

/// What a line costs more than the same line of a baseline: the one of its name, else the one at its place;
/// empty: there is none.
std::optional<double> moreThan(const QList<CostRow>& baseline, const QList<CostRow>& rows, qsizetype row);

/// "$198 M" for the period, "$29 k, and $53 k prepaid" for a month with blocks; empty without a price.
QString costTotal(const Estimate& estimate, CostPeriod period);

} // namespace alidade::views
