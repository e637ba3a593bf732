// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/percentile_queries.h"

#include "data/prometheus/sample_text.h"
#include "model/base/not_measured.h"
#include "model/observation/histogram_quantile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace alidade::data {
namespace {

constexpr std::string_view call = "histogram_quantile(";
constexpr std::size_t fewRows = 64; ///< of an answer whose buckets may be asked for

struct Percentile {
    double level;
    std::string buckets; ///< expression
};

/// The parts of a call that is all of the expression.
std::optional<Percentile> percentile(const std::string& expression) {
    const std::size_t comma = expression.find(", ");
    if (!expression.starts_with(call) || comma == std::string::npos)
        return std::nullopt;
    int open = 0;
    for (std::size_t i = call.size() - 1; i < expression.size(); ++i) {
        open += expression[i] == '(' ? 1 : expression[i] == ')' ? -1 : 0;
        if (open == 0 && i + 1 < expression.size()) // something follows
            return std::nullopt;
    }
    const std::optional<double> level =
        sampleValue(std::string_view(expression).substr(call.size(), comma - call.size()));
    if (open != 0 || !level || !(*level >= 0))
        return std::nullopt;
    return Percentile{*level, expression.substr(comma + 2, expression.size() - comma - 3)};
}

std::optional<Percentile> smallPercentile(const std::string& expression, const AnswerSizes& sizes) {
    const auto size = sizes.find(expression);
    return size == sizes.end() || size->second > fewRows ? std::nullopt : percentile(expression);
}

/// Takes the bound out of the labels.
std::optional<double> takeBound(Labels& labels) {
    const auto bound = std::ranges::find(labels, "le", &std::pair<std::string, std::string>::first);
    if (bound == labels.end())
        return std::nullopt;
    const std::optional<double> value = sampleValue(bound->second);
    labels.erase(bound);
    return value;
}

} // namespace

PercentileQueries withSharedBuckets(const std::vector<std::string>& expressions, const AnswerSizes& sizes) {
    std::map<std::string, int> uses;
    for (const std::string& expression : expressions)
        if (const auto one = smallPercentile(expression, sizes))
            ++uses[one->buckets];
    PercentileQueries out;
    std::map<std::string, std::size_t> places; // of the buckets
    for (const std::string& expression : expressions) {
        const std::optional<Percentile> one = smallPercentile(expression, sizes);
        if (!one || uses[one->buckets] < 2) {
            out.sources.push_back({out.expressions.size()});
            out.expressions.push_back(expression);
            continue;
        }
        const auto [place, added] = places.try_emplace(one->buckets, out.expressions.size());
        if (added)
            out.expressions.push_back(one->buckets);
        out.sources.push_back({place->second, one->level});
    }
    return out;
}

Matrix percentileOf(const Matrix& buckets, double level) {
    struct Bucket {
        double bound;
        std::size_t row;
    };
    std::map<Labels, std::vector<Bucket>> histograms; // in the order in which Prometheus sorts an answer
    for (std::size_t s = 0; s < buckets.series.size(); ++s) {
        Labels labels = buckets.series[s];
        if (const std::optional<double> bound = takeBound(labels))
            histograms[std::move(labels)].push_back({*bound, s});
    }
    Matrix out;
    out.grid = buckets.grid;
    out.series.reserve(histograms.size());
    out.values.reserve(histograms.size() * buckets.grid.points);
    for (auto& [labels, rows] : histograms) {
        for (std::size_t i = 0; i < buckets.grid.points; ++i) {
            std::vector<HistogramBucket> there;
            for (const Bucket& bucket : rows) {
                const double count = buckets.row(bucket.row)[i];
                if (!std::isnan(count))
                    there.push_back({bucket.bound, count});
            }
            out.values.push_back(histogramQuantile(level, std::move(there)));
        }
        out.series.push_back(labels);
    }
    return out;
}

} // namespace alidade::data
