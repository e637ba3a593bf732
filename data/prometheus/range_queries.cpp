// SPDX-License-Identifier: GPL-3.0-or-later
// Queries that answer a matrix: what is asked, in which parts, and how the replies become one.
#include "data/prometheus/matrix_reader.h"
#include "data/prometheus/prometheus_api.h"
#include "data/prometheus/range_pieces.h"
#include "data/prometheus/reply_failure.h"

#include <optional>

namespace alidade::data {

namespace {

/// A query while its parts are asked for.
struct OpenQuery {
    MatrixBuilder builder;
    std::string error;             ///< why it has failed; empty: it has not
    std::optional<GridPart> first; ///< that the further parts wait for
};

HttpRequest rangeRequest(const RangeQuery& query, const GridPart& part) {
    return {.path = "/api/v1/query_range",
            .parameters = {{"query", query.expression},
                           {"start", apiSeconds(query.grid.at(part.first))},
                           {"end", apiSeconds(query.grid.at(part.first + part.count - 1))},
                           {"step", apiSeconds(query.grid.step)}}};
}

/// Reads a reply into the builder. nullopt: it is in.
std::optional<ReplyFailure> takeReply(HttpReply& reply, QueryKind kind, const GridPart& part,
                                      const ReplyLimits& limits, MatrixBuilder& builder,
                                      const std::function<std::string(std::string)>& redact) {
    if (reply.fault != HttpFault::none && reply.fault != HttpFault::status)
        return failureOf(reply, {});
    const auto envelope = readMatrix(reply.body, kind, part, limits, builder);
    if (!envelope)
        return failureOf(reply, envelope.error());
    if (envelope->status != "success" || reply.fault != HttpFault::none)
        return failureOf(*envelope, reply.status);
    for (const std::string& warning : envelope->warnings)
        builder.warn(redact(warning));
    if (envelope->warningsLeftOut > 0)
        builder.warn(std::to_string(envelope->warningsLeftOut) + " further warnings of the server");
    for (const std::string& warning : reply.warnings)
        builder.warn(warning);
    std::string().swap(reply.body); // gone before the next one is read
    return std::nullopt;
}

std::vector<Result<Matrix>> resultsOf(std::vector<OpenQuery>& open) {
    std::vector<Result<Matrix>> results;
    results.reserve(open.size());
    for (OpenQuery& query : open)
        if (query.error.empty())
            results.emplace_back(query.builder.take());
        else
            results.emplace_back(Error{std::move(query.error)});
    return results;
}

} // namespace

std::vector<Result<Matrix>> PrometheusApi::ranges(const std::vector<RangeQuery>& queries,
                                                  std::stop_token stop) {
    std::vector<OpenQuery> open;
    std::vector<RangePiece> pieces; ///< that are asked for next
    open.reserve(queries.size());
    for (const RangeQuery& query : queries) {
        const std::string fault = gridFault(query.grid);
        open.push_back({MatrixBuilder(query.grid, limits_), fault, std::nullopt});
        if (!fault.empty()) {
            open.back().error = "the query \"" + query.expression + "\" cannot be run: " + fault;
        } else if (query.grid.points > limits_.values) {
            open.back().error = "the query \"" + query.expression +
                                "\" cannot be run: " + std::to_string(query.grid.points) +
                                " points; lengthen the step";
        } else if (query.grid.points > 0) {
            open.back().first = firstPart(query.grid.points, limits_);
            pieces.push_back({open.size() - 1, *open.back().first});
        }
    }

    std::vector<RangePiece> later;
    const auto planRest = [&](OpenQuery& query, const RangePiece& piece) {
        if (!query.first)
            return;
        ReplyLimits limits = limits_;
        if (piece.halvings > 0) // what the server bears is known by now
            limits.pointsPerRequest = std::min(limits.pointsPerRequest, piece.part.count);
        for (const GridPart& part :
             furtherParts(queries[piece.query].grid.points, *query.first, query.builder.series(), limits)) {
            later.push_back({piece.query, part});
        }
        query.first.reset();
    };
    const auto take = [&](const RangePiece& piece, HttpReply& reply) {
        OpenQuery& query = open[piece.query];
        if (!query.error.empty())
            return;
        const auto failure = takeReply(reply, QueryKind::range, piece.part, limits_, query.builder, redact_);
        if (!failure) {
            planRest(query, piece);
            return;
        }
        const auto two = failure->smaller ? halves(piece, limits_) : std::nullopt;
        if (two) {
            later.push_back(two->first);
            later.push_back(two->second);
        } else {
            query.error = this->failure(queries[piece.query].expression, failure->why);
        }
    };

    while (!pieces.empty()) {
        std::vector<HttpRequest> requests;
        requests.reserve(pieces.size());
        for (const RangePiece& piece : pieces)
            requests.push_back(rangeRequest(queries[piece.query], piece.part));
        later.clear();
        transport_(requests, stop, [&](std::size_t i, HttpReply& reply) { take(pieces[i], reply); });
        std::erase_if(later, [&](const RangePiece& piece) { return !open[piece.query].error.empty(); });
        pieces.swap(later);
    }
    return resultsOf(open);
}

std::vector<Result<Matrix>> PrometheusApi::instants(const std::vector<std::string>& expressions, double time,
                                                    std::stop_token stop) {
    const TimeGrid moment{.start = time, .step = 1, .points = 1};
    std::vector<OpenQuery> open;
    std::vector<HttpRequest> requests;
    for (const std::string& expression : expressions) {
        open.push_back({MatrixBuilder(moment, limits_), {}, std::nullopt});
        requests.push_back(
            {.path = "/api/v1/query", .parameters = {{"query", expression}, {"time", apiSeconds(time)}}});
    }
    transport_(requests, stop, [&](std::size_t i, HttpReply& reply) {
        const auto failure = takeReply(reply, QueryKind::instant, {0, 1}, limits_, open[i].builder, redact_);
        if (failure)
            open[i].error = this->failure(expressions[i], failure->why);
    });
    return resultsOf(open);
}

} // namespace alidade::data
