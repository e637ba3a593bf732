// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/rental.h"

#include "model/cost/capacity_block.h"

#include <algorithm>
#include <cmath>

namespace alidade {

double paidHours(double hours, const RentalTerms& terms) {
    if (terms.inBlocks())
        return capacityBlockPaidHours(hours, terms.blockEndHours, terms.blocksByDay);
    if (terms.termYears <= 0 || !std::isfinite(hours))
        return hours;
    const double term = terms.termYears * hoursOfTermYear;
    return term * std::max(1.0, std::ceil(hours / term - 1e-9));
}

} // namespace alidade
