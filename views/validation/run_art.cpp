// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_art.h"

#include "views/document/text.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {

namespace {

struct RunArtTexts {
    Q_DECLARE_TR_FUNCTIONS(RunArt)
};

constexpr double runPointSize = 8;      // logical pixels at 10 pt, of few points
constexpr double leastRunPointSize = 5; // of many
constexpr double crowdedSide = 24;      // of the square that each of many points has to itself
constexpr double runRing = 9;           // radius around the chosen one
constexpr double runReach = 10;         // around a point
constexpr double standBack = 0.2;       // opacity next to an emphasized class
constexpr std::array bandWidths{0.2, 0.1};
constexpr std::array bandOpacities{0.05F, 0.08F}; // the inner lies on the outer

} // namespace

RunArt::RunArt(PlotBase& owner)
    : PlotArt(owner, Clip::axes) {}

QPointF RunArt::place(int point) const { return pixel(picture_.points[point].x, picture_.points[point].y); }

int RunArt::pointAt(const QPointF& position) const {
    if (!parentPlot()->axisRect()->rect().adjusted(-2, -2, 2, 2).contains(position.toPoint()))
        return -1;
    int nearest = -1;
    double least = owner_.look().px(runReach);
    for (int i = 0; i < picture_.points.size(); ++i) {
        if (emphasis_ >= 0 && picture_.points[i].place != emphasis_)
            continue;
        const double distance = QLineF(position, place(i)).length();
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

/// Fewer points are drawn larger.
double RunArt::pointSize() const {
    const QSizeF size = parentPlot()->axisRect()->size();
    const double each = size.width() * size.height() / static_cast<double>(picture_.points.size() + 1);
    const double crowd = std::min(1.0, owner_.look().px(crowdedSide) * owner_.look().px(crowdedSide) / each);
    return owner_.look().px(runPointSize) - crowd * owner_.look().px(runPointSize - leastRunPointSize);
}

void RunArt::drawBands(QPainter& painter, LabelPlacer& labels) const {
    const Theme& look = owner_.look();
    const QRectF rect = area();
    const QCPRange range = parentPlot()->xAxis->range();
    const bool against = picture_.kind == RunPictureKind::against;
    // At an error of e stand the points (x, (1 + e) x), or (x, e).
    const auto line = [&](double error) {
        const auto at = [&](double x) { return against ? pixel(x, (1 + error) * x) : pixel(x, error); };
        return QLineF(at(range.lower), at(range.upper));
    };
    painter.save();
    painter.setClipRect(rect);
    painter.setPen(Qt::NoPen);
    for (std::size_t i = 0; i < bandWidths.size(); ++i) {
        const QLineF above = line(bandWidths[i]), below = line(-bandWidths[i]);
        QColor fill = look.color(Role::text);
        fill.setAlphaF(bandOpacities[i]);
        painter.setBrush(fill);
        painter.drawPolygon(QPolygonF{above.p1(), above.p2(), below.p2(), below.p1()});
    }
    painter.setPen(QPen(look.color(Role::text2), 1));
    painter.drawLine(line(0));
    painter.restore();

    const auto label = [&](double error, const QString& words) {
        // Only the part that is seen, so that the words are.
        QLineF seen = line(error);
        const double top = std::max(rect.top(), seen.y2()), bottom = std::min(rect.bottom(), seen.y1());
        if (against && seen.dy() != 0)
            seen = {seen.pointAt((bottom - seen.y1()) / seen.dy()),
                    seen.pointAt((top - seen.y1()) / seen.dy())};
        if (rect.adjusted(-1, -1, 1, 1).contains(seen.center()))
            labels.addAlong(seen, words, {look.font(FontRole::small), look.color(Role::text3)},
                            {0.99, 0.02, 0.9, 0.1, 0.8});
    };
    label(0.2, QStringLiteral("+20 %"));
    label(-0.2, QStringLiteral("−20 %"));
    label(0, RunArtTexts::tr("as measured"));
}

void RunArt::drawPoint(QCPPainter& painter, int point) const {
    const Theme& look = owner_.look();
    const QCPScatterStyle style = runMarker(picture_.points[point].place, pointSize(), look);
    if (style.brush().style() != Qt::NoBrush) { // a rim of ground keeps neighbors apart
        const QColor ground = look.color(Role::base);
        const QCPScatterStyle rim(style.shape(), QPen(ground, 1), ground, style.size() + 2);
        rim.applyTo(&painter, QPen());
        rim.drawShape(&painter, place(point));
    }
    style.applyTo(&painter, QPen());
    style.drawShape(&painter, place(point));
}

void RunArt::drawWhisker(QPainter& painter, int point) const {
    const ValidationRow& row = *picture_.points[point].row;
    if (!(row.high > row.low) || !(row.low > 0))
        return;
    const double x = place(point).x();
    const auto y = [&](double amount) {
        return pixelY(placeOnAxis(picture_, picture_.points[point], amount));
    };
    const double cap = owner_.look().px(4);
    painter.setPen(QPen(owner_.look().color(Role::text), 1.5));
    painter.drawLine(QPointF(x, y(row.low)), QPointF(x, y(row.high)));
    for (const double end : {y(row.low), y(row.high)})
        painter.drawLine(QPointF(x - cap, end), QPointF(x + cap, end));
}

void RunArt::draw(QCPPainter* painter) {
    const QRectF rect = area();
    if (rect.width() < 20 || rect.height() < 20)
        return;
    painter->setAntialiasing(true);
    LabelPlacer labels(rect);
    const double half = pointSize() / 2;
    for (int i = 0; i < picture_.points.size(); ++i) {
        const QPointF at = place(i);
        labels.keepFree(QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half));
    }
    drawBands(*painter, labels);
    labels.paint(*painter, owner_.look().color(Role::base));
    painter->setClipRect(rect.adjusted(-half, -half, half, half));
    const auto isBack = [this](int i) { return emphasis_ >= 0 && picture_.points[i].place != emphasis_; };
    for (const bool back : {true, false}) {
        painter->setOpacity(back ? standBack : 1);
        for (int i = 0; i < picture_.points.size(); ++i)
            if (i != selected_ && isBack(i) == back)
                drawPoint(*painter, i);
    }
    if (selected_ < 0 || selected_ >= picture_.points.size())
        return;
    drawWhisker(*painter, selected_);
    const double radius = owner_.look().px(runRing);
    painter->setBrush(owner_.look().color(Role::base));
    painter->setPen(QPen(owner_.look().color(Role::text), 1.5));
    painter->drawEllipse(place(selected_), radius, radius);
    drawPoint(*painter, selected_);
}

} // namespace alidade::views
