// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/kit/label_placer.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <tuple>

namespace alidade::views {
namespace {

/// A logarithmic axis over whole decades, or thirds of one at its ends.
struct LogAxis {
    double low = 1, high = 10; ///< in the unit of the axis
    double from = 0, to = 1;   ///< px

    double at(double v) const {
        return from + (std::log10(v) - std::log10(low)) / (std::log10(high) - std::log10(low)) * (to - from);
    }
};

/// The nearest 1, 2 or 5 times a power of ten that is not above (below) a value.
double roundedDown(double v) {
    const double power = std::pow(10.0, std::floor(std::log10(v)));
    return v / power >= 5 ? 5 * power : v / power >= 2 ? 2 * power : power;
}
double roundedUp(double v) {
    const double power = std::pow(10.0, std::floor(std::log10(v)));
    return v / power <= 2 ? 2 * power : v / power <= 5 ? 5 * power : 10 * power;
}

std::vector<double> logTicks(const LogAxis& axis) {
    const bool few = axis.high / axis.low < 40; // below this decades alone say too little
    std::vector<double> ticks;
    if (!(axis.low > 0) || !std::isfinite(axis.high))
        return ticks;
    const int first = static_cast<int>(std::floor(std::log10(axis.low)));
    const int last = static_cast<int>(std::floor(std::log10(std::max(axis.high * 1.001, axis.low))));
    for (int decade = first; decade <= last; ++decade)
        for (const double factor : {1.0, 2.0, 5.0})
            if (const double tick = factor * std::pow(10.0, decade);
                (factor == 1 || few) && tick >= axis.low * 0.999 && tick <= axis.high * 1.001)
                ticks.push_back(tick);
    return ticks;
}

/// Puts labels next to points where they cover neither a label nor a point.
class Labels {
public:
    explicit Labels(QRectF area)
        : area_(area) {}
    void block(const QRectF& rect) { taken_.push_back(rect); }
    void block(const QLineF& line) { lines_.push_back(line); }

    void place(Drawing& d, const QPointF& point, const QString& text, const QColor& color) {
        const double w = textWidth(text, smallPixels);
        const std::array<QPointF, 10> tries{QPointF(9, 4),       QPointF(-9 - w, 4),  QPointF(-w / 2, -9),
                                            QPointF(-w / 2, 19), QPointF(9, 17),      QPointF(-9 - w, -8),
                                            QPointF(9, -8),      QPointF(-9 - w, 17), QPointF(9, 30),
                                            QPointF(-9 - w, 30)};
        for (const QPointF& shift : tries) {
            const QRectF rect(point.x() + shift.x(), point.y() + shift.y() - 11, w, 14);
            const auto hits = [&](const QRectF& other) { return other.intersects(rect); };
            if (!area_.contains(rect) || std::ranges::any_of(taken_, hits) || crosses(rect))
                continue;
            taken_.push_back(rect);
            d.text(point + shift, text, smallPixels, color);
            return;
        }
    }

private:
    bool crosses(const QRectF& rect) const {
        return std::ranges::any_of(lines_, [&](const QLineF& line) { return lineMeets(line, rect); });
    }

    QRectF area_;
    std::vector<QRectF> taken_;
    std::vector<QLineF> lines_;
};

struct RooflineScale {
    LogAxis x, y;
    ScaledUnit unit; ///< of y
};

RooflineScale scaleOf(const data::Roofline& plot, const QRectF& area) {
    double xLow = 1e300, xHigh = 0, yLow = 1e300, yHigh = 0;
    for (const auto& p : plot.points) {
        xLow = std::min(xLow, p.intensity);
        xHigh = std::max(xHigh, p.intensity);
        yLow = std::min(yLow, p.flopPerSecond);
        yHigh = std::max(yHigh, p.flopPerSecond);
    }
    for (const auto& roof : plot.roofs) {
        yLow = std::min(yLow, roof.flopPerSecond);
        yHigh = std::max(yHigh, roof.flopPerSecond);
        if (plot.bytesPerSecond > 0) {
            xLow = std::min(xLow, roof.flopPerSecond / plot.bytesPerSecond / 4);
            xHigh = std::max(xHigh, roof.flopPerSecond / plot.bytesPerSecond * 4);
        }
    }
    yLow = std::min(yLow, yHigh / 8);
    RooflineScale s{.x = {}, .y = {}, .unit = chooseUnit(Dimension::flopPerSecond, yHigh)};
    s.x = {roundedDown(xLow / 1.3), roundedUp(xHigh * 1.3), area.left(), area.right()};
    s.y = {roundedDown(yLow / 1.2), roundedUp(yHigh * 1.15), area.bottom(), area.top()};
    return s;
}

/// The y axis in the unit that it is labeled with.
LogAxis inUnit(const RooflineScale& s) {
    return {s.y.low / s.unit.factor, s.y.high / s.unit.factor, s.y.from, s.y.to};
}

void drawAxes(Drawing& d, const RooflineScale& s, const QRectF& area, const Theme& theme) {
    const QColor grid = theme.color(Role::grid), ticks = theme.color(Role::text2);
    for (const double tick : logTicks(s.x)) {
        d.line({s.x.at(tick), area.top()}, {s.x.at(tick), area.bottom()}, grid);
        const bool atEnd = s.x.at(tick) > area.right() - 12;
        d.text({s.x.at(tick), area.bottom() + 15}, tickText(tick, {}), smallPixels, ticks,
               atEnd ? TextAlign::end : TextAlign::middle);
    }
    const LogAxis y = inUnit(s);
    for (const double tick : logTicks(y)) {
        d.line({area.left(), y.at(tick)}, {area.right(), y.at(tick)}, grid);
        d.text({area.left() - 7, y.at(tick) + 4}, tickText(tick, {}), smallPixels, ticks, TextAlign::end);
    }
    d.line(area.bottomLeft(), area.bottomRight(), theme.color(Role::line2));
    d.text({area.right(), area.bottom() + 31}, QStringLiteral("Intensity, FLOP per byte of HBM traffic"),
           smallPixels, ticks, TextAlign::end);
}

void drawRoofs(Drawing& d, const data::Roofline& plot, const RooflineScale& s, const QRectF& area,
               Labels& labels, const Theme& theme) {
    const QColor ink = theme.color(Role::text);
    for (const auto& roof : plot.roofs) {
        const double ridge = plot.bytesPerSecond > 0 ? roof.flopPerSecond / plot.bytesPerSecond : s.x.low;
        const double from = std::clamp(ridge, s.x.low, s.x.high), level = s.y.at(roof.flopPerSecond);
        d.line({s.x.at(from), level}, {area.right(), level}, ink, 1.5);
        labels.block(QLineF(s.x.at(from), level, area.right(), level));
        const QString text = fromUtf8(roof.text);
        d.text({area.right(), level - 6}, text, smallPixels, ink, TextAlign::end);
        const double wide = textWidth(text, smallPixels);
        labels.block(QRectF(area.right() - wide, level - 18, wide, 20));
        if (!(plot.bytesPerSecond > 0) || ridge <= s.x.low || ridge >= s.x.high)
            continue;
        d.line({s.x.at(ridge), level}, {s.x.at(ridge), area.bottom()}, theme.color(Role::line2), 1, {2, 3});
        const QString ridgeText =
            QStringLiteral("ridge ") + fromUtf8(formatParts(ridge, Dimension::flopPerByte, {}).number);
        d.text({s.x.at(ridge) + 5, area.bottom() - 6}, ridgeText, smallPixels, theme.color(Role::text2));
        labels.block(QRectF(s.x.at(ridge) + 5, area.bottom() - 18, textWidth(ridgeText, smallPixels), 16));
    }
    if (!(plot.bytesPerSecond > 0))
        return;
    const double top = plot.roofs.empty() ? s.y.high : plot.roofs.front().flopPerSecond;
    const double xEnd = std::min(top / plot.bytesPerSecond, s.x.high);
    const double xStart = std::max(s.x.low, s.y.low / plot.bytesPerSecond);
    if (xStart >= xEnd)
        return;
    const QPointF a(s.x.at(xStart), s.y.at(xStart * plot.bytesPerSecond));
    const QPointF b(s.x.at(xEnd), s.y.at(xEnd * plot.bytesPerSecond));
    d.line(a, b, ink, 1.5);
    labels.block(QLineF(a, b));
    const double angle = std::atan2(b.y() - a.y(), b.x() - a.x());
    const QPointF middle = (a + b) / 2, away(7 * std::sin(angle), -7 * std::cos(angle));
    d.shapes.push_back(DrawnText{middle + away, fromUtf8(plot.slopeText), smallPixels, false, ink,
                                 TextAlign::middle, angle * 180 / std::numbers::pi});
    // Also its words, which run along it.
    const QPointF half =
        QPointF(std::cos(angle), std::sin(angle)) * (textWidth(fromUtf8(plot.slopeText), smallPixels) / 2);
    for (const double high : {0.3, 1.0, 1.7})
        labels.block(QLineF(middle + away * high - half, middle + away * high + half));
}

} // namespace

Drawing drawRoofline(const data::Roofline& plot, const QString& title, const Theme& theme, double width) {
    QRectF area(0, 24, width, 250);
    for (const double tick : logTicks(inUnit(scaleOf(plot, area))))
        area.setLeft(std::max(area.left(), textWidth(tickText(tick, {}), smallPixels) + 9));
    Drawing d{.width = width, .height = 0, .shapes = {}};
    const RooflineScale s = scaleOf(plot, area);
    d.text({0, 12}, title + QStringLiteral(", ") + fromUtf8(std::string(s.unit.label)), smallPixels,
           theme.color(Role::text2));
    drawAxes(d, s, area, theme);
    Labels labels(area);
    drawRoofs(d, plot, s, area, labels, theme);

    std::vector<data::RooflinePoint> points = plot.points;
    std::ranges::sort(points, [](const auto& a, const auto& b) {
        return std::tie(b.seconds, a.label) < std::tie(a.seconds, b.label);
    });
    std::set<int> used;
    std::vector<LegendEntry> legend;
    const auto place = [&](const data::RooflinePoint& p) {
        return QPointF(s.x.at(p.intensity), s.y.at(p.flopPerSecond));
    };
    for (const auto& p : points) {
        d.marker(place(p), p.bound, 4.5, theme);
        labels.block(QRectF(place(p) - QPointF(4, 4), QSizeF(8, 8)));
        if (used.insert(stackPosition(p.bound)).second)
            legend.push_back({p.bound, {}, theme.classStyle(p.bound).name});
    }
    std::set<std::string> named; // the passes of an operation lie close together: one name for all
    for (const auto& p : points)
        if (named.insert(p.label).second)
            labels.place(d, place(p), fromUtf8(p.label), theme.color(Role::text));
    std::ranges::sort(legend, {}, [](const LegendEntry& e) { return stackPosition(*e.bound); });
    d.height = drawLegend(d, 0, area.bottom() + 22, width * 0.55, legend, theme) + 4;
    return d;
}

} // namespace alidade::views
