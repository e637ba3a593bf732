// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/connection_json.h"
#include "data/prometheus/redaction.h"

#include <QString>
#include <QUrl>

#include <algorithm>
#include <array>

namespace alidade::data {

namespace {

std::string lower(std::string text) {
    for (char& c : text)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/// RFC 9110, 5.6.2.
bool isToken(const std::string& text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               marks.find(c) != std::string_view::npos;
    });
}

bool hasControls(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; });
}

/// Headers between two hops of a connection (RFC 9110, 7.6.1) and those that make the request what it is.
std::string headerFault(const std::string& name, Authentication authentication) {
    static constexpr std::array<std::string_view, 17> own{"connection",
                                                          "keep-alive",
                                                          "proxy-connection",
                                                          "proxy-authenticate",
                                                          "proxy-authorization",
                                                          "te",
                                                          "trailer",
                                                          "upgrade",
                                                          "transfer-encoding",
                                                          "host",
                                                          "content-length",
                                                          "content-type",
                                                          "content-encoding",
                                                          "accept-encoding",
                                                          "expect",
                                                          "date",
                                                          "user-agent"};
    const std::string small = lower(name);
    if (!isToken(name))
        return "'" + excerptOf(name, 60) + "' is not a valid header name; for example, X-Scope-OrgID";
    if (std::find(own.begin(), own.end(), small) != own.end())
        return "the header '" + name + "' is set by the program or belongs to the connection; leave it out";
    if (small == "authorization" && authentication != Authentication::none)
        return "the header 'Authorization' comes from the authentication; leave it out, or choose none";
    if (small.starts_with("x-amz-") && authentication == Authentication::sigv4)
        return "the header '" + name + "' comes from the signature; leave it out";
    return {};
}

/// The text in quotes, or only what it is where it may hold a user and a password, plain or percent-encoded.
std::string quotedUrl(const std::string& text) {
    const std::string small = lower(text);
    const std::size_t scheme = text.find("//");
    const std::string authority = text.substr(scheme == std::string::npos ? 0 : scheme + 2);
    const std::size_t colon = authority.find(':');
    const bool oddPort = colon != std::string::npos && colon + 1 < authority.size() &&
                         authority.front() != '[' &&
                         (authority[colon + 1] < '0' || authority[colon + 1] > '9');
    const bool encoded = small.find("%40") != std::string::npos || small.find("%3a") != std::string::npos ||
                         small.find("%25") != std::string::npos;
    return text.find('@') != std::string::npos || encoded || oddPort
               ? "this (it may hold a secret and is not shown)"
               : "'" + excerptOf(text) + "'";
}

std::string urlFault(const std::string& text) {
    if (text.empty())
        return "there is no URL; give one such as http://prometheus.example:9090";
    const QUrl url(QString::fromStdString(text), QUrl::StrictMode);
    // First of all, so that no later message shows it.
    if (!url.userInfo().isEmpty() ||
        (text.find('@') != std::string::npos && text.find('@') < text.find('/', text.find("//") + 2)))
        return "the URL holds a user name or a password, and secrets do not belong in a URL; give the URL "
               "without the part before the '@', and the user and the password separately";
    if (!url.isValid() || hasControls(text))
        return quotedUrl(text) + " is not a valid URL; for example, http://prometheus.example:9090";
    const QString scheme = url.scheme();
    if (scheme != QLatin1String("http") && scheme != QLatin1String("https"))
        return quotedUrl(text) + " is neither http nor https; for example, http://prometheus.example:9090";
    if (url.host().isEmpty())
        return quotedUrl(text) + " names no host; for example, http://prometheus.example:9090";
    if (url.hasQuery() || url.hasFragment())
        return "the URL has a query or a fragment ('?' or '#'); give only the part before /api/v1";
    return {};
}

} // namespace

std::string faultOf(const Connection& connection) {
    if (std::string fault = urlFault(connection.url); !fault.empty())
        return fault;
    if (hasControls(connection.name))
        return "the name holds control characters; choose another one";
    if (connection.authentication == Authentication::basic) {
        if (connection.user.empty())
            return "basic authentication needs a user name";
        if (connection.user.find(':') != std::string::npos || hasControls(connection.user))
            return "a user name of basic authentication holds no ':' and no control characters";
    }
    if (connection.authentication == Authentication::sigv4) {
        const bool fits = std::all_of(connection.region.begin(), connection.region.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
        });
        if (connection.region.empty() || !fits)
            return "a signature needs the region of the workspace, such as us-east-1";
    }
    for (const std::string& name : connection.headers)
        if (std::string fault = headerFault(name, connection.authentication); !fault.empty())
            return fault;
    return {};
}

std::string faultOf(const Connection& connection, const Credentials& credentials) {
    const auto missing = [](std::string_view what) {
        return std::string(what) + "; give it again, or choose another authentication";
    };
    switch (connection.authentication) {
    case Authentication::none:
        break;
    case Authentication::basic:
        if (credentials.password.empty())
            return missing("the password is missing");
        break;
    case Authentication::bearer:
        if (credentials.token.empty())
            return missing("the token is missing");
        if (std::any_of(credentials.token.begin(), credentials.token.end(),
                        [](char c) { return c <= ' ' || c == 0x7F; }))
            return "the token holds spaces, line breaks or other characters that no token has; give it "
                   "without them";
        break;
    case Authentication::sigv4:
        if (credentials.accessKey.empty() || credentials.secretKey.empty())
            return missing("the access key or the secret key is missing");
        if (hasControls(credentials.accessKey + credentials.secretKey + credentials.sessionToken))
            return "the AWS keys hold line breaks or other control characters; give them without these";
        break;
    }
    for (const auto& [name, value] : credentials.headers) {
        if (std::string fault = headerFault(name, connection.authentication); !fault.empty())
            return fault;
        if (hasControls(value))
            return "the value of the header '" + name +
                   "' holds line breaks or other control characters; remove them";
    }
    for (const std::string& name : connection.headers) {
        const bool there =
            std::any_of(credentials.headers.begin(), credentials.headers.end(),
                        [&](const auto& header) { return lower(header.first) == lower(name); });
        if (!there)
            return missing("the value of the header '" + name + "' is missing");
    }
    return {};
}

} // namespace alidade::data
