// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

#include <cassert>

namespace alidade {

/// Collectives of EFAv4 are faster than those of v3 by a factor (AWS), but never exceed a share of line rate.
/// \param secondsV3 time over EFAv3; \param wireBytes over one rank's network share; \param lineRate of it,
/// bytes/s; \param speedup, speedupLimit Input::networkSpeedup and Input::networkSpeedupLimit
template <class N>
N efaV4Time(const N& secondsV3, const N& wireBytes, const N& lineRate, const N& speedup,
            const N& speedupLimit) {
    using std::max;
    return max(secondsV3 / speedup, wireBytes / (lineRate * speedupLimit));
}

} // namespace alidade
