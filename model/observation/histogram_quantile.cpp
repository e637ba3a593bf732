// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/histogram_quantile.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <cmath>

namespace alidade {
namespace {

/// Relative difference of two counts that is rounding.
constexpr double rounding = 1e-12;

/// Buckets with the same bound, written in two ways ("1" and "1.0"), are one.
void coalesce(std::vector<HistogramBucket>& sorted) {
    std::size_t last = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i)
        if (sorted[i].upperBound == sorted[last].upperBound)
            sorted[last].count += sorted[i].count;
        else
            sorted[++last] = sorted[i];
    sorted.resize(last + 1);
}

/// Counts that were scraped while they changed may fall; a count never does.
void makeMonotonic(std::vector<HistogramBucket>& sorted) {
    double before = sorted.front().count;
    for (HistogramBucket& bucket : sorted) {
        const double size = std::abs(before) + std::abs(bucket.count);
        if (bucket.count < before || std::abs(bucket.count - before) < rounding * size)
            bucket.count = before;
        before = bucket.count;
    }
}

} // namespace

double histogramQuantile(double level, std::vector<HistogramBucket> buckets) {
    std::ranges::stable_sort(buckets, {}, &HistogramBucket::upperBound);
    if (buckets.empty() || buckets.back().upperBound != HUGE_VAL)
        return notMeasured;
    coalesce(buckets);
    makeMonotonic(buckets);
    const double all = buckets.back().count;
    if (buckets.size() < 2 || !(all > 0))
        return notMeasured;
    const double rank = level * all;
    const auto finite = buckets.end() - 1;
    const auto found = std::partition_point(
        buckets.begin(), finite, [rank](const HistogramBucket& bucket) { return bucket.count < rank; });
    if (found == finite) // above the last bound nothing is known
        return (finite - 1)->upperBound;
    if (found == buckets.begin())
        return found->upperBound <= 0 ? found->upperBound : found->upperBound * (rank / found->count);
    const HistogramBucket& below = *(found - 1);
    return below.upperBound +
           (found->upperBound - below.upperBound) * ((rank - below.count) / (found->count - below.count));
}

} // namespace alidade
