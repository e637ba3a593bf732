// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/observation/joined_queries.h"

#include <cstddef>
#include <string>
#include <vector>

namespace alidade::data {

/// What is asked in place of some expressions.
struct PercentileQueries {
    std::vector<std::string> expressions;
    struct Source {
        std::size_t asked = 0; ///< index of what is asked
        double level = -1; ///< quantile of its buckets; negative: the answer as it is, which no other uses
    };
    std::vector<Source> sources; ///< of each expression that was given
};

/// For several percentiles of one histogram the server would select and add up the same buckets each time,
/// which is nearly all of the work: they are asked for once. Only where the answers are known to be small,
/// because there are more buckets than percentiles.
PercentileQueries withSharedBuckets(const std::vector<std::string>& expressions, const AnswerSizes& sizes);

/// The answer to histogram_quantile(level, EXPRESSION) from that to the expression.
Matrix percentileOf(const Matrix& buckets, double level);

} // namespace alidade::data
