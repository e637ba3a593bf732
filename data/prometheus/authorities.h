// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"
#include "model/base/result.h"

#include <QList>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslError>

#include <string>

namespace alidade::data {

/// TLS 1.2 or later with verification on. A connection's own authorities (PEM) replace the
/// system's, as in Prometheus' own `ca_file` and curl's --cacert: who names the one that signs, trusts no
/// other.
Result<QSslConfiguration> tlsConfiguration(const Connection& connection);

/// Why a server's certificate was refused, and the way out; a whole sentence.
std::string tlsMessage(const QString& host, const QList<QSslError>& errors, const Connection& connection);

} // namespace alidade::data
