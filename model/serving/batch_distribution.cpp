// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/serving/batch_distribution.h"

namespace alidade {

double BatchDistribution::mean() const {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i)
        sum += weight_[i] * batch_[i];
    return sum;
}

double BatchDistribution::variance() const {
    const double center = mean();
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i)
        sum += weight_[i] * (batch_[i] - center) * (batch_[i] - center);
    return sum;
}

double stepOfTokens(const BatchDistribution& batches, const StepTable& table) {
    double tokens = 0, time = 0;
    for (std::size_t i = 1; i < batches.size(); ++i) {
        const double made = BatchGroups::tokens(batches, table, i);
        tokens += made;
        time += made * table.decode(batches.batch(i));
    }
    return tokens > 0 ? time / tokens : table.decode(1);
}

} // namespace alidade
