// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/plot_base.h"
#include "views/validation/run_art.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {

namespace {

constexpr double markerSize = 8;   // logical pixels at 10 pt, as the other lengths
constexpr double markerGap = 6;    // to its words
constexpr double classGap = 14;    // between entries
constexpr double classesAbove = 4; // over the first line
constexpr double backOpacity = 0.45;

} // namespace

RunLegend::RunLegend(PlotBase& owner)
    : QCPLayoutElement(owner.plot())
    , owner_(owner) {}

QString RunLegend::words(const RunClass& runs) const {
    constexpr qsizetype most = 34;
    // Titles of one series differ at their ends.
    const QString name =
        runs.label.size() > most
            ? runs.label.left(most / 2).trimmed() + QStringLiteral("…") + runs.label.right(most / 2).trimmed()
            : runs.label;
    return name + QLatin1Char(' ') + QString::number(runs.count);
}

std::pair<QList<QRectF>, double> RunLegend::arranged(double width) const {
    const Theme& look = owner_.look();
    const QFontMetricsF metrics(look.font(FontRole::small));
    QList<QRectF> places;
    QPointF corner(look.px(6), look.px(classesAbove));
    const double line = std::ceil(metrics.height()) + 2;
    for (const RunClass& runs : classes_) {
        if (runs.count == 0) {
            places.append(QRectF());
            continue;
        }
        const double needed = look.px(markerSize + markerGap) + metrics.horizontalAdvance(words(runs));
        if (corner.x() > look.px(6) && corner.x() + needed > width)
            corner = {static_cast<double>(look.px(6)), corner.y() + line};
        places.append({corner, QSizeF(needed, line)});
        corner.rx() += needed + look.px(classGap);
    }
    return {places, classes_.isEmpty() ? 0 : corner.y() + line};
}

QRectF RunLegend::placeOf(int index) const {
    return arranged(rect().width()).first[index].translated(rect().topLeft());
}

int RunLegend::classAt(const QPointF& position) const {
    const QList<QRectF> places = arranged(rect().width()).first;
    const auto hit = std::ranges::find_if(places, [&](const QRectF& place) {
        return !place.isNull() && place.translated(rect().topLeft()).contains(position);
    });
    return hit == places.end() ? -1 : static_cast<int>(hit - places.begin());
}

void RunLegend::update(UpdatePhase phase) {
    if (phase == upPreparation) {
        const QMargins around = parentPlot()->plotLayout()->margins();
        const int height = static_cast<int>(
            arranged(parentPlot()->viewport().width() - around.left() - around.right()).second);
        setMinimumSize(0, height);
        setMaximumSize(QWIDGETSIZE_MAX, height);
    }
    QCPLayoutElement::update(phase);
}

void RunLegend::draw(QCPPainter* painter) {
    const Theme& look = owner_.look();
    const QFontMetricsF metrics(look.font(FontRole::small));
    const QList<QRectF> places = arranged(rect().width()).first;
    for (int i = 0; i < classes_.size(); ++i) {
        if (places[i].isNull())
            continue;
        const QRectF place = places[i].translated(rect().topLeft());
        painter->setOpacity(emphasis_ >= 0 && emphasis_ != i ? backOpacity : 1);
        const QCPScatterStyle style = runMarker(i, look.px(markerSize), look);
        style.applyTo(painter, QPen());
        style.drawShape(painter, place.left() + look.px(markerSize) / 2.0,
                        place.top() + metrics.height() / 2);
        painter->setFont(look.font(FontRole::small));
        painter->setPen(look.color(emphasis_ == i ? Role::text : Role::text2));
        painter->drawText(
            QPointF(place.left() + look.px(markerSize + markerGap), place.top() + metrics.ascent()),
            words(classes_[i]));
    }
    painter->setOpacity(1);
}

} // namespace alidade::views
