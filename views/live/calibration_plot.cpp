// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/calibration_plot.h"

#include "views/document/text.h"

#include <QDateTime>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

QString clockWords(double unix) {
    return QDateTime::fromSecsSinceEpoch(std::llround(unix)).toString(QStringLiteral("HH:mm"));
}

} // namespace

CalibrationPlot::CalibrationPlot(QWidget* parent)
    : PlotBase(parent)
    , line_(plot()->addGraph()) {
    setAccessibleName(tr("Measurements, and the time left out"));
    setFileName(QStringLiteral("calibration"));
    style(line_, [this](const Theme& look) { line_->setPen(QPen(look.color(Role::measured), 1.2)); });
    setTableSource([this] {
        TextTable table{{tr("time"), series_.title}, {}};
        for (std::size_t i = 0; i < series_.times.size(); ++i)
            table.rows.append(
                {QString::number(series_.times[i], 'f', 0), QString::number(series_.values[i])});
        return table;
    });
}

void CalibrationPlot::setSeries(const CalibrationSeries& series,
                                const std::vector<ExcludedWindow>& excluded) {
    series_ = series;
    excluded_ = excluded;
    for (QCPItemRect* each : std::as_const(bands_))
        plot()->removeItem(each);
    bands_.clear();
    line_->setData(QVector<double>(series_.times.begin(), series_.times.end()),
                   QVector<double>(series_.values.begin(), series_.values.end()), true);
    setAxisTitle(PlotAxis::y, series_.title);
    if (series_.clock)
        setTickText(PlotAxis::x, clockWords);
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const double each : series_.values)
        if (std::isfinite(each)) {
            least = std::min(least, each);
            most = std::max(most, each);
        }
    if (series_.times.empty() || !(most > 0))
        return;
    for (const ExcludedWindow& each : excluded_) {
        auto* band = new QCPItemRect(plot());
        band->setSelectable(false);
        band->setLayer(QStringLiteral("background"));
        band->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
        band->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
        band->topLeft->setCoords(each.start, 0);
        band->bottomRight->setCoords(each.end, 1);
        style(band, [band](const Theme& look) {
            band->setPen(Qt::NoPen);
            band->setBrush(QBrush(look.color(Role::line2), Qt::BDiagPattern));
        });
        bands_.append(band);
    }
    setDataRange(PlotAxis::x, series_.times.front(), series_.times.back());
    const double margin = std::max((most - least) * 0.1, most * 0.02);
    setDataRange(PlotAxis::y, std::max(0.0, least - margin), most + margin);
    QStringList words;
    for (const ExcludedWindow& each : excluded_)
        words.append(text(each.why));
    setSummary(words.isEmpty() ? tr("Nothing is left out.")
                               : tr("Left out: %1.").arg(words.join(QStringLiteral("; "))));
    redraw();
}

std::optional<PlotSpot> CalibrationPlot::spotAt(const QPointF& position) const {
    if (!plot()->axisRect()->rect().contains(position.toPoint()))
        return std::nullopt;
    const double at = plot()->xAxis->pixelToCoord(position.x());
    for (const ExcludedWindow& each : excluded_) {
        if (at < each.start || at > each.end)
            continue;
        const QRect area = plot()->axisRect()->rect();
        const int left = static_cast<int>(plot()->xAxis->coordToPixel(each.start)),
                  right = static_cast<int>(plot()->xAxis->coordToPixel(each.end));
        CardContent card;
        card.title = text(each.why);
        card.rows.append(
            {tr("Left out"), series_.clock
                                 ? QStringLiteral("%1 – %2").arg(clockWords(each.start), clockWords(each.end))
                                 : QStringLiteral("%1 – %2").arg(each.start).arg(each.end)});
        return PlotSpot{QRect(left, area.top(), std::max(1, right - left), area.height()), card};
    }
    return std::nullopt;
}

} // namespace alidade::views
