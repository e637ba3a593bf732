// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"

#include <QByteArray>
#include <QNetworkRequest>
#include <QSslConfiguration>
#include <QUrl>

namespace alidade::data {

/// A request as Qt's network takes it.
struct WireRequest {
    QNetworkRequest request;
    bool post = true;
    QByteArray body;
};

/// The base URL with its prefix and the path of the request; the parameters too where it is no POST.
QUrl urlOf(const Connection& connection, const HttpRequest& request, bool post);

/// With all settings that make it safe, and with the secrets; signed at this moment.
WireRequest wireRequest(const Connection& connection, const Credentials& credentials,
                        const QSslConfiguration& tls, const HttpRequest& request, const QUrl& url, bool post);

/// Scheme, host and port are the same.
bool sameOrigin(const QUrl& a, const QUrl& b);

/// "prometheus.example:9090", for messages.
std::string serverName(const QUrl& url);

/// A token or a password goes over plain http.
bool sendsSecretInTheClear(const Connection& connection);

} // namespace alidade::data
