// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_links.h"

#include <QDateTime>
#include <QUrlQuery>

#include <cmath>

namespace alidade::app {

QUrl prometheusGraph(const std::string& server, const QString& expression, double start, double end) {
    QString base = QString::fromStdString(server);
    while (base.endsWith(QLatin1Char('/')))
        base.chop(1);
    QUrl url(base + QStringLiteral("/graph"));
    QUrlQuery query;
    // '+' is a space to who reads a query, and stands in expressions.
    query.addQueryItem(QStringLiteral("g0.expr"), QString::fromLatin1(QUrl::toPercentEncoding(expression)));
    query.addQueryItem(QStringLiteral("g0.tab"), QStringLiteral("0"));
    query.addQueryItem(QStringLiteral("g0.range_input"),
                       QStringLiteral("%1s").arg(std::llround(std::max(60.0, end - start))));
    query.addQueryItem(QStringLiteral("g0.end_input"),
                       QDateTime::fromSecsSinceEpoch(std::llround(end), Qt::UTC)
                           .toString(QStringLiteral("yyyy-MM-dd hh:mm:ss"))
                           .replace(QLatin1Char(' '), QStringLiteral("%20")));
    url.setQuery(query.query(QUrl::FullyEncoded), QUrl::StrictMode);
    return url;
}

QUrl grafanaPage(const std::string& pattern, double start, double end, const std::string& job,
                 const std::string& host) {
    QString text = QString::fromStdString(pattern);
    const QString from = QString::number(std::llround(start * 1000)),
                  to = QString::number(std::llround(end * 1000));
    if (!text.contains(QLatin1String("{from}")))
        text += (text.contains(QLatin1Char('?')) ? QLatin1Char('&') : QLatin1Char('?')) +
                QStringLiteral("from={from}&to={to}");
    const auto encoded = [](const std::string& value) {
        return QString::fromLatin1(QUrl::toPercentEncoding(QString::fromStdString(value)));
    };
    text.replace(QLatin1String("{from}"), from);
    text.replace(QLatin1String("{to}"), to);
    text.replace(QLatin1String("{job}"), encoded(job));
    text.replace(QLatin1String("{host}"), encoded(host));
    return QUrl(text, QUrl::StrictMode);
}

} // namespace alidade::app
