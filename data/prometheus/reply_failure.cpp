// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/reply_failure.h"

#include "model/units/text.h"

#include <algorithm>
#include <array>

namespace alidade::data {

namespace {

struct KnownFailure {
    std::string_view words; ///< in lower case, in what the server says
    bool smaller;
    std::string_view help;
};

constexpr std::string_view narrower = "shorten the range, lengthen the step or choose one job";
constexpr std::string_view fewerSeries = "choose one job, or fewer metrics in the mapping";

/// The first one that fits counts. Words of Prometheus 2.42 as recorded; of Mimir by the ids that its
/// documentation lists (pkg/util/globalerror), of VictoriaMetrics by the flags that it names, of AMP by its
/// user guide ("Troubleshoot errors").
constexpr std::array knownFailures{
    KnownFailure{"maximum resolution of 11,000 points", true, "lengthen the step or shorten the range"},
    KnownFailure{"too many samples", true, narrower}, // 422; limit --query.max-samples
    KnownFailure{"too many points", true, narrower},
    KnownFailure{"err-mimir-max-query-length", true, narrower},
    KnownFailure{"err-mimir-max-total-query-length", true, narrower},
    KnownFailure{"err-mimir-max-chunks", true, narrower},
    KnownFailure{"err-mimir-max-estimated", true, narrower},
    KnownFailure{"err-mimir-max-series-per-query", false, fewerSeries},
    KnownFailure{"err-mimir-max-query-expression-size", false, "shorten the expression in the mapping"},
    KnownFailure{"err-mimir-tenant-max-request-rate", false,
                 "wait a little, the tenant sends too many queries"},
    KnownFailure{"err-mimir-query-", false, "ask the server's administrator, who limits this query"},
    KnownFailure{"-search.maxpointspertimeseries", true, "lengthen the step or shorten the range"},
    KnownFailure{"-search.maxpoints", true, "lengthen the step or shorten the range"},
    KnownFailure{"-search.maxsamples", true, narrower},
    KnownFailure{"-search.maxmemoryperquery", true, narrower},
    KnownFailure{"-search.maxunique", false, fewerSeries},
    KnownFailure{"matching timeseries exceeds", false, fewerSeries},
    KnownFailure{"exceeded series limit", false, fewerSeries},
    KnownFailure{"exceeded chunks limit", true, narrower},
    KnownFailure{"exceeded samples limit", true, narrower},
    KnownFailure{"no org id", false,
                 "the server has several tenants: add the header X-Scope-OrgID with one's name"},
    KnownFailure{"context deadline exceeded", false,
                 "the server ran out of time: shorten the range, lengthen the step or choose one job"},
    KnownFailure{"timed out", false,
                 "the server ran out of time: shorten the range, lengthen the step or choose one job"},
    KnownFailure{"timeout", false,
                 "the server ran out of time: shorten the range, lengthen the step or choose one job"},
    KnownFailure{"canceled", false, "the server aborted the query; try again"},
    KnownFailure{"duplicate series for the match group", false,
                 "the expression joins series that are not unique; narrow its selectors in the mapping"},
    KnownFailure{"many-to-many", false,
                 "the expression joins series that are not unique; narrow its selectors in the mapping"},
    KnownFailure{"parse error", false, "correct the expression in the mapping"},
    KnownFailure{"security token", false, "renew the AWS credentials"},
    KnownFailure{"expiredtoken", false, "renew the AWS credentials"},
    KnownFailure{"signature", false, "check the AWS credentials, the region and this computer's clock"},
    KnownFailure{"missing authentication token", false, "sign the requests: choose SigV4 and the region"},
    KnownFailure{"throttl", false, "the service has too many requests; wait a little, or use a longer step"},
    KnownFailure{"rate exceeded", false,
                 "the service has too many requests; wait a little, or use a longer step"},
};

std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// What helps where only the status tells. Empty: nothing is known.
std::string_view helpOfStatus(int status) {
    switch (status) {
    case 400:
        return "the server does not understand the request; correct the expression in the mapping";
    case 401:
        return "the server requires authentication: give a user and a password, a token, or the header of "
               "its "
               "gate";
    case 403:
        return "these credentials are not authorized to query this server";
    case 404:
        return "the URL is the part before /api/v1; some servers have a prefix such as /prometheus";
    case 429:
        return "the server has too many requests; wait a little, or use a longer step";
    case 502:
    case 504:
        return "a proxy in front of the server got no answer from it";
    case 503:
        return "the server is starting or overloaded; wait a little";
    default:
        return status >= 500 ? "the server failed; see its log for the reason" : "";
    }
}

std::string joined(std::string what, std::string_view help) {
    return help.empty() ? what : what + "; " + std::string(help);
}

} // namespace

ReplyFailure failureOf(const ReplyEnvelope& envelope, int status) {
    std::string said = !envelope.error.empty() ? envelope.error : envelope.message;
    const std::string words = lowered(envelope.errorType + " " + said);
    const auto* const known = std::ranges::find_if(
        knownFailures, [&](const KnownFailure& each) { return words.find(each.words) != std::string::npos; });
    if (said.empty() && envelope.status.empty()) {
        return {"answered with JSON that is not a reply of the Prometheus API; the URL is the part before "
                "/api/v1",
                false};
    }
    if (said.empty()) {
        said = "an error without an explanation";
        said += envelope.errorType.empty() ? "" : " (" + envelope.errorType + ")";
    }
    // AMP and VictoriaMetrics name the status in errorType; Prometheus a kind, which says nothing more.
    const std::string what =
        "answered " +
        (status > 0 && (status < 200 || status > 299) ? std::to_string(status) + ", " : std::string()) +
        "\"" + said + "\"";
    if (known != knownFailures.end())
        return {joined(what, known->help), known->smaller};
    return {joined(what, helpOfStatus(status)), false};
}

ReplyFailure failureOf(const HttpReply& reply, const std::string& reading) {
    if (reply.fault != HttpFault::none && reply.fault != HttpFault::status) {
        const bool tooLarge = reply.fault == HttpFault::tooLarge;
        return {reply.message, tooLarge};
    }
    // Who asks knows with which credentials, and how long the server wants to be left alone.
    constexpr std::array told{400, 401, 403, 429, 503};
    const std::size_t words = reply.message.find(": ");
    if (reply.fault == HttpFault::status && words != std::string::npos && reply.message.find("; ") > words &&
        reply.message.find("; ") != std::string::npos &&
        std::ranges::find(told, reply.status) != told.end()) {
        return {reply.message.substr(words + 2), false};
    }
    constexpr std::size_t excerpt = 120;
    std::string what = "answered " + std::to_string(reply.status);
    const bool json = reply.contentType.find("json") != std::string::npos;
    if (!json && !reply.contentType.empty())
        what += " with " + printableExcerpt(reply.contentType, 60);
    if (json && !reading.empty()) {
        what += " and JSON that cannot be read: " + reading;
    } else if (reply.body.empty()) {
        what += " and nothing else";
    } else {
        what += ", which is not a reply of the Prometheus API: \"" +
                printableExcerpt(trimmed(std::string_view(reply.body).substr(0, 4 * excerpt)), excerpt) +
                "\"";
    }
    if (lowered(reply.body.substr(0, 1000)).find("no org id") != std::string::npos) {
        return {joined(what, "the server has several tenants: add the header X-Scope-OrgID with one's name"),
                false};
    }
    if (reply.fault == HttpFault::none && !json) {
        return {joined(what,
                       "the URL may be that of a login page or of another program; it is the part before "
                       "/api/v1"),
                false};
    }
    return {joined(what, reply.fault == HttpFault::none ? "" : helpOfStatus(reply.status)), false};
}

} // namespace alidade::data
