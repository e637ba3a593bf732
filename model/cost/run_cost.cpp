// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/run_cost.h"

#include <array>
#include <utility>

namespace alidade {

Traced orderTotal(const Traced& rent, const Order& order) {
    using enum OrderLineKind;
    constexpr std::array beside{std::pair{storage, "storage"}, std::pair{transfer, "transfer"},
                                std::pair{energy, "energy"}, std::pair{support, "support"},
                                std::pair{contingency, "contingency"}};
    Traced out = rent;
    for (const auto& [kind, name] : beside) {
        Cents amount = 0;
        for (const OrderLine& line : order.lines)
            amount += line.kind == kind ? line.amount : 0;
        if (amount != 0)
            out += derivedLeaf(rent, dollarsOf(amount), name, Dimension::dollars, "as ordered, to the cent");
    }
    return named(out, "order_before_tax", Dimension::dollars, "rent and the other items of the order");
}

} // namespace alidade
