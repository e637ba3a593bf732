// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/theme.h"

#include <QPainter>
#include <QPixmap>
#include <QPixmapCache>
#include <QTransform>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double cutOpacity = 0.42;  // of the stripes that are cut out of a fill
constexpr double paleOpacity = 0.26; // of the fill of the waiting classes

QColor mixed(const QColor& ground, const QColor& color, double share) {
    const auto mix = [share](int from, int to) { return qRound(from + (to - from) * share); };
    return {mix(ground.red(), color.red()), mix(ground.green(), color.green()),
            mix(ground.blue(), color.blue())};
}

/// A tile of the texture drawn in logical pixels; diagonals need a wider one for the same line distance.
double tileSize(Texture texture) {
    return texture == Texture::diagonal || texture == Texture::backDiagonal ? 8 : 6;
}

void drawDiagonal(QPainter& painter, const QColor& cut, bool forward) {
    painter.setPen(QPen(cut, 1.6, Qt::SolidLine, Qt::FlatCap));
    for (const double shift : {-8.0, 0.0, 8.0})
        if (forward)
            painter.drawLine(QPointF(shift - 2, 10), QPointF(shift + 10, -2));
        else
            painter.drawLine(QPointF(shift - 2, -2), QPointF(shift + 10, 10));
}

void drawTexture(QPainter& painter, const ClassStyle& style) {
    QColor cut = style.ground;
    cut.setAlphaF(static_cast<float>(cutOpacity));
    switch (style.texture) {
    case Texture::solid:
        break;
    case Texture::diagonal:
    case Texture::backDiagonal:
        drawDiagonal(painter, cut, style.texture == Texture::diagonal);
        break;
    case Texture::dots:
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.color);
        painter.drawEllipse(QPointF(1.5, 1.5), 0.95, 0.95);
        painter.drawEllipse(QPointF(4.5, 4.5), 0.95, 0.95);
        break;
    case Texture::lines:
        painter.fillRect(QRectF(0, 1, 6, 1), style.color);
        painter.fillRect(QRectF(0, 4, 6, 1), style.color);
        break;
    case Texture::vertical:
        painter.fillRect(QRectF(4, 0, 2, 6), cut);
        break;
    }
}

} // namespace

QColor ClassStyle::vectorGround() const {
    const bool pale = texture == Texture::dots || texture == Texture::lines;
    return pale ? mixed(ground, color, paleOpacity) : color;
}

QBrush ClassStyle::brush(double devicePixelRatio) const {
    if (texture == Texture::solid)
        return color;
    const double size = tileSize(texture);
    const int pixels = qMax(1, static_cast<int>(std::lround(size * devicePixelRatio)));
    const QString key = QStringLiteral("alidade-texture-%1-%2-%3-%4")
                            .arg(static_cast<int>(texture))
                            .arg(color.rgb())
                            .arg(ground.rgb())
                            .arg(pixels);
    QPixmap tile;
    if (!QPixmapCache::find(key, &tile)) {
        tile = QPixmap(pixels, pixels);
        tile.fill(vectorGround());
        QPainter painter(&tile);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(pixels / size, pixels / size);
        drawTexture(painter, *this);
        painter.end();
        QPixmapCache::insert(key, tile);
    }
    QBrush brush(tile);
    brush.setTransform(QTransform::fromScale(size / pixels, size / pixels));
    return brush;
}

QBrush ClassStyle::vectorPattern() const {
    const QColor cut = mixed(color, ground, cutOpacity);
    switch (texture) {
    case Texture::solid:
        return Qt::NoBrush;
    case Texture::diagonal:
        return {cut, Qt::BDiagPattern};
    case Texture::backDiagonal:
        return {cut, Qt::FDiagPattern};
    case Texture::dots:
        return {color, Qt::Dense6Pattern};
    case Texture::lines:
        return {color, Qt::HorPattern};
    case Texture::vertical:
        return {cut, Qt::VerPattern};
    }
    Q_UNREACHABLE();
}

} // namespace alidade::views
