// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/sweep_drawing.h"

#include "model/scenario/choice_names.h"
#include "views/document/text.h"
#include "views/kit/ink_on.h"
#include "views/report/plot_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr double sweepHeight = 190, ribbonHeight = 46, panelTitle = 26, gap = 16;
constexpr double left = 84, right = 24, bottom = 40; // margins
constexpr double cellHeight = 26, sweepWidth = 760;
constexpr int ticksAcross = 6;

QString valueText(const SweepAxis& axis, const FieldValue& value) {
    const auto number = numberOf(value);
    if (number && !axis.variable.isInteger())
        return quantity(*number, axis.variable.dimension(), {.trimZeros = true});
    if (number)
        return quantity(*number, Dimension::number, {.significant = 9, .trimZeros = true});
    return text(fieldTextInWords(*axis.variable.field(), fieldText(*axis.variable.field(), value)));
}

/// Where values lie on the page; values without an order are side by side.
struct Across {
    const SweepAxis& axis;
    QRectF area;
    double low = 0, high = 1;
    bool log = false;

    Across(const SweepAxis& swept, const QRectF& place)
        : axis(swept)
        , area(place) {
        low = std::numeric_limits<double>::infinity();
        high = -low;
        for (const FieldValue& each : swept.values) {
            low = std::min(low, number(each));
            high = std::max(high, number(each));
        }
        log = low > 0 && high / low > 12;
    }
    double number(const FieldValue& value) const {
        if (const auto place = placeOf(axis.variable, value))
            return *place;
        return static_cast<double>(std::ranges::find(axis.values, value) - axis.values.begin());
    }
    double at(double x) const {
        if (!(high > low))
            return area.center().x();
        const double share = log ? std::log(x / low) / std::log(high / low) : (x - low) / (high - low);
        return area.left() + (0.02 + 0.96 * share) * area.width();
    }
    double at(const FieldValue& value) const { return at(number(value)); }
};

struct Panel {
    Drawing& d;
    const Sweep& sweep;
    const PlanFigure& figure;
    const Theme& theme;
    Across across;
    double high = 0;

    double y(double value) const {
        return across.area.bottom() - std::clamp(value / high, 0.0, 1.05) * across.area.height();
    }

    void draw() {
        for (const SweepPoint& each : sweep.points)
            if (const SweepFigure* value = each.figure(figure))
                high = std::max(high, drawable(value->high));
        if (high <= 0)
            high = 1;
        const auto ticks = linearTicks(high, 4);
        high = std::max(high, ticks.back());
        const ScaledUnit unit = glanceUnit(figure.dimension, high);
        const QRectF& area = across.area;
        d.text({area.left() - left + 8, area.top() - 10},
               text(figure.label) + (unit.label.empty() ? QString() : u", " + text(unit.label)), smallPixels,
               theme.color(Role::text), TextAlign::start, true);
        for (const double tick : ticks) {
            d.line({area.left(), y(tick)}, {area.right(), y(tick)}, theme.color(Role::grid));
            d.text({area.left() - 7, y(tick) + 4}, tickText(tick, unit), smallPixels,
                   theme.color(Role::text2), TextAlign::end);
        }
        d.line(area.bottomLeft(), area.bottomRight(), theme.color(Role::line2));
        drawBand();
        drawKinks();
        drawLine();
    }

    void drawBand() const {
        QColor fill = theme.color(Role::accent);
        fill.setAlpha(38);
        QPolygonF upper, lower;
        const auto end = [&] {
            if (upper.size() > 1)
                d.shapes.emplace_back(DrawnPolygon{upper + lower, fill});
            upper.clear();
            lower.clear();
        };
        for (const SweepPoint& each : sweep.points) {
            const SweepFigure* value = each.figure(figure);
            if (!value || !std::isfinite(value->value) || !across.axis.variable.hasOrder()) {
                end();
                continue;
            }
            upper.append({across.at(each.values.back()), y(value->high)});
            lower.prepend({across.at(each.values.back()), y(value->low)});
        }
        end();
    }

    void drawKinks() const {
        for (const SweepKink& each : sweep.kinks) {
            const double x = across.at(each.values.back());
            d.line({x, across.area.top()}, {x, across.area.bottom()}, theme.color(Role::text2), 1, {2, 2});
            d.text({x + 4, across.area.top() + 12},
                   theme.classStyle(each.to).name + QStringLiteral(" overtakes ") +
                       theme.classStyle(each.from).name,
                   smallPixels, theme.color(Role::text2));
        }
    }

    void drawLine() const {
        std::optional<QPointF> before;
        bool fitBefore = false;
        for (const SweepPoint& each : sweep.points) {
            const SweepFigure* value = each.figure(figure);
            const double x = across.at(each.values.back());
            if (!value || !std::isfinite(value->value)) {
                const QPointF at(x, across.area.bottom() - 6);
                d.line(at + QPointF(-3, -3), at + QPointF(3, 3), theme.color(Role::err));
                d.line(at + QPointF(-3, 3), at + QPointF(3, -3), theme.color(Role::err));
                before.reset();
                continue;
            }
            const QPointF at(x, y(value->value));
            if (before && across.axis.variable.hasOrder())
                d.line(*before, at, theme.color(Role::text), 1.5,
                       each.fits && fitBefore ? std::vector<double>{} : std::vector<double>{2, 3});
            d.shapes.emplace_back(
                DrawnCircle{.center = at,
                            .radius = 2.6,
                            .fill = each.fits ? theme.color(Role::text) : theme.color(Role::base),
                            .outline = theme.color(Role::text)});
            before = at;
            fitBefore = each.fits;
        }
    }
};

void drawTicks(Drawing& d, const Across& across, double y, const Theme& theme) {
    const auto& values = across.axis.values;
    double end = -std::numeric_limits<double>::infinity();
    const std::size_t step = std::max<std::size_t>(1, values.size() / (ticksAcross + 1));
    for (std::size_t i = 0; i < values.size(); i += across.axis.variable.hasOrder() ? step : 1) {
        const QString words = valueText(across.axis, values[i]);
        const double x = across.at(values[i]), half = textWidth(words, smallPixels) / 2;
        if (x - half < end + 6)
            continue;
        d.text({x, y + 15}, words, smallPixels, theme.color(Role::text2), TextAlign::middle);
        end = x + half;
    }
    d.text({across.area.right(), y + 32}, text(across.axis.variable.label()), smallPixels,
           theme.color(Role::text), TextAlign::end, true);
}

void drawRibbon(Drawing& d, const Sweep& sweep, const Across& across, const QRectF& ribbon,
                const Theme& theme) {
    auto order = allBounds;
    std::ranges::stable_sort(order, {}, stackPosition);
    d.text({ribbon.left() - 7, ribbon.center().y() + 4}, QStringLiteral("of the step"), smallPixels,
           theme.color(Role::text2), TextAlign::end);
    std::vector<LegendEntry> legend;
    for (std::size_t i = 0; i < sweep.points.size(); ++i) {
        const double x = across.at(sweep.points[i].values.back());
        const double from = i == 0 ? ribbon.left() : (across.at(sweep.points[i - 1].values.back()) + x) / 2;
        const double to = i + 1 == sweep.points.size()
                              ? ribbon.right()
                              : (across.at(sweep.points[i + 1].values.back()) + x) / 2;
        double y = ribbon.top();
        for (const Bound bound : order) {
            const double height = sweep.points[i].shares[static_cast<std::size_t>(bound)] * ribbon.height();
            if (height > 0.2)
                d.shapes.emplace_back(
                    DrawnClass{QRectF(std::min(from, to), y, std::abs(to - from), height), bound});
            y += height;
        }
    }
    for (const Bound bound : order)
        if (std::ranges::any_of(sweep.points, [&](const SweepPoint& p) {
                return p.shares[static_cast<std::size_t>(bound)] > 0.02;
            }))
            legend.push_back({bound, {}, theme.classStyle(bound).name});
    d.height = drawLegend(d, ribbon.left(), ribbon.bottom() + bottom, ribbon.width(), legend, theme) + 8;
}

Drawing drawOne(const Sweep& sweep, const std::vector<const PlanFigure*>& figures, const Theme& theme,
                double width) {
    Drawing d{.width = width, .height = 0, .shapes = {}};
    double top = panelTitle;
    for (const PlanFigure* each : figures) {
        const QRectF area(left, top, width - left - right, sweepHeight);
        Panel{d, sweep, *each, theme, Across(sweep.axes.back(), area)}.draw();
        top = area.bottom() + gap + panelTitle - 6;
    }
    const QRectF ribbon(left, top - panelTitle, width - left - right, ribbonHeight);
    const Across across(sweep.axes.back(), ribbon);
    drawTicks(d, across, ribbon.bottom(), theme);
    drawRibbon(d, sweep, across, ribbon, theme);
    return d;
}

/// The strong end is the good one; hatched by a line across: it does not fit; pale: it does not run.
Drawing drawTwo(const Sweep& sweep, const PlanFigure& figure, const Theme& theme, double width) {
    const SweepAxis &up = sweep.axes[sweep.axes.size() - 2], &over = sweep.axes.back();
    const auto columns = over.values.size(), rows = up.values.size();
    Drawing d{.width = width,
              .height = panelTitle + cellHeight * static_cast<double>(rows) + bottom + 8,
              .shapes = {}};
    const double cellWidth = (width - left - right) / static_cast<double>(columns);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const SweepPoint& each : sweep.points)
        if (const SweepFigure* value = each.figure(figure); value && std::isfinite(value->value)) {
            low = std::min(low, value->value);
            high = std::max(high, value->value);
        }
    d.text({8, 16},
           text(figure.label) + QStringLiteral(", ") + text(up.variable.label()) +
               QStringLiteral(" upwards; outlined: does not fit"),
           smallPixels, theme.color(Role::text), TextAlign::start, true);
    const double foot = panelTitle + cellHeight * static_cast<double>(rows);
    for (std::size_t i = 0; i < std::min(columns * rows, sweep.points.size()); ++i) {
        const SweepPoint& point = sweep.points[i];
        const QRectF cell(left + static_cast<double>(i % columns) * cellWidth,
                          foot - static_cast<double>(i / columns + 1) * cellHeight, cellWidth - 1,
                          cellHeight - 1);
        const SweepFigure* value = point.figure(figure);
        if (!value || !std::isfinite(value->value)) {
            d.shapes.emplace_back(DrawnRect{cell, theme.color(Role::alt)});
            continue;
        }
        double share = high > low ? (value->value - low) / (high - low) : 0.5;
        share = figure.moreIsBetter ? share : 1 - share;
        const QColor fill = theme.sequential(0.08 + 0.92 * share);
        d.shapes.emplace_back(DrawnRect{cell, fill, 0, point.fits ? QColor() : theme.color(Role::err)});
        const QString words = glance(value->value, figure.dimension);
        if (textWidth(words, smallPixels - 1) < cellWidth - 4)
            d.text({cell.center().x(), cell.center().y() + 4}, words, smallPixels - 1, inkOn(fill, theme),
                   TextAlign::middle);
    }
    for (std::size_t row = 0; row < rows; ++row)
        d.text({left - 7, foot - (static_cast<double>(row) + 0.5) * cellHeight + 4},
               valueText(up, up.values[row]), smallPixels, theme.color(Role::text2), TextAlign::end);
    double end = 0;
    for (std::size_t column = 0; column < columns; ++column) {
        const QString words = valueText(over, over.values[column]);
        const double x = left + (static_cast<double>(column) + 0.5) * cellWidth,
                     half = textWidth(words, smallPixels) / 2;
        if (x - half < end + 6)
            continue;
        d.text({x, foot + 15}, words, smallPixels, theme.color(Role::text2), TextAlign::middle);
        end = x + half;
    }
    d.text({width - right, foot + 32}, text(over.variable.label()), smallPixels, theme.color(Role::text),
           TextAlign::end, true);
    return d;
}

} // namespace

Drawing drawSweep(const Sweep& sweep, const std::vector<const PlanFigure*>& figures, const Theme& theme,
                  double width) {
    return sweep.axes.size() == 1 ? drawOne(sweep, figures, theme, width)
                                  : drawTwo(sweep, *figures.front(), theme, width);
}

QString sweepSvg(const Sweep& sweep, const std::vector<const PlanFigure*>& figures) {
    const Theme theme = Theme::paper();
    const QString words = text(sweepHeadline(sweep, *figures.front()));
    return QStringLiteral("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") +
           svgOf(drawSweep(sweep, figures, theme, sweepWidth), theme, QStringLiteral("sweep"),
                 words.isEmpty() ? text(figures.front()->label) : words);
}

} // namespace alidade::views
