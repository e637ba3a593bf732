// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/kernels/roofline.h"

namespace alidade {

/// Expected number of distinct experts that `tokens` tokens hit under uniform independent top-k routing.
template <class N>
N expertsTouched(const N& experts, const N& expertsPerToken, const N& tokens) {
    using std::pow;
    return experts * (1 - pow(1 - expertsPerToken / experts, tokens));
}

} // namespace alidade
