// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_words.h"

#include "data/prometheus/authorities.h"
#include "data/prometheus/http_wire.h"
#include "model/units/constants.h"

#include <cmath>

namespace alidade::data {

namespace {

std::string secondsText(double seconds) {
    const double shown = seconds < 10 ? std::round(seconds * 10) / 10 : std::round(seconds);
    std::string text = std::to_string(shown);
    text.erase(text.find_last_not_of('0') + 1);
    return (text.ends_with('.') ? text.substr(0, text.size() - 1) : text) + " s";
}

/// "40 s", "3 min", "2 h".
std::string waitText(double seconds) {
    return seconds < 90     ? secondsText(seconds)
           : seconds < 5400 ? std::to_string(std::lround(seconds / 60)) + " min"
                            : std::to_string(std::lround(seconds / secondsPerHour)) + " h";
}

std::string bytesText(std::size_t bytes) {
    return bytes >= (std::size_t{1} << 20) ? std::to_string(bytes >> 20) + " MiB"
                                           : std::to_string(bytes) + " bytes";
}

std::string clockText(double ahead) {
    return "the server's clock is " + secondsText(std::abs(ahead)) + (ahead > 0 ? " ahead of" : " behind") +
           " this computer's; set the one that is wrong";
}

bool clocksDiffer(const AttemptOutcome& outcome) {
    constexpr double tolerated = 30;
    return outcome.clockAheadS && std::abs(*outcome.clockAheadS) > tolerated;
}

/// The words of Go's and nginx's servers for plain HTTP on a port of TLS.
bool speaksTls(std::string_view body) {
    return body.find("HTTP request to an HTTPS server") != std::string_view::npos ||
           body.find("plain HTTP request was sent to HTTPS port") != std::string_view::npos;
}

/// What a person can do about a status.
std::string advice(const AttemptOutcome& outcome, const WordsContext& context) {
    const Authentication authentication = context.connection.authentication;
    switch (outcome.status) {
    case 400:
        return speaksTls(outcome.body) ? "; this port serves HTTPS: begin the URL with https://" : "";
    case 401:
        return authentication == Authentication::none ? "; it requires authentication: give a user and "
                                                        "password, a token, or a region to sign for"
                                                      : "; it does not accept these credentials: check them";
    case 403:
        if (authentication == Authentication::sigv4 && clocksDiffer(outcome))
            return "; a signature is good for 5 minutes, and " + clockText(*outcome.clockAheadS);
        if (authentication == Authentication::sigv4)
            return "; check the keys, the region and whether their owner may query this workspace";
        return "; not authorized to query: check the credentials, and the tenant if there is one";
    case 404:
        return "; the URL is the part before /api/v1: check its path";
    case 429:
    case 502:
    case 503:
    case 504:
        if (context.waitRefusedS)
            return "; it asks to wait " + waitText(*context.waitRefusedS) +
                   ", longer than this request may take: try again then";
        if (outcome.retryAfterS && *outcome.retryAfterS > 0)
            return "; it asks to wait " + waitText(*outcome.retryAfterS) + ": try again then";
        return context.attempts > 1
                   ? "; it was queried " + std::to_string(context.attempts) + " times: try again later"
                   : "; try again later";
    default:
        return {};
    }
}

std::string statusText(const AttemptOutcome& outcome, const WordsContext& context) {
    std::string out = "answers " + std::to_string(outcome.status);
    if (const std::string reason = excerptOf(context.redaction(outcome.reason), 60); !reason.empty())
        out += " " + reason;
    if (const std::string words = excerptOf(outcome.body); !words.empty())
        out += ": " + words;
    return out + advice(outcome, context);
}

struct Verdict {
    HttpFault fault = HttpFault::none;
    std::string words; ///< after "HOST: "
};

Verdict cutVerdict(const AttemptOutcome& outcome, const WordsContext& context) {
    const HttpLimits& limits = context.limits;
    switch (outcome.cutBy) {
    case CutBy::connecting:
        return {HttpFault::timeout, "no connection within " + secondsText(limits.connectS) +
                                        "; check host and port, and whether a firewall blocks it"};
    case CutBy::idleness:
        return {HttpFault::timeout,
                "silent for " + secondsText(limits.idleS) +
                    (outcome.status == 0 ? " after the question; ask for a shorter range or fewer series"
                                         : " in the middle of its answer; try again")};
    case CutBy::overall:
        return {HttpFault::timeout, "not done within " + secondsText(limits.overallS) +
                                        "; ask for a shorter range or fewer series"};
    case CutBy::cancel:
        return {HttpFault::canceled, "canceled"};
    case CutBy::size:
        return {HttpFault::tooLarge, "the answer holds more than " + bytesText(limits.bodyBytes) +
                                         "; ask for a shorter range, a longer step or fewer series"};
    case CutBy::inflation:
    case CutBy::nothing:
        break;
    }
    return {HttpFault::broken,
            "the answer's gzip is damaged; try again, or check the proxy in front of the server"};
}

Verdict unansweredVerdict(const AttemptOutcome& outcome, const WordsContext& context) {
    const std::string system = excerptOf(context.redaction(outcome.errorText.toStdString()), 160);
    if (outcome.noHttp)
        return {HttpFault::broken, context.url.scheme() == QLatin1String("http")
                                       ? "the server did not reply with HTTP; if the port serves HTTPS, "
                                         "begin the URL with https://, else check the port"
                                       : "the server did not reply with HTTP; check the port"};
    switch (outcome.error.value_or(QAbstractSocket::UnknownSocketError)) {
    case QAbstractSocket::ConnectionRefusedError:
        return {HttpFault::refused, "refuses the connection (tried " + std::to_string(context.attempts) +
                                        (context.attempts == 1 ? " time" : " times") +
                                        "); check that the server is running, and the port"};
    case QAbstractSocket::HostNotFoundError:
        return {HttpFault::refused,
                "there is no host of this name; check the URL, and whether its network is reached"};
    case QAbstractSocket::NetworkError:
        return {HttpFault::refused,
                "is not reached (" + system + "); check the host, and whether its network is reached"};
    case QAbstractSocket::SocketTimeoutError:
        return {HttpFault::timeout,
                "no connection was made; check host and port, and whether a firewall blocks it"};
    case QAbstractSocket::RemoteHostClosedError:
        return {HttpFault::broken,
                "closed the connection without an answer; check that the server is running, and try again"};
    default:
        return {HttpFault::broken, "no answer (" + system + ")"};
    }
}

Verdict verdictOf(const AttemptOutcome& outcome, const WordsContext& context) {
    if (outcome.cutBy != CutBy::nothing)
        return cutVerdict(outcome, context);
    if (outcome.status == 0)
        return unansweredVerdict(outcome, context);
    if (!outcome.succeeded())
        return {HttpFault::status, statusText(outcome, context)};
    if (outcome.bodyShort)
        return {HttpFault::broken, "the answer ended early, after " + bytesText(outcome.wireBytes) +
                                       "; check that the server is running, and try again"};
    if (!outcome.contentEncoding.empty() && outcome.contentEncoding != "identity" &&
        outcome.contentEncoding != "gzip" && outcome.contentEncoding != "x-gzip")
        return {HttpFault::broken, "the answer is packed as '" + excerptOf(outcome.contentEncoding, 40) +
                                       "', which was not requested; check the proxy in front of the server"};
    return {};
}

} // namespace

HttpReply replyOf(AttemptOutcome outcome, const WordsContext& context) {
    HttpReply out;
    if (!outcome.succeeded())
        outcome.body = outcome.bodyCut ? context.redaction.ofBeginning(std::move(outcome.body))
                                       : context.redaction(std::move(outcome.body));
    const bool untrusted =
        outcome.cutBy == CutBy::nothing && outcome.status == 0 &&
        (outcome.error == QAbstractSocket::SslHandshakeFailedError ||
         outcome.error == QAbstractSocket::SslInternalError ||
         outcome.error == QAbstractSocket::SslInvalidUserDataError || !outcome.sslErrors.isEmpty());
    if (untrusted) {
        out.fault = HttpFault::tls;
        out.message = tlsMessage(context.url.host(), outcome.sslErrors, context.connection);
    } else if (Verdict verdict = verdictOf(outcome, context); verdict.fault != HttpFault::none) {
        out.fault = verdict.fault;
        out.message = serverName(context.url) + ": " + verdict.words;
    }
    out.status = outcome.status;
    out.contentType = excerptOf(context.redaction(outcome.contentType), 100);
    if (out.fault == HttpFault::none || out.fault == HttpFault::status)
        out.body = std::move(outcome.body);
    out.wireBytes = outcome.wireBytes;
    out.attempts = context.attempts;
    out.clockAheadS = outcome.clockAheadS;
    if (sendsSecretInTheClear(context.connection))
        out.warnings.push_back(serverName(context.url) +
                               ": a secret goes there unencrypted, as the URL is http; use https");
    if (clocksDiffer(outcome))
        out.warnings.push_back(serverName(context.url) + ": " + clockText(*outcome.clockAheadS));
    return out;
}

std::string redirectFault(const QUrl& from, const QUrl& to, int followed) {
    const std::string start = serverName(from) + ": redirects ";
    if (!to.isValid() || to.scheme().isEmpty())
        return start + "to something that is not a URL; check the proxy in front of the server";
    if (!sameOrigin(from, to)) {
        const bool web = to.scheme() == QLatin1String("http") || to.scheme() == QLatin1String("https");
        const std::string origin = web ? to.scheme().toStdString() + "://" + excerptOf(serverName(to), 100)
                                       : excerptOf(to.scheme().toStdString(), 20) + ":";
        const bool upgrade = from.scheme() == QLatin1String("http") && to.scheme() == QLatin1String("https");
        return start + "to " + origin + ", which was not followed, so that no secret goes elsewhere" +
               (!web      ? "; check the proxy in front of the server"
                : upgrade ? "; use https in the URL"
                          : "; if it is the right server, give its URL");
    }
    return followed >= mostRedirects
               ? start + "in a circle or too often; check the proxy in front of the server"
               : std::string();
}

} // namespace alidade::data
