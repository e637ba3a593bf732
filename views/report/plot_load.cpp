// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/label_placer.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double plotHeight = 118, titleHeight = 24;

/// Where values of both axes lie on the page.
struct Axes {
    QRectF area;
    double mostLoad = 1, mostSeconds = 1;

    QPointF at(double load, double seconds) const {
        return {area.left() + load / mostLoad * area.width(),
                area.bottom() - seconds / mostSeconds * area.height()};
    }
};

/// The end of an axis of seconds: the target and the present point well inside it, and no more of the steep
/// end than that.
double axisEnd(const data::LoadPanel& panel) {
    double most = 0;
    for (const data::LoadLine& line : panel.lines)
        for (const double value : line.seconds)
            most = std::max(most, drawable(value));
    const double wanted =
        std::max(panel.target ? drawable(panel.target->value) : 0, drawable(panel.present.value_or(0)));
    return wanted > 0 ? std::min(std::max(most, wanted * 1.15), wanted * 1.9) : most;
}

/// The part of a curve that is below the end of the axis.
QPolygonF clipped(const std::vector<double>& loads, const std::vector<double>& seconds, const Axes& axes) {
    QPolygonF out;
    for (std::size_t i = 0; i < std::min(loads.size(), seconds.size()); ++i) {
        const bool inside = std::isfinite(seconds[i]) && seconds[i] <= axes.mostSeconds;
        if (inside) {
            out << axes.at(loads[i], drawable(seconds[i]));
            continue;
        }
        if (i > 0 && !out.isEmpty() && std::isfinite(seconds[i])) {
            const double share = (axes.mostSeconds - seconds[i - 1]) / (seconds[i] - seconds[i - 1]);
            out << axes.at(loads[i - 1] + share * (loads[i] - loads[i - 1]), axes.mostSeconds);
        }
        break;
    }
    return out;
}

void drawGrid(Drawing& d, const Axes& axes, const std::vector<double>& ticks, const ScaledUnit& unit,
              const Theme& theme) {
    const QColor text = theme.color(Role::text2), grid = theme.color(Role::grid);
    for (const double tick : ticks) {
        const double y = axes.at(0, tick).y();
        d.line({axes.area.left(), y}, {axes.area.right(), y}, grid);
        d.text({axes.area.left() - 7, y + 4}, tickText(tick, unit), smallPixels, text, TextAlign::end);
    }
    for (const double tick : linearTicks(axes.mostLoad, 4))
        if (tick <= axes.mostLoad * 1.0001)
            d.text({axes.at(tick, 0).x(), axes.area.bottom() + 15}, tickText(tick, {}), smallPixels, text,
                   TextAlign::middle);
    d.line(axes.area.bottomLeft(), axes.area.bottomRight(), theme.color(Role::line2));
}

bool meets(const QPolygonF& curve, const QRectF& rect) {
    for (qsizetype i = 1; i < curve.size(); ++i)
        if (lineMeets({curve[i - 1], curve[i]}, rect))
            return true;
    return false;
}

/// The value at the present point: next to it where neither a curve nor the line of the target, with its
/// words, is in the way.
void drawPresent(Drawing& d, const Axes& axes, const QPointF& point, const data::LoadPanel& panel,
                 const std::vector<QPolygonF>& curves, const QColor& ink) {
    const QString text = fromUtf8(panel.presentText);
    const double wide = textWidth(text, smallPixels);
    const double target = panel.target ? axes.at(0, panel.target->value).y() : -100;
    d.shapes.push_back(DrawnCircle{point, 4, ink});
    std::vector<QPointF> tries; // left end of the base line
    for (const double down : {-7.0, 16.0, -20.0, 29.0, -33.0, 42.0})
        for (const double left : {-6.0 - wide, 6.0})
            tries.push_back(point + QPointF(left, down));
    const auto isFree = [&](const QPointF& base) {
        const QRectF rect(base.x() - 1, base.y() - 11, wide + 2, 13);
        return axes.area.contains(rect) && (rect.bottom() < target - 18 || target + 1 < rect.top()) &&
               std::ranges::none_of(curves, [&](const QPolygonF& curve) { return meets(curve, rect); });
    };
    const auto place = std::ranges::find_if(tries, isFree);
    d.text(place == tries.end() ? tries.front() : *place, text, smallPixels, ink);
}

void drawPanel(Drawing& d, const data::LoadCurves& plot, const data::LoadPanel& panel, const QRectF& place,
               const Theme& theme) {
    const double end = axisEnd(panel);
    const ScaledUnit unit = chooseUnit(Dimension::seconds, end);
    std::vector<double> ticks = linearTicks(end / unit.factor, 4);
    for (double& tick : ticks)
        tick *= unit.factor;
    double labels = 0;
    for (const double tick : ticks)
        labels = std::max(labels, textWidth(tickText(tick, unit), smallPixels));
    Axes axes{.area = place.adjusted(labels + 9, titleHeight, -12, 0),
              .mostLoad = std::max(plot.loads.back(), plot.present),
              .mostSeconds = ticks.back()};
    const QColor ink = theme.color(Role::text);
    QString title = fromUtf8(panel.title);
    title[0] = title[0].toUpper();
    d.text({place.left(), place.top() + 12}, title + QStringLiteral(", ") + fromUtf8(std::string(unit.label)),
           smallPixels, theme.color(Role::text2));
    if (plot.breaks) {
        const double x = axes.at(*plot.breaks, 0).x();
        d.shapes.push_back(DrawnRect{QRectF(QPointF(x, axes.area.top()), axes.area.bottomRight()),
                                     theme.color(Role::errBg)});
    }
    drawGrid(d, axes, ticks, unit, theme);
    if (panel.target) {
        const double y = axes.at(0, panel.target->value).y();
        d.line({axes.area.left(), y}, {axes.area.right(), y}, theme.color(Role::err), 1.25, {5, 3});
        d.text({axes.area.left() + 4, y - 4}, fromUtf8(panel.target->text), smallPixels,
               theme.color(Role::err));
    }
    const double x = axes.at(plot.present, 0).x();
    d.line({x, axes.area.top()}, {x, axes.area.bottom()}, ink);
    std::vector<QPolygonF> curves;
    for (const data::LoadLine& line : panel.lines) {
        curves.push_back(clipped(plot.loads, line.seconds, axes));
        d.shapes.push_back(DrawnLine{curves.back(),
                                     theme.color(line.strong ? Role::accent : Role::text2),
                                     line.strong ? 2.0 : 1.0,
                                     {}});
    }
    if (panel.present && drawable(*panel.present) > 0)
        drawPresent(d, axes, axes.at(plot.present, *panel.present), panel, curves, ink);
}

} // namespace

Drawing drawLoadCurves(const data::LoadCurves& plot, const Theme& theme, double width) {
    constexpr double gap = 22;
    Drawing d{.width = width, .height = 0, .shapes = {}};
    if (plot.loads.empty() || plot.panels.empty())
        return d;
    const double count = double(plot.panels.size());
    const double each = (width - gap * (count - 1)) / count;
    for (std::size_t i = 0; i < plot.panels.size(); ++i)
        drawPanel(d, plot, plot.panels[i],
                  QRectF(double(i) * (each + gap), 0, each, titleHeight + plotHeight), theme);
    std::vector<LegendEntry> legend;
    for (const data::LoadLine& line : plot.panels.front().lines)
        legend.push_back({{}, theme.color(line.strong ? Role::accent : Role::text2), fromUtf8(line.name)});
    legend.push_back({{}, theme.color(Role::text), fromUtf8(plot.presentText)});
    if (plot.breaks)
        legend.push_back({{}, theme.color(Role::errBg), QStringLiteral("a target is missed")});
    const double bottom = titleHeight + plotHeight + 22;
    d.height = drawLegend(d, 0, bottom, width * 0.6, legend, theme);
    d.text({width - 12, bottom + 12.5}, fromUtf8(plot.loadTitle), smallPixels, theme.color(Role::text2),
           TextAlign::end);
    return d;
}

} // namespace alidade::views
