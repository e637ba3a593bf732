// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/http_exchange.h"

#include <QByteArray>
#include <QUrl>

namespace alidade::data {

/// The base URL with its prefix and the path of the request; the parameters too where it is not a POST.
QUrl urlOf(const Connection& connection, const HttpRequest& request, bool post);

/// The bytes of an HTTP/1.1 request, with the secrets; signed at this moment.
QByteArray wireRequest(const Connection& connection, const Credentials& credentials,
                       const HttpRequest& request, const QUrl& url, bool post);

/// The port of the URL, or that of its scheme.
quint16 portOf(const QUrl& url);

/// Scheme, host and port are the same.
bool sameOrigin(const QUrl& a, const QUrl& b);

/// "prometheus.example:9090", for messages.
std::string serverName(const QUrl& url);

/// A token or a password goes over plain http.
bool sendsSecretInTheClear(const Connection& connection);

} // namespace alidade::data
