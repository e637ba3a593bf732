// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/test_time.h"

namespace alidade {

double passAtK(int n, int c, int k) {
    if (n - c < k) {
        return 1;
    }
    double none = 1; // C(n - c, k) / C(n, k) as a product, which overflows for no n
    for (int i = n - c + 1; i <= n; ++i) {
        none *= 1 - static_cast<double>(k) / i;
    }
    return 1 - none;
}

} // namespace alidade
