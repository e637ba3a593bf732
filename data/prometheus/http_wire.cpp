// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/http_wire.h"

#include "data/prometheus/sigv4.h"

#include <QDateTime>

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

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string base64Of(const std::string& text) {
    return QByteArray::fromStdString(text).toBase64().toStdString();
}

std::string targetPath(const QUrl& url) {
    const std::string path = url.path(QUrl::FullyEncoded).toStdString();
    return path.empty() ? "/" : path;
}

Fields signedFields(const Connection& connection, const Credentials& credentials, const QUrl& url, bool post,
                    const std::string& body) {
    const SignableRequest signable{.method = post ? "POST" : "GET",
                                   .path = targetPath(url),
                                   .query = url.query(QUrl::FullyEncoded).toStdString(),
                                   .headers = {{"Host", hostHeader(url)}},
                                   .body = body};
    const std::string now =
        QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd'T'HHmmss'Z'")).toStdString();
    return sign(signable, {.region = connection.region, .time = now}, credentials).headers;
}

/// Host and what says who asks.
Fields authenticatedFields(const Connection& connection, const Credentials& credentials, const QUrl& url,
                           bool post, const std::string& body) {
    Fields out;
    if (connection.authentication == Authentication::sigv4)
        out = signedFields(connection, credentials, url, post, body);
    else
        out.emplace_back("Host", hostHeader(url));
    if (connection.authentication == Authentication::basic)
        out.emplace_back("Authorization", "Basic " + base64Of(connection.user + ":" + credentials.password));
    if (connection.authentication == Authentication::bearer)
        out.emplace_back("Authorization", "Bearer " + credentials.token);
    out.insert(out.end(), credentials.headers.begin(), credentials.headers.end());
    return out;
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

QByteArray wireRequest(const Connection& connection, const Credentials& credentials,
                       const HttpRequest& request, const QUrl& url, bool post) {
    const std::string body = post ? formOf(request) : std::string();
    const std::string query = url.query(QUrl::FullyEncoded).toStdString();
    std::string out =
        (post ? "POST " : "GET ") + targetPath(url) + (query.empty() ? "" : "?" + query) + " HTTP/1.1\r\n";
    Fields fields = authenticatedFields(connection, credentials, url, post, body);
    fields.emplace_back("User-Agent", "Alidade");
    fields.emplace_back("Accept", "application/json");
    fields.emplace_back("Accept-Encoding", "gzip");
    if (post) {
        fields.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        fields.emplace_back("Content-Length", std::to_string(body.size()));
    }
    for (const auto& [name, value] : fields)
        out.append(name).append(": ").append(value).append("\r\n");
    return QByteArray::fromStdString(out + "\r\n" + body);
}

quint16 portOf(const QUrl& url) {
    return static_cast<quint16>(url.port(url.scheme() == QLatin1String("https") ? 443 : 80));
}

bool sameOrigin(const QUrl& a, const QUrl& b) {
    return a.scheme() == b.scheme() && a.host() == b.host() && portOf(a) == portOf(b);
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
