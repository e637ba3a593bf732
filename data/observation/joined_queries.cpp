// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/joined_queries.h"

#include "data/observation/percentile_queries.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

namespace alidade::data {
namespace {

constexpr const char* tag = "alidade_query";
constexpr std::size_t smallAnswer = 128;   ///< series
constexpr std::size_t mostMembers = 20;    ///< `or` compares each operand with all before it
constexpr std::size_t mostSeries = 500;    ///< of a group
constexpr std::size_t longestText = 4'000; ///< of a group; it has to fit into a URL where POST is refused

/// The expression with a label on each of its series. A label that does not exist is empty, which the empty
/// pattern matches. https://prometheus.io/docs/prometheus/latest/querying/functions/#label_replace
std::string tagged(const std::string& expression, std::size_t member) {
    return "label_replace(" + expression + ", \"" + tag + "\", \"" + std::to_string(member) +
           "\", \"\", \"\")";
}

bool isComplete(const Matrix& matrix) {
    return matrix.warnings.empty() && matrix.nativeHistograms.empty() && matrix.seriesLeftOut == 0 &&
           !matrix.partial && matrix.text.empty();
}

void remember(AnswerSizes& sizes, const std::string& expression, const Result<Matrix>& answer) {
    if (answer && isComplete(*answer))
        sizes[expression] = answer->series.size();
    else
        sizes.erase(expression);
}

std::vector<std::string> texts(const std::vector<JoinedQuery>& queries) {
    std::vector<std::string> out;
    for (const JoinedQuery& query : queries)
        out.push_back(query.expression);
    return out;
}

std::vector<Result<Matrix>> ranges(PrometheusApi& api, const std::vector<std::string>& expressions,
                                   const TimeGrid& grid, std::stop_token stop) {
    std::vector<RangeQuery> queries;
    for (const std::string& expression : expressions)
        queries.push_back({expression, grid});
    return api.ranges(queries, std::move(stop));
}

/// So that at the end the server does not compute one long answer while its other cores have nothing to do.
/// Where nothing is known the order stays.
void longestFirst(std::vector<JoinedQuery>& queries, const std::vector<std::string>& expressions,
                  const AnswerSizes& sizes) {
    const auto work = [&](const JoinedQuery& query) {
        if (query.members.size() > 1) // its members select many series for small answers
            return mostSeries + query.members.size();
        const auto size = sizes.find(expressions[query.members.front()]);
        return size == sizes.end() ? 0 : size->second;
    };
    std::ranges::stable_sort(queries, std::ranges::greater(), work);
}

/// Those whose common answer cannot be used; they are alone from then on.
void askAlone(PrometheusApi& api, const std::vector<std::string>& expressions,
              const std::vector<std::size_t>& which, const TimeGrid& grid, AnswerSizes& sizes,
              std::stop_token stop, std::vector<Result<Matrix>>& out) {
    std::vector<std::string> alone;
    for (const std::size_t i : which)
        alone.push_back(expressions[i]);
    std::vector<Result<Matrix>> answers = ranges(api, alone, grid, std::move(stop));
    for (std::size_t i = 0; i < which.size(); ++i) {
        sizes.erase(expressions[which[i]]);
        out[which[i]] = std::move(answers[i]);
    }
}

} // namespace

std::vector<JoinedQuery> joinedQueries(const std::vector<std::string>& expressions,
                                       const AnswerSizes& sizes) {
    std::vector<JoinedQuery> out;
    std::optional<std::size_t> open; // group that takes more
    std::size_t series = 0;          // that it has
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const auto size = sizes.find(expressions[i]);
        if (size == sizes.end() || size->second > smallAnswer) {
            out.push_back({expressions[i], {i}});
            continue;
        }
        const bool fits = open && out[*open].members.size() < mostMembers &&
                          series + size->second <= mostSeries &&
                          out[*open].expression.size() + tagged(expressions[i], 10).size() + 4 <= longestText;
        if (!fits) {
            open = out.size();
            series = 0;
            out.emplace_back();
        }
        JoinedQuery& group = out[*open];
        group.expression +=
            (group.members.empty() ? "" : " or ") + tagged(expressions[i], group.members.size());
        group.members.push_back(i);
        series += size->second;
    }
    for (JoinedQuery& group : out)
        if (group.members.size() == 1)
            group.expression = expressions[group.members.front()];
    return out;
}

std::vector<Matrix> separated(const Matrix& answer, std::size_t members) {
    std::vector<std::vector<std::pair<Labels, std::size_t>>> rows(members);
    for (std::size_t s = 0; s < answer.series.size(); ++s) {
        Labels labels = answer.series[s];
        const auto found = std::ranges::find(labels, tag, &std::pair<std::string, std::string>::first);
        if (found == labels.end())
            continue;
        std::size_t member = members;
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), member);
        if (member >= members)
            continue;
        labels.erase(found);
        rows[member].emplace_back(std::move(labels), s);
    }
    std::vector<Matrix> out(members);
    for (std::size_t m = 0; m < members; ++m) {
        std::ranges::sort(rows[m]); // as Prometheus sorts an answer
        out[m].grid = answer.grid;
        for (auto& [labels, s] : rows[m]) {
            const std::span<const double> row = answer.row(s);
            out[m].values.insert(out[m].values.end(), row.begin(), row.end());
            out[m].series.push_back(std::move(labels));
        }
        out[m].infinite = static_cast<std::size_t>(
            std::ranges::count_if(out[m].values, [](double x) { return std::isinf(x); }));
    }
    return out;
}

namespace {

std::vector<Result<Matrix>> joinedRanges(PrometheusApi& api, const std::vector<std::string>& expressions,
                                         const TimeGrid& grid, AnswerSizes& sizes, std::stop_token stop) {
    std::vector<JoinedQuery> queries = joinedQueries(expressions, sizes);
    longestFirst(queries, expressions, sizes);
    const std::size_t before = api.unanswered().all();
    std::vector<Result<Matrix>> answers = ranges(api, texts(queries), grid, stop);
    const bool answered = api.unanswered().all() == before && !stop.stop_requested();

    std::vector<Result<Matrix>> out(expressions.size(), Result<Matrix>(Error{std::string()}));
    std::vector<std::size_t> again;
    for (std::size_t q = 0; q < queries.size(); ++q) {
        const std::vector<std::size_t>& members = queries[q].members;
        Result<Matrix>& answer = answers[q];
        if (members.size() == 1) {
            out[members.front()] = std::move(answer);
        } else if (answer && isComplete(*answer)) {
            std::vector<Matrix> each = separated(*answer, members.size());
            for (std::size_t m = 0; m < members.size(); ++m)
                out[members[m]] = std::move(each[m]);
        } else if (answer || answered) { // ask each alone to find the one at fault
            again.insert(again.end(), members.begin(), members.end());
            continue;
        } else {
            for (const std::size_t member : members)
                out[member] = Error{answer.error()};
            continue;
        }
        for (const std::size_t member : members)
            remember(sizes, expressions[member], out[member]);
    }
    askAlone(api, expressions, again, grid, sizes, std::move(stop), out);
    return out;
}

} // namespace

std::size_t requestsTogether(const std::vector<std::string>& expressions, const AnswerSizes& sizes) {
    return joinedQueries(withSharedBuckets(expressions, sizes).expressions, sizes).size();
}

std::vector<Result<Matrix>> rangesTogether(PrometheusApi& api, const std::vector<std::string>& expressions,
                                           const TimeGrid& grid, AnswerSizes& sizes, std::stop_token stop) {
    const PercentileQueries queries = withSharedBuckets(expressions, sizes);
    const std::size_t before = api.unanswered().all();
    std::vector<Result<Matrix>> answers = joinedRanges(api, queries.expressions, grid, sizes, stop);
    const bool answered = api.unanswered().all() == before && !stop.stop_requested();

    std::vector<Result<Matrix>> out;
    std::vector<std::size_t> again;
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const PercentileQueries::Source& source = queries.sources[i];
        Result<Matrix>& answer = answers[source.asked];
        if (source.level < 0) {
            out.push_back(std::move(answer));
        } else if (answer && isComplete(*answer)) {
            out.emplace_back(percentileOf(*answer, source.level));
        } else {
            if (answer || answered)
                again.push_back(i);
            out.emplace_back(Error{answer ? std::string() : answer.error()});
        }
    }
    askAlone(api, expressions, again, grid, sizes, std::move(stop), out);
    return out;
}

} // namespace alidade::data
