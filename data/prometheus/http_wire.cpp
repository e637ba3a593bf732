// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_wire.h"

#include "data/prometheus/sigv4.h"

#include <QDateTime>
#include <QTimeZone>

#include <algorithm>

namespace alidade::data {

namespace {

std::string formOf(const HttpRequest& request) {
    std::string out;
    for (const auto& [name, value] : request.parameters)
        out.append(out.empty() ? "" : "&")
            .append(percentEncoded(name))
            .append("=")
            .append(percentEncoded(value));
    return out;
}

/// As Qt writes it into the Host header.
std::string hostHeader(const QUrl& url) {
    const std::string host = url.host(QUrl::FullyEncoded).toStdString();
    const std::string bracketed = host.find(':') != std::string::npos ? "[" + host + "]" : host;
    return url.port() < 0 ? bracketed : bracketed + ":" + std::to_string(url.port());
}

void signRequest(QNetworkRequest& request, const WireRequest& wire, const Connection& connection,
                 const Credentials& credentials) {
    const QUrl url = request.url();
    const SignableRequest signable{
        .method = wire.post ? "POST" : "GET",
        .path = url.path(QUrl::FullyEncoded).toStdString(),
        .query = url.query(QUrl::FullyEncoded).toStdString(),
        .headers = {{"Host", hostHeader(url)}},
        .body = std::string_view(wire.body.constData(), static_cast<std::size_t>(wire.body.size()))};
    const std::string now =
        QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd'T'HHmmss'Z'")).toStdString();
    for (const auto& [name, value] :
         sign(signable, {.region = connection.region, .time = now}, credentials).headers)
        request.setRawHeader(QByteArray::fromStdString(name), QByteArray::fromStdString(value));
}

void authenticate(QNetworkRequest& request, const WireRequest& wire, const Connection& connection,
                  const Credentials& credentials) {
    for (const auto& [name, value] : credentials.headers)
        request.setRawHeader(QByteArray::fromStdString(name), QByteArray::fromStdString(value));
    switch (connection.authentication) {
    case Authentication::none:
        break;
    case Authentication::basic: {
        const QByteArray pair = QByteArray::fromStdString(connection.user + ":" + credentials.password);
        request.setRawHeader("Authorization", "Basic " + pair.toBase64());
        break;
    }
    case Authentication::bearer:
        request.setRawHeader("Authorization", "Bearer " + QByteArray::fromStdString(credentials.token));
        break;
    case Authentication::sigv4:
        signRequest(request, wire, connection, credentials);
        break;
    }
}

} // namespace

QUrl urlOf(const Connection& connection, const HttpRequest& request, bool post) {
    QUrl url(QString::fromStdString(connection.url), QUrl::StrictMode);
    QString prefix = url.path(QUrl::FullyEncoded);
    while (prefix.endsWith(QLatin1Char('/')))
        prefix.chop(1);
    if (prefix.endsWith(QLatin1String("/api/v1"))) // people paste it along
        prefix.chop(7);
    url.setPath(prefix + QString::fromStdString(request.path), QUrl::StrictMode);
    if (!post)
        url.setQuery(QString::fromStdString(formOf(request)), QUrl::StrictMode);
    return url;
}

WireRequest wireRequest(const Connection& connection, const Credentials& credentials,
                        const QSslConfiguration& tls, const HttpRequest& request, const QUrl& url,
                        bool post) {
    WireRequest out{.request = QNetworkRequest(url), .post = post, .body = {}};
    QNetworkRequest& to = out.request;
    if (post) {
        out.body = QByteArray::fromStdString(formOf(request));
        to.setHeader(QNetworkRequest::ContentTypeHeader,
                     QByteArrayLiteral("application/x-www-form-urlencoded"));
    }
    to.setSslConfiguration(tls);
    // By default Qt follows redirects to other hosts and takes the Authorization header along.
    to.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    to.setAttribute(QNetworkRequest::Http2AllowedAttribute,
                    false); // time-outs below are those of one connection
    to.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    to.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    to.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    to.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    // Named here, it is not unpacked by Qt, which would do that twice and judge a body by its ratio.
    to.setRawHeader("Accept-Encoding", "gzip");
    to.setRawHeader("Accept", "application/json");
    to.setRawHeader("User-Agent", "Alidade");
    authenticate(to, out, connection, credentials);
    return out;
}

bool sameOrigin(const QUrl& a, const QUrl& b) {
    const auto port = [](const QUrl& url) {
        return url.port(url.scheme() == QLatin1String("https") ? 443 : 80);
    };
    return a.scheme() == b.scheme() && a.host() == b.host() && port(a) == port(b);
}

std::string serverName(const QUrl& url) { return hostHeader(url); }

bool sendsSecretInTheClear(const Connection& connection) {
    const QString url = QString::fromStdString(connection.url);
    const bool secret =
        connection.authentication == Authentication::basic ||
        connection.authentication == Authentication::bearer ||
        std::any_of(connection.headers.begin(), connection.headers.end(), [](const std::string& name) {
            return QString::fromStdString(name).compare(QLatin1String("X-Scope-OrgID"),
                                                        Qt::CaseInsensitive) != 0;
        });
    return secret && QUrl(url).scheme() == QLatin1String("http");
}

} // namespace alidade::data
