// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/prometheus_api.h"

#include "data/prometheus/list_reader.h"
#include "data/prometheus/range_pieces.h"
#include "data/prometheus/reply_failure.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace alidade::data {

namespace {

using Arrived = std::function<void(std::size_t, HttpReply&)>;

/// A URL without user and password, which belong into credentials.
std::string withoutUser(const std::string& url) {
    const std::size_t scheme = url.find("://");
    const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
    const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
    const std::size_t at = url.substr(0, end).rfind('@');
    return at == std::string::npos || at < begin ? url : url.substr(0, begin) + url.substr(at + 1);
}

bool isAmazon(const std::string& url) {
    return url.find("://aps-workspaces.") != std::string::npos &&
           url.find(".amazonaws.com") != std::string::npos;
}

std::vector<std::pair<std::string, std::string>> between(double start, double end) {
    return {{"start", apiSeconds(start)}, {"end", apiSeconds(end)}};
}

bool isLabelName(const std::string& name) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

} // namespace

struct PrometheusApi::Counter {
    std::atomic<std::size_t> unreachable = 0, refused = 0, wireBytes = 0;

    void take(const HttpReply& reply) {
        wireBytes += reply.wireBytes;
        switch (reply.fault) {
        case HttpFault::refused:
        case HttpFault::tls:
        case HttpFault::timeout:
        case HttpFault::broken:
            ++unreachable;
            break;
        case HttpFault::status: {
            constexpr std::array gates{429, 502, 503, 504};
            // An error that the API explains is an answer to the query.
            const bool explained = reply.body.find("\"errorType\"") != std::string::npos;
            refused += std::ranges::find(gates, reply.status) != gates.end() && !explained ? 1 : 0;
            break;
        }
        default:
            break;
        }
    }
};

PrometheusApi::Unanswered PrometheusApi::unanswered() const {
    return {counter_->unreachable, counter_->refused};
}

std::size_t PrometheusApi::wireBytes() const { return counter_->wireBytes; }

PrometheusApi::PrometheusApi(Transport transport, std::string server, ReplyLimits limits)
    : counter_(std::make_shared<Counter>())
    , transport_([counter = counter_, inner = std::move(transport)](
                     const std::vector<HttpRequest>& requests, std::stop_token stop, const Arrived& arrived) {
        return inner(requests, std::move(stop), [&](std::size_t i, HttpReply& reply) {
            counter->take(reply);
            if (arrived)
                arrived(i, reply);
        });
    })
    , redact_([](std::string text) { return text; })
    , server_(withoutUser(server))
    , limits_(limits) {}

std::string PrometheusApi::failure(const std::string& query, const std::string& why) const {
    constexpr std::size_t longestQuery = 200;
    return redact_(server_ + ", \"" + printableExcerpt(query, longestQuery) + "\": " + why);
}

template <class T, class Read>
Result<T> PrometheusApi::list(const HttpRequest& request, Read read, std::stop_token stop,
                              std::vector<std::string>* warnings) {
    std::vector<HttpReply> replies = transport_({request}, stop, {});
    HttpReply& reply = replies.front();
    if (reply.fault != HttpFault::none && reply.fault != HttpFault::status)
        return Error{failure(request.path, failureOf(reply, {}).why)};
    auto list = read(reply.body, limits_);
    if (!list)
        return Error{failure(request.path, failureOf(reply, list.error()).why)};
    if (list->envelope.status != "success" || reply.fault != HttpFault::none)
        return Error{failure(request.path, failureOf(list->envelope, reply.status).why)};
    if (warnings != nullptr) {
        for (const std::string& warning : list->envelope.warnings)
            warnings->push_back(redact_(warning));
        if (list->envelope.partial) {
            warnings->push_back(
                "the server says that its answer is partial: some of its storage nodes did not answer");
        }
    }
    return (*std::move(list)).content;
}

Result<std::vector<Labels>> PrometheusApi::series(const std::vector<std::string>& matchers, double start,
                                                  double end, std::stop_token stop,
                                                  std::vector<std::string>* warnings) {
    HttpRequest request{.path = "/api/v1/series", .parameters = between(start, end)};
    for (const std::string& matcher : matchers)
        request.parameters.emplace_back("match[]", matcher);
    return list<std::vector<Labels>>(request, readSeries, stop, warnings);
}

Result<std::vector<std::string>> PrometheusApi::labelNames(double start, double end, std::stop_token stop,
                                                           std::vector<std::string>* warnings) {
    return list<std::vector<std::string>>({.path = "/api/v1/labels", .parameters = between(start, end)},
                                          readTexts, stop, warnings);
}

Result<std::vector<std::string>> PrometheusApi::labelValues(const std::string& label,
                                                            const std::vector<std::string>& matchers,
                                                            double start, double end, std::stop_token stop,
                                                            std::vector<std::string>* warnings) {
    if (!isLabelName(label)) {
        return Error{"\"" + printableExcerpt(label, 100) +
                     "\" is not a valid label name; use letters, digits and '_', without a digit first"};
    }
    HttpRequest request{
        .path = "/api/v1/label/" + label + "/values", .parameters = between(start, end), .post = false};
    for (const std::string& matcher : matchers)
        request.parameters.emplace_back("match[]", matcher);
    return list<std::vector<std::string>>(request, readTexts, stop, warnings);
}

Result<std::vector<MetricMetadata>> PrometheusApi::metadata(std::stop_token stop) {
    return list<std::vector<MetricMetadata>>({.path = "/api/v1/metadata", .parameters = {}, .post = false},
                                             readMetadata, stop, nullptr);
}

Result<BuildInfo> PrometheusApi::buildInfo(std::stop_token stop) {
    if (isAmazon(server_))
        return BuildInfo{"Amazon Managed Prometheus", {}}; // its API has no build information
    const HttpRequest request{.path = "/api/v1/status/buildinfo", .parameters = {}, .post = false};
    std::vector<HttpReply> replies = transport_({request}, stop, {});
    HttpReply& reply = replies.front();
    const bool absent = reply.fault == HttpFault::status && (reply.status == 404 || reply.status == 400 ||
                                                             reply.status == 405 || reply.status == 501);
    if (reply.fault == HttpFault::none) {
        // A page that is not an answer of the API says that the URL is wrong; that is an error here already.
        const auto info = readBuildInfo(reply.body, limits_);
        if (!info)
            return Error{failure(request.path, failureOf(reply, info.error()).why)};
        return info->envelope.status == "error" ? BuildInfo{"Prometheus-compatible server", {}}
                                                : info->content;
    }
    if (absent)
        return BuildInfo{"Prometheus-compatible server", {}};
    if (const auto info = readBuildInfo(reply.body, limits_); info && reply.fault == HttpFault::status)
        return Error{failure(request.path, failureOf(info->envelope, reply.status).why)};
    return Error{failure(request.path, failureOf(reply, {}).why)};
}

} // namespace alidade::data
