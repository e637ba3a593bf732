// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/kernels/bottleneck.h"

#include <numeric>

namespace alidade {

Bottleneck bottleneckOf(const BoundSeconds& seconds) {
    const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    if (!(sum > 0)) {
        return {};
    }
    std::size_t first = 0;
    for (std::size_t i = 1; i < seconds.size(); ++i) {
        first = seconds[i] > seconds[first] ? i : first;
    }
    std::size_t second = first == 0 ? 1 : 0;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        second = i != first && seconds[i] > seconds[second] ? i : second;
    }
    Bottleneck out{.bound = allBounds[first], .share = seconds[first] / sum, .second = {}};
    if (seconds[second] >= 0.8 * seconds[first]) {
        out.second = allBounds[second];
    }
    return out;
}

} // namespace alidade
