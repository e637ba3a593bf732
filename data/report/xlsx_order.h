// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/cost/order.h"

#include <string>

struct lxw_workbook;

namespace alidade::data {

/// Adds two sheets: an order whose amounts are formulas of quantity, price and discount, so that a changed
/// price changes the total; and what is paid in each month, which follows the amounts.
void addOrderSheets(lxw_workbook* book, const Order& order, const std::string& orderName,
                    const std::string& cashName);

} // namespace alidade::data
