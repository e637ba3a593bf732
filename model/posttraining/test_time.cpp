// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/test_time.h"

#include <algorithm>
#include <cmath>

namespace alidade {

double passAtK(int n, int c, int k) {
    if (n - c < k)
        return 1;
    double none = 1; // C(n - c, k) / C(n, k) as a product, which overflows for no n
    for (int i = n - c + 1; i <= n; ++i)
        none *= 1 - static_cast<double>(k) / i;
    return 1 - none;
}

double majorityAtK(int n, int c, int k) {
    const auto choices = [](int from, int take) { // ln C(from, take)
        return std::lgamma(from + 1.0) - std::lgamma(take + 1.0) - std::lgamma(from - take + 1.0);
    };
    double out = 0;
    for (int right = std::max(0, k - (n - c)); right <= std::min(c, k); ++right) {
        if (2 * right >= k) {
            const double share = std::exp(choices(c, right) + choices(n - c, k - right) - choices(n, k));
            out += 2 * right == k ? share / 2 : share;
        }
    }
    return std::min(1.0, out);
}

ResponseLengths sampleLengths(double mean, double cv, double budget) {
    const ResponseLengths uncut(mean, cv, unlimitedSample);
    return budget > 0 ? ResponseLengths(uncut.meanBelow(budget), cv, budget) : uncut;
}

} // namespace alidade
