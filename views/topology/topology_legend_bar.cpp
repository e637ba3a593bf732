// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_legend_bar.h"

#include "views/theme/theme_controller.h"

#include <QPainter>

namespace alidade::views {
namespace {

constexpr int legendHeight = 26, swatchWidth = 14, swatchHeight = 11; // logical pixels at 10 pt

} // namespace

TopologyLegendBar::TopologyLegendBar(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Legend"));
    connect(&ThemeController::instance(), &ThemeController::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize TopologyLegendBar::sizeHint() const { return {400, theme().px(legendHeight)}; }

void TopologyLegendBar::setLegend(const TopologyLegend& legend) {
    legend_ = legend;
    QStringList words{legend.title};
    for (const TopologySwatch& step : legend.steps)
        words.append(step.text);
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

void TopologyLegendBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& look = theme();
    painter.fillRect(rect(), look.color(Role::base));
    const QFont small = look.font(FontRole::small);
    const QFontMetricsF metrics(small);
    painter.setFont(small);
    double x = look.px(14);
    const double base = height() / 2.0 + metrics.ascent() / 2 - 1;
    if (!legend_.title.isEmpty()) {
        painter.setPen(look.color(Role::text));
        painter.drawText(QPointF(x, base), legend_.title);
        x += metrics.horizontalAdvance(legend_.title) + look.px(12);
    }
    for (const TopologySwatch& step : legend_.steps) {
        const QRectF box(std::round(x), std::round(height() / 2.0 - look.px(swatchHeight) / 2.0),
                         look.px(swatchWidth), look.px(swatchHeight));
        const double width = metrics.horizontalAdvance(step.text);
        if (box.right() + width + look.px(6) > this->width())
            break;
        const QColor color = QColor::fromRgb(step.fill);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(step.outline ? color : look.color(Role::line2), step.outline ? 2 : 1));
        painter.setBrush(step.outline   ? QBrush(Qt::NoBrush)
                         : step.hatched ? QBrush(color, Qt::BDiagPattern)
                         : step.crossed ? QBrush(color, Qt::DiagCrossPattern)
                                        : QBrush(color));
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(look.color(Role::text2));
        painter.drawText(QPointF(box.right() + look.px(5), base), step.text);
        x = box.right() + look.px(5) + width + look.px(legend_.ramp ? 10 : 16);
    }
}

} // namespace alidade::views
