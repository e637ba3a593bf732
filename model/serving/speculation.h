// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// Tokens that a sequence gains in one step, the verifier's own included (Leviathan et al. 2023, exact for
/// independent acceptance). \param acceptance of a drafted token, 0..1 \param drafted tokens a step
template <class N>
N speculativeTokens(const N& acceptance, const N& drafted) {
    using std::pow;
    if (valueOf(acceptance) >= 1)
        return drafted + 1;
    return (1 - pow(acceptance, drafted + 1)) / (1 - acceptance);
}

} // namespace alidade
