// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/scenario/resolve_parts.h"

namespace alidade::resolving {

void resolveOrder(Context& context) {
    const OrderSpec& order = context.spec.order;
    if (order.transferOutBytes.value_or(0) > 0) {
        context.out.transfer = context.catalog.transfer.tiers;
        if (context.out.transfer.empty())
            warn(context, "order.transfer_out_bytes", "The catalog has no price of data transfer");
    }
    if (order.currency == "USD")
        return;
    if (order.currency && !(order.exchangeRate && order.exchangeDate)) {
        warn(context, order.exchangeRate ? "order.exchange_date" : "order.exchange_rate",
             "Amounts are not converted to " + *order.currency + ": set order.exchange_rate (" +
                 *order.currency + " for one US dollar) and order.exchange_date");
    } else if (!order.currency && (order.exchangeRate || order.exchangeDate)) {
        warn(context, "order.currency", "The exchange rate has no currency; set order.currency");
    }
}

} // namespace alidade::resolving
