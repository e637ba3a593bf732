// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/goodput.h"

namespace alidade {

double optimalInterval(double delta, double mtbf) {
    if (!(delta > 0)) {
        return 0;
    }
    double u = std::sqrt(2 * delta / mtbf); // Young's root; Newton's method converges from there
    for (int i = 0; i < 100; ++i) {
        // (u - 1) e^u + e^(-d) without the cancellation of its two halves near u = 0
        const double f = u * std::exp(u) - std::expm1(u) + std::expm1(-delta / mtbf);
        const double step = f / (u * std::exp(u));
        u -= step;
        if (std::abs(step) < 1e-15 * u) {
            break;
        }
    }
    return mtbf * u;
}

} // namespace alidade
