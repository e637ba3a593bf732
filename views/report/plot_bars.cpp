// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <algorithm>
#include <set>

namespace alidade::views {
namespace {

constexpr double labeledFrom = 22; // px: a segment narrower than this has its letter in the legend only
constexpr double smallestSegment = 2;

double barSum(const data::PlotBar& bar) {
    double sum = 0;
    for (const auto& s : bar.segments)
        sum += drawable(s.value);
    return sum;
}

/// Draws the segments of one bar; `scale` is px per unit.
void drawSegments(Drawing& d, const data::PlotBar& bar, const QRectF& place, double scale,
                  const Theme& theme) {
    double x = place.left();
    for (const data::PlotSegment& s : bar.segments) {
        const double full = drawable(s.value) * scale;
        if (full == 0 || !s.bound)
            continue;
        const double width = std::max(full > 3 ? full - 1 : full, smallestSegment);
        const QRectF rect(x, place.top(), width, place.height());
        d.shapes.push_back(DrawnClass{rect, *s.bound});
        if (full >= labeledFrom && place.height() >= 16) {
            const QRectF plate(rect.center().x() - 7.5, rect.center().y() - 7, 15, 14);
            d.shapes.push_back(DrawnRect{plate, theme.color(Role::base), 3});
            d.text(plate.center() + QPointF(0, 4), theme.classStyle(*s.bound).letter, 11,
                   theme.color(Role::text), TextAlign::middle, true);
        }
        x += std::max(full, smallestSegment + 1);
    }
}

struct ValueAxis {
    std::vector<double> ticks;
    ScaledUnit unit;
    double scale = 1; ///< px per SI unit
};

/// Grid and tick texts of a horizontal axis from `left`; returns where the next thing may begin.
ValueAxis drawValueAxis(Drawing& d, Dimension dimension, double largest, const QRectF& area,
                        const Theme& theme) {
    ValueAxis axis{.ticks = {}, .unit = chooseUnit(dimension, largest)};
    for (const double tick : linearTicks(largest / axis.unit.factor, 5))
        axis.ticks.push_back(tick * axis.unit.factor);
    axis.scale = axis.ticks.back() > 0 ? area.width() / axis.ticks.back() : 1;
    for (const double tick : axis.ticks) {
        const double x = area.left() + tick * axis.scale;
        d.line({x, area.top()}, {x, area.bottom()}, theme.color(Role::grid));
        d.text({x, area.bottom() + 15}, tickText(tick, axis.unit), smallPixels, theme.color(Role::text2),
               TextAlign::middle);
    }
    d.line({area.left(), area.bottom()}, {area.right(), area.bottom()}, theme.color(Role::line2));
    return axis;
}

QString withUnit(const QString& title, const ScaledUnit& unit) {
    return unit.label.empty() ? title : title + QStringLiteral(", ") + fromUtf8(std::string(unit.label));
}

double widest(const QStringList& texts, bool strong = false) {
    double width = 0;
    for (const QString& text : texts)
        width = std::max(width, textWidth(text, smallPixels, strong));
    return width;
}

} // namespace

Drawing drawStepBar(const data::StepBar& plot, const Theme& theme, double width) {
    Drawing d{.width = width, .height = 0, .shapes = {}};
    const double total = barSum(plot.bar);
    std::size_t thin = 0; // widened segments take their width from the scale
    for (const auto& s : plot.bar.segments)
        thin += drawable(s.value) * width < (smallestSegment + 1) * total ? 1U : 0U;
    const double scale = total > 0 ? (width - double(thin) * (smallestSegment + 1)) / total : 1;
    drawSegments(d, plot.bar, {0, 0, width, 20}, scale, theme);
    std::vector<LegendEntry> legend;
    for (const auto& s : plot.bar.segments)
        legend.push_back({s.bound, {}, fromUtf8(s.name), fromUtf8(s.text)});
    d.height = drawLegend(d, 0, 28, width, legend, theme);
    return d;
}

Drawing drawStackedBars(const data::StackedBars& plot, const QString& title, const Theme& theme,
                        double width) {
    constexpr double pitch = 24, barHeight = 16, top = 22;
    QStringList labels, totals;
    double largest = 0;
    for (const auto& bar : plot.bars) {
        labels << fromUtf8(bar.label);
        totals << fromUtf8(bar.total);
        largest = std::max(largest, barSum(bar));
    }
    const double left = std::min(widest(labels), width * 0.35) + 10;
    const double count = double(plot.bars.size());
    Drawing d{.width = width, .height = 0, .shapes = {}};
    const QRectF area(left, top, width - left - widest(totals, true) - 14, count * pitch + 6);
    const ValueAxis axis = drawValueAxis(d, plot.dimension, largest, area, theme);
    d.text({0, 12}, withUnit(title, axis.unit), smallPixels, theme.color(Role::text2));
    std::set<int> used;
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < plot.bars.size(); ++i) {
        const auto& bar = plot.bars[i];
        const double y = top + 4 + double(i) * pitch;
        d.text({left - 8, y + 12}, shortened(labels[qsizetype(i)], left - 8, smallPixels), smallPixels,
               theme.color(Role::text), TextAlign::end);
        drawSegments(d, bar, {left, y, area.width(), barHeight}, axis.scale, theme);
        d.text({left + barSum(bar) * axis.scale + 8, y + 12}, totals[qsizetype(i)], smallPixels,
               theme.color(Role::text), TextAlign::start, true);
        for (const auto& s : bar.segments)
            if (s.bound && used.insert(stackPosition(*s.bound)).second)
                legend.push_back({s.bound, {}, fromUtf8(s.name)});
    }
    std::ranges::sort(legend, {}, [](const LegendEntry& e) { return stackPosition(*e.bound); });
    d.height = drawLegend(d, 0, area.bottom() + 28, width, legend, theme);
    return d;
}

Drawing drawRangeBars(const data::RangeBars& plot, const QString& title, const Theme& theme, double width) {
    constexpr double pitch = 26, barHeight = 16, top = 22;
    QStringList labels, texts;
    double largest = 0;
    for (const auto& bar : plot.bars) {
        labels << fromUtf8(bar.label);
        texts << fromUtf8(bar.text);
        largest = std::max({largest, drawable(bar.value), drawable(bar.high.value_or(0))});
    }
    const double left = std::min(widest(labels), width * 0.4) + 10;
    Drawing d{.width = width, .height = 0, .shapes = {}};
    const QRectF area(left, top, width - left - widest(texts) - 14, double(plot.bars.size()) * pitch + 6);
    const ValueAxis axis = drawValueAxis(d, plot.dimension, largest, area, theme);
    d.text({0, 12}, withUnit(title, axis.unit), smallPixels, theme.color(Role::text2));
    const QColor ink = theme.color(Role::text);
    for (std::size_t i = 0; i < plot.bars.size(); ++i) {
        const auto& bar = plot.bars[i];
        const double y = top + 5 + double(i) * pitch, middle = y + barHeight / 2;
        const auto x = [&](double v) { return left + v * axis.scale; };
        d.text({left - 8, y + 12}, shortened(labels[qsizetype(i)], left - 8, smallPixels), smallPixels, ink,
               TextAlign::end);
        d.shapes.push_back(DrawnRect{QRectF(left, y, drawable(bar.value) * axis.scale, barHeight),
                                     theme.memoryColor(MemoryTone::held3)});
        double end = x(drawable(bar.value));
        if (bar.low && bar.high && std::isfinite(*bar.low) && std::isfinite(*bar.high)) {
            d.line({x(*bar.low), middle}, {x(*bar.high), middle}, ink, 1.25);
            for (const double v : {*bar.low, *bar.high})
                d.line({x(v), middle - 4}, {x(v), middle + 4}, ink, 1.25);
            end = std::max(end, x(*bar.high));
        }
        d.text({end + 8, y + 12}, texts[qsizetype(i)], smallPixels, theme.color(Role::text2));
    }
    d.height = area.bottom() + 22;
    return d;
}

} // namespace alidade::views
