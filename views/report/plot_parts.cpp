// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/plot_parts.h"

#include <QFontMetricsF>

#include <array>
#include <cmath>

namespace alidade::views {

std::vector<double> linearTicks(double largest, int count) {
    if (!(largest > 0) || !std::isfinite(largest))
        return {0};
    const double rough = largest / count;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : std::array{1.0, 2.0, 2.5, 5.0})
        if (factor * power >= rough * 0.999) {
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    const int last = static_cast<int>(std::ceil(largest / step - 1e-9));
    for (int i = 0; i <= last; ++i)
        ticks.push_back(i * step);
    return ticks;
}

QString tickText(double value, const ScaledUnit& unit) {
    return fromUtf8(formatQuantity(value / unit.factor, Dimension::number,
                                   {.significant = 6, .trimZeros = true, .fixed = {}}));
}

QString shortened(const QString& text, double width, int pixelSize, bool strong) {
    return QFontMetricsF(reportFont(pixelSize, strong)).elidedText(text, Qt::ElideRight, width);
}

double drawLegend(Drawing& drawing, double left, double top, double width,
                  const std::vector<LegendEntry>& entries, const Theme& theme) {
    constexpr double gap = 18, lineHeight = 20, mark = 21;
    double x = left, y = top;
    for (const LegendEntry& entry : entries) {
        const double nameWidth = textWidth(entry.name, smallPixels);
        const double valueWidth = entry.value.isEmpty() ? 0 : 4 + textWidth(entry.value, smallPixels, true);
        if (x > left && x + mark + nameWidth + valueWidth > left + width) {
            x = left;
            y += lineHeight;
        }
        if (entry.bound)
            drawing.tag({x, y}, *entry.bound, theme);
        else
            drawing.shapes.push_back(DrawnRect{QRectF(x + 2, y + 2, 12, 12), entry.color});
        drawing.text({x + mark, y + 12.5}, entry.name, smallPixels, theme.color(Role::text2));
        if (!entry.value.isEmpty())
            drawing.text({x + mark + nameWidth + 4, y + 12.5}, entry.value, smallPixels,
                         theme.color(Role::text), TextAlign::start, true);
        x += mark + nameWidth + valueWidth + gap;
    }
    return y + lineHeight;
}

} // namespace alidade::views
