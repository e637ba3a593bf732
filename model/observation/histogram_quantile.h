// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

namespace alidade {

/// A bucket of a classic histogram.
struct HistogramBucket {
    double upperBound = 0; ///< "le"; +infinity in the last one
    double count = 0;      ///< of observations up to the bound, or their rate
};

/// What histogram_quantile() of Prometheus answers. NaN: no bucket reaches to infinity, there is only one, or
/// nothing was observed.
/// https://github.com/prometheus/prometheus/blob/v3.0.0/promql/quantile.go, BucketQuantile
double histogramQuantile(double level, std::vector<HistogramBucket> buckets);

} // namespace alidade
