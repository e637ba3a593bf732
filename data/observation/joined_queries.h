// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/prometheus_api.h"

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Number of series that the answer to an expression had: only of answers without warnings or omissions.
using AnswerSizes = std::map<std::string, std::size_t>;

/// Several expressions in one, joined by `or`. A label tells whose answer a series is.
struct JoinedQuery {
    std::string expression;
    std::vector<std::size_t> members; ///< indices of the expressions; one: it is asked as it is
};

/// Groups the expressions whose answers are known to be small: a request costs the server more than such an
/// answer does. What is not known, or large, is asked alone.
std::vector<JoinedQuery> joinedQueries(const std::vector<std::string>& expressions, const AnswerSizes& sizes);

/// The answers of the members, each as if it had been asked alone.
std::vector<Matrix> separated(const Matrix& answer, std::size_t members);

/// How many requests rangesTogether sends for them, if none has to be repeated.
std::size_t requestsTogether(const std::vector<std::string>& expressions, const AnswerSizes& sizes);

/// PrometheusApi::ranges over one grid, with small answers asked for together, and percentiles computed here
/// from buckets that are asked for once. Where a group fails or its
/// answer has warnings, its members are asked one by one, and are alone from then on.
/// \param sizes of earlier answers; takes those of these
std::vector<Result<Matrix>> rangesTogether(PrometheusApi& api, const std::vector<std::string>& expressions,
                                           const TimeGrid& grid, AnswerSizes& sizes,
                                           std::stop_token stop = {});

} // namespace alidade::data
