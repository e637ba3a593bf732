// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

namespace alidade {

/// Machines that are bought in one way: the base of an order, or the rest. Without a base all are the rest.
enum class OrderPart : std::uint8_t { rest, base };

/// Whether an order has machines of a part. \param spec with the number of machines, as an estimate returns
/// it
bool hasOrderPart(const ScenarioSpec& spec, OrderPart part);

/// Whether a price is the one that machines of a part are bought at, or has a discount taken off: by Region,
/// purchase option and term; the item and the dates are not looked at. Without a purchase option it is
/// On-Demand. False where the scenario states the price itself, or the order has no such part.
bool isPriceOfPart(const Price& price, const ScenarioSpec& spec, OrderPart part);

/// Whether it is the price of the base or the rest.
bool isPriceOf(const Price& price, const ScenarioSpec& spec);

/// The price in force that a part is bought at, of the scenario's machine; nullptr: the scenario states it,
/// or none is known.
const Price* chargedPrice(const Catalog& catalog, const ScenarioSpec& spec, OrderPart part);

} // namespace alidade
