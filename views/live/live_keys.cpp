// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_keys.h"

#include "views/live/node_image.h"
#include "views/theme/theme_controller.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace alidade::views {
namespace {

constexpr double swatchWidth = 26, keyGap = 6, rampWidth = 110;

QFontMetricsF keyMetrics() { return QFontMetricsF(theme().font(FontRole::small)); }

/// Draws the words and returns where they end.
double sayAt(QPainter& painter, double x, double height, const QString& words) {
    const double wide = keyMetrics().horizontalAdvance(words);
    painter.setPen(theme().color(Role::text2));
    painter.drawText(QRectF(x, 0, wide + 2, height), Qt::AlignLeft | Qt::AlignVCenter, words);
    return x + wide;
}

QString slowEnd() { return NodeKey::tr("%1 × median").arg(1 + fullDeviation); }
QString fastEnd() { return QString::number(1 - fullDeviation); }

} // namespace

QColor stoodStill(const Theme& look) { return look.color(Role::line); }

ChartKey::ChartKey(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Dashed line in a band: plan, low to high. Plain line: measured."));
}

QSize ChartKey::sizeHint() const {
    const double words = keyMetrics().horizontalAdvance(tr("plan, low–high") + tr("measured"));
    return {static_cast<int>(std::ceil(words + 2 * swatchWidth + 5 * keyGap)),
            static_cast<int>(std::ceil(keyMetrics().height()))};
}

void ChartKey::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setFont(look.font(FontRole::small));
    const double middle = std::round(height() / 2.0) + 0.5;
    QColor band = look.color(Role::accent);
    band.setAlphaF(0.25F);
    painter.fillRect(QRectF(0, middle - 4, swatchWidth, 8), band);
    QPen plan(look.color(Role::accent), 1.5);
    plan.setDashPattern({6, 3});
    painter.setPen(plan);
    painter.drawLine(QPointF(0, middle), QPointF(swatchWidth, middle));
    double x = sayAt(painter, swatchWidth + keyGap, height(), tr("plan, low–high")) + 2 * keyGap;
    painter.setPen(QPen(look.color(Role::measured), 1.5));
    painter.drawLine(QPointF(x, middle), QPointF(x + swatchWidth - 6, middle));
    x += swatchWidth - 6 + keyGap;
    sayAt(painter, x, height(), tr("measured"));
}

NodeKey::NodeKey(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(tr("Color from %1 to %2; gray: no step; hatched: no data.").arg(fastEnd(), slowEnd()));
}

QSize NodeKey::sizeHint() const {
    const double words =
        keyMetrics().horizontalAdvance(fastEnd() + slowEnd() + tr("no step") + tr("no data"));
    return {static_cast<int>(std::ceil(words + rampWidth + 2 * 14 + 9 * keyGap)),
            static_cast<int>(std::ceil(keyMetrics().height()))};
}

void NodeKey::paintEvent(QPaintEvent*) {
    const Theme& look = theme();
    QPainter painter(this);
    painter.setFont(look.font(FontRole::small));
    const double top = std::round(height() / 2.0) - 5;
    double x = sayAt(painter, 0, height(), fastEnd()) + keyGap;
    for (int i = 0; i < int(rampWidth); ++i) {
        const double deviation = (2 * (i + 0.5) / rampWidth - 1) * fullDeviation;
        painter.fillRect(QRectF(x + i, top, 1, 10), look.diverging(deviation, fullDeviation));
    }
    x = sayAt(painter, x + rampWidth + keyGap, height(), slowEnd()) + 2 * keyGap;
    painter.fillRect(QRectF(x, top, 14, 10), stoodStill(look));
    x = sayAt(painter, x + 14 + keyGap, height(), tr("no step")) + 2 * keyGap;
    painter.fillRect(QRectF(x, top, 14, 10), look.color(Role::sunken));
    painter.fillRect(QRectF(x, top, 14, 10), QBrush(look.color(Role::line2), Qt::BDiagPattern));
    sayAt(painter, x + 14 + keyGap, height(), tr("no data"));
}

} // namespace alidade::views
