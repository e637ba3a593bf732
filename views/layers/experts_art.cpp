// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/experts_art.h"

#include "views/kit/paint.h"
#include "views/kit/plot_base.h"
#include "views/layers/names.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double barFill = 0.82;       // of the width that a bar has
constexpr double paddingOpacity = 0.4; // of rows that are computed for nothing
constexpr double wordGap = 16;         // px, between the words of lines at the same height

QString ratioText(double value, double mean) {
    return QLocale::c().toString(mean > 0 ? value / mean : 0, 'f', 2) + QStringLiteral(" ×");
}

} // namespace

ExpertsArt::ExpertsArt(PlotBase& owner)
    : PlotArt(owner) {
    setLayer(QStringLiteral("axes"));
}

QRectF ExpertsArt::barRect(int index) const {
    const QCPAxis& axis = *parentPlot()->xAxis;
    const double left = axis.coordToPixel(index + 1 - barFill / 2);
    const double right = axis.coordToPixel(index + 1 + barFill / 2);
    const double top = pixelY(loads_.loads[index]);
    return {left, top, std::max(right - left, 1.0), pixelY(0) - top};
}

void ExpertsArt::draw(QCPPainter* painter) {
    painter->save();
    painter->setAntialiasing(false);
    painter->setClipRect(parentPlot()->axisRect()->rect().adjusted(0, -2, 0, 0));
    for (int i = 0; i < loads_.loads.size(); ++i)
        drawBar(*painter, i);
    painter->restore();
    drawLines(*painter);
    if (selected_ >= 0 && selected_ < loads_.loads.size()) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(owner_.look().color(Role::text), 2));
        painter->drawRect(barRect(selected_).adjusted(-1, -1, 1, 0));
    }
}

/// The load, and above it what is computed or waited for in vain.
void ExpertsArt::drawBar(QCPPainter& painter, int index) const {
    const Theme& look = owner_.look();
    const QRectF bar = barRect(index);
    paintClassFill(painter, bar, Bound::compute, 1, look);
    const auto above = [&](double tokens, Bound bound, double opacity) {
        QRectF rect = bar;
        rect.setTop(pixelY(tokens));
        rect.setBottom(bar.top());
        if (rect.height() > 0.5)
            paintClassFill(painter, rect, bound, opacity, look);
    };
    if (loads_.capacity)
        above(*loads_.capacity, Bound::compute, paddingOpacity);
    else if (loads_.busiest > 0)
        above(loads_.busiest, Bound::straggler, 1);
    else if (loads_.padded > loads_.mean)
        above(loads_.loads[index] + loads_.padded - loads_.mean, Bound::compute, paddingOpacity);
}

QList<ExpertsArt::Line> ExpertsArt::lines() const {
    QList<Line> lines{
        {loads_.mean, LayersText::tr("mean %1").arg(tokensText(loads_.mean)), Role::text2, true}};
    if (loads_.busiest > 0 && !loads_.capacity && loads_.loads.size() > 1)
        lines.append({loads_.busiest,
                      LayersText::tr("busiest in the estimate %1, %2")
                          .arg(tokensText(loads_.busiest), ratioText(loads_.busiest, loads_.mean)),
                      Role::text, false});
    if (loads_.capacity)
        lines.append({*loads_.capacity,
                      LayersText::tr("capacity %1, %2")
                          .arg(tokensText(*loads_.capacity), ratioText(*loads_.capacity, loads_.mean)),
                      Role::err, false});
    if (loads_.padded > loads_.mean && !loads_.capacity)
        lines.append({loads_.padded, LayersText::tr("with padding %1").arg(tokensText(loads_.padded)),
                      Role::text, false});
    std::ranges::sort(lines, std::greater(), &Line::tokens);
    return lines;
}

/// Words are above the highest line, side by side where the lines are close.
void ExpertsArt::drawLines(QCPPainter& painter) const {
    const Theme& look = owner_.look();
    const QRectF plot = parentPlot()->axisRect()->rect();
    painter.setFont(look.font(FontRole::small));
    const QFontMetricsF metrics(painter.font());
    double right = plot.right();
    double lastY = -1e9;
    double wordsY = 0;
    for (const Line& line : lines()) {
        const double y = std::round(pixelY(line.tokens)) + 0.5;
        QPen pen(look.color(line.ink), line.dashed ? 1.25 : 1.5);
        if (line.dashed)
            pen.setDashPattern({6, 3});
        pen.setCapStyle(Qt::FlatCap);
        painter.setPen(pen);
        if (y >= plot.top() && y <= plot.bottom())
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        // Too close under the line before: to the left of its words.
        if (y - lastY > metrics.height() + 4) {
            right = plot.right();
            wordsY = y - metrics.height() - 1;
        }
        lastY = y;
        const double width = metrics.horizontalAdvance(line.words);
        const QRectF box(right - width, wordsY, width, metrics.height());
        QColor ground = look.color(Role::base);
        ground.setAlphaF(0.88F);
        painter.fillRect(box.adjusted(-3, 0, 3, 0), ground);
        painter.setPen(look.color(line.ink));
        painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip, line.words);
        right -= width + wordGap;
    }
}

} // namespace alidade::views
