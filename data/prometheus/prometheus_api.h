// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"
#include "model/base/result.h"
#include "model/observation/time_grid.h"

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

using Labels = std::vector<std::pair<std::string, std::string>>; ///< sorted by name

/// What a query answered, in columns.
struct Matrix {
    TimeGrid grid;                     ///< one point for an instant query
    std::vector<Labels> series;        ///< in the server's order
    std::vector<double> values;        ///< series by series, grid.points each; NaN: absent, or not a number
    std::vector<std::string> warnings; ///< the server's warnings and infos, and what was left out here
    std::vector<std::string> nativeHistograms; ///< names or labels of series that were skipped for that
    std::size_t seriesLeftOut = 0;             ///< beyond the limit
    std::size_t infinite = 0;                  ///< values that are +Inf or -Inf; they are in `values`
    bool partial = false; ///< the server says that data are missing (VictoriaMetrics' isPartial)
    std::string text;     ///< of a string query, which has no numbers

    std::span<const double> row(std::size_t i) const {
        return std::span(values).subspan(i * grid.points, grid.points);
    }
};

struct RangeQuery {
    std::string expression;
    TimeGrid grid; ///< start and step in whole milliseconds
};

/// The instants of start .. end, both rounded inwards to multiples of the step since 1970, in whole
/// milliseconds: Mimir caches only aligned queries, and two answers with the same step have the same
/// instants. At least one point. \param step s; at least 0.001
TimeGrid alignedGrid(double start, double end, double step);

struct ReplyLimits {
    std::size_t series = 20'000;           ///< of one query
    std::size_t values = 20'000'000;       ///< of one query
    std::size_t names = 100'000;           ///< label names, label values or metrics of one list
    std::size_t labelBytes = 4096;         ///< a longer value is cut off, with a warning
    std::size_t halvings = 6;              ///< how often a part that is too much for the server is cut in two
    std::size_t pointsPerRequest = 10'000; ///< of a series; longer ranges are split and stitched
};

struct BuildInfo {
    /// "Prometheus", "Thanos", "Grafana Mimir", "VictoriaMetrics", "Amazon Managed Prometheus", or what the
    /// server calls itself; "Prometheus-compatible server" where it does not say
    std::string application;
    std::string version; ///< empty: it does not say
};

struct MetricMetadata {
    std::string metric, type, unit, help;
};

/// The HTTP API of a Prometheus-compatible server. Blocks; see HttpExchange. An error is a sentence that says
/// which server, which query, what it answered and what would help.
class PrometheusApi {
public:
    /// How requests are sent: HttpExchange::exchange, or a test's answers.
    using Transport =
        std::function<std::vector<HttpReply>(const std::vector<HttpRequest>&, std::stop_token,
                                             const std::function<void(std::size_t, HttpReply&)>&)>;

    /// `exchange` must outlive this.
    explicit PrometheusApi(HttpExchange& exchange, ReplyLimits limits = {});
    /// \param server URL, for messages
    PrometheusApi(Transport transport, std::string server, ReplyLimits limits = {});

    /// How many requests so far were not answered, which says nothing about what was asked.
    struct Unanswered {
        std::size_t unreachable = 0; ///< no connection, time-out, broken off
        std::size_t refused = 0;     ///< too many requests, or a gate without its server (429, 502, 503, 504)
        std::size_t all() const { return unreachable + refused; }
    };
    Unanswered unanswered() const;
    /// Bytes of all replies so far, as they came over the network.
    std::size_t wireBytes() const;

    /// URL without credentials, for a person: "http://prometheus.example:9090".
    const std::string& server() const { return server_; }

    /// Several at once, as many at a time as the exchange allows. A range that is too long for one request is
    /// split, and a part that is too much for the server is cut in two; the answer is put together again.
    /// An error of one query does not hurt the others.
    std::vector<Result<Matrix>> ranges(const std::vector<RangeQuery>& queries, std::stop_token stop = {});
    /// \param time Unix s
    std::vector<Result<Matrix>> instants(const std::vector<std::string>& expressions, double time,
                                         std::stop_token stop = {});

    // Lists of what was there between two Unix times. `warnings` receives what the server warns of and what
    // was left out here.
    Result<std::vector<Labels>> series(const std::vector<std::string>& matchers, double start, double end,
                                       std::stop_token stop = {},
                                       std::vector<std::string>* warnings = nullptr);
    Result<std::vector<std::string>> labelNames(double start, double end, std::stop_token stop = {},
                                                std::vector<std::string>* warnings = nullptr);
    /// \param label [a-zA-Z_][a-zA-Z0-9_]*
    Result<std::vector<std::string>> labelValues(const std::string& label,
                                                 const std::vector<std::string>& matchers, double start,
                                                 double end, std::stop_token stop = {},
                                                 std::vector<std::string>* warnings = nullptr);
    /// Empty where the server keeps none (backfilled or remote-written data).
    Result<std::vector<MetricMetadata>> metadata(std::stop_token stop = {});
    /// Who answers. A server that has no such information is told by its URL or called "Prometheus-compatible
    /// server"; only one that cannot be reached or refuses everything is an error.
    Result<BuildInfo> buildInfo(std::stop_token stop = {});

private:
    /// The sentence of a failure: server, query, answer, help; without secrets.
    std::string failure(const std::string& query, const std::string& why) const;
    template <class T, class Read>
    Result<T> list(const HttpRequest& request, Read read, std::stop_token stop,
                   std::vector<std::string>* warnings);

    struct Counter;
    std::shared_ptr<Counter> counter_;
    Transport transport_;
    std::function<std::string(std::string)> redact_;
    std::string server_;
    ReplyLimits limits_;
};

} // namespace alidade::data
