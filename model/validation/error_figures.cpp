// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/error_figures.h"

#include "model/base/not_measured.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace alidade {

namespace {

/// A share of the weight, or a weighted mean.
class WeightedMean {
public:
    void add(double value, double weight) {
        sum_ += value * weight;
        weight_ += weight;
    }
    double value() const { return weight_ > 0 ? sum_ / weight_ : notMeasured; }

private:
    double sum_ = 0, weight_ = 0;
};

bool hasBand(const ValidationRow& row) { return row.high > row.low && row.predicted > 0; }

} // namespace

double weightedQuantile(std::vector<std::pair<double, double>> weighted, double share) {
    std::ranges::sort(weighted);
    double total = 0;
    for (const auto& [value, weight] : weighted)
        total += weight;
    if (!(total > 0))
        return notMeasured;
    double below = 0;
    for (const auto& [value, weight] : weighted) {
        below += weight;
        // Sums of thirds and the like fall short of the exact share by a rounding error.
        if (below >= share * total * (1 - 1e-12))
            return value;
    }
    return weighted.back().first;
}

ValidationSummary errorFigures(std::span<const ValidationRow* const> rows) {
    std::vector<std::pair<double, double>> absolute, given, halfWidths;
    std::set<std::string_view> groups;
    WeightedMean mean, within10, within20, covered;
    for (const ValidationRow* row : rows) {
        const double size = std::abs(row->error);
        absolute.emplace_back(size, row->weight);
        given.emplace_back(row->error, row->weight);
        groups.insert(row->group);
        mean.add(size, row->weight);
        within10.add(size <= 0.1 ? 1 : 0, row->weight);
        within20.add(size <= 0.2 ? 1 : 0, row->weight);
        if (hasBand(*row)) {
            covered.add(row->low <= row->measured && row->measured <= row->high ? 1 : 0, row->weight);
            halfWidths.emplace_back((row->high - row->low) / (2 * row->predicted), row->weight);
        }
    }
    ValidationSummary figures;
    figures.n = static_cast<int>(rows.size());
    figures.groups = static_cast<int>(groups.size());
    figures.medianAbsError = weightedQuantile(absolute, 0.5);
    figures.meanAbsError = mean.value();
    figures.p90AbsError = weightedQuantile(absolute, 0.9);
    figures.bias = weightedQuantile(given, 0.5);
    figures.within10 = within10.value();
    figures.within20 = within20.value();
    figures.bandCoverage = covered.value();
    figures.bandHalfWidth = weightedQuantile(halfWidths, 0.5);
    return figures;
}

} // namespace alidade
