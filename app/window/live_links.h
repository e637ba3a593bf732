// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUrl>

#include <string>

namespace alidade::app {

/// The page of a Prometheus server that draws an expression over a time.
/// https://prometheus.io/docs/visualization/browser/
QUrl prometheusGraph(const std::string& server, const QString& expression, double start, double end);

/// A dashboard's URL with {from} and {to} (Unix ms), {job} and {host} filled in, percent-encoded. Without
/// {from} the time is added as Grafana reads it: from=...&to=...
QUrl grafanaPage(const std::string& pattern, double start, double end, const std::string& job,
                 const std::string& host);

} // namespace alidade::app
