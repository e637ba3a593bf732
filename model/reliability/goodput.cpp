// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/goodput.h"

namespace alidade {

double optimalInterval(double delta, double mtbf) {
    if (!(delta > 0))
        return 0;
    const double saved = std::expm1(-delta / mtbf);
    double u = std::sqrt(2 * delta / mtbf); // Young's root; Newton's method converges from there
    for (int i = 0; i < 100; ++i) {
        // (u - 1) e^u + e^(-d) without the cancellation of its two halves near u = 0
        const double grown = std::expm1(u);
        const double slope = u * (grown + 1);
        const double step = (slope - grown + saved) / slope;
        u -= step;
        if (std::abs(step) < 1e-9 * u) // what is left is its square
            break;
    }
    return mtbf * u;
}

} // namespace alidade
