// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/memory_data.h"
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::views {
namespace {

/// Where the bars of a plot stand.
struct StageFrame {
    double left = 34, right = 0, top = 26, height = 210;
    ScaledUnit unit;
    std::vector<double> ticks; ///< in the unit
    double scale = 1;          ///< px per byte
    double pitch = 1, barWidth = 1;

    double y(double bytes) const { return top + height - bytes * scale; }
    double barLeft(std::size_t stage) const { return left + (double(stage) + 0.5) * pitch - barWidth / 2; }
};

double sumOf(const data::PlotBar& bar) {
    double sum = 0;
    for (const auto& part : bar.segments)
        sum += drawable(part.value);
    return sum;
}

StageFrame frameOf(const data::MemoryStages& plot, double width) {
    StageFrame f;
    double largest = 0, labels = 0;
    for (const auto& limit : plot.limits) {
        largest = std::max(largest, drawable(limit.value));
        labels = std::max(labels, textWidth(fromUtf8(limit.text), smallPixels));
    }
    for (const auto& stage : plot.stages)
        largest = std::max(largest, sumOf(stage));
    f.right = width - (labels > 0 ? labels + 8 : 0);
    f.unit = chooseUnit(Dimension::bytes, largest);
    f.ticks = linearTicks(largest / f.unit.factor, 5);
    f.scale = f.height / (std::max(f.ticks.back(), 1e-9) * f.unit.factor);
    f.pitch = (f.right - f.left) / double(std::max<std::size_t>(plot.stages.size(), 1));
    f.barWidth = std::min(f.pitch * 0.72, 46.0);
    return f;
}

void drawStageAxis(Drawing& d, const StageFrame& f, const Theme& theme) {
    for (const double tick : f.ticks) {
        const double y = f.y(tick * f.unit.factor);
        d.line({f.left, y}, {f.right, y}, theme.color(tick == 0 ? Role::line2 : Role::grid));
        d.text({f.left - 7, y + 4}, tickText(tick * f.unit.factor, f.unit), smallPixels,
               theme.color(Role::text2), TextAlign::end);
    }
}

/// \returns which parts can be seen in some stage
std::vector<bool> drawStages(Drawing& d, const StageFrame& f, const data::MemoryStages& plot,
                             const std::vector<QColor>& colors, const Theme& theme) {
    std::vector<bool> shown(colors.size(), false);
    const int labelEvery = std::max(1, static_cast<int>(std::ceil(24 / f.pitch)));
    for (std::size_t i = 0; i < plot.stages.size(); ++i) {
        const auto& stage = plot.stages[i];
        const double middle = f.barLeft(i) + f.barWidth / 2;
        const bool worst = static_cast<int>(i) == plot.worstStage;
        double below = 0;
        for (std::size_t part = 0; part < stage.segments.size() && part < colors.size(); ++part) {
            const double value = drawable(stage.segments[part].value), h = value * f.scale;
            if (!(h > 0))
                continue;
            const double gap = h > 3 ? 0.75 : 0;
            d.shapes.push_back(
                DrawnRect{QRectF(f.barLeft(i), f.y(below + value), f.barWidth, h - gap), colors[part]});
            shown[part] = true;
            below += value;
        }
        if (worst || static_cast<int>(i) % labelEvery == 0)
            d.text({middle, f.top + f.height + 15}, fromUtf8(stage.label), smallPixels,
                   theme.color(worst ? Role::text : Role::text2), TextAlign::middle, worst);
    }
    return shown;
}

/// Limits with their words to the right of the plot, apart from each other.
void drawLimits(Drawing& d, const StageFrame& f, std::vector<data::PlotLimit> limits, const Theme& theme) {
    std::ranges::sort(limits, {}, &data::PlotLimit::value);
    double lowest = 1e9; // base line of the text below
    for (const auto& limit : limits) {
        if (!std::isfinite(limit.value))
            continue;
        const double y = f.y(limit.value);
        d.line({f.left, y}, {f.right, y}, theme.color(Role::text), 1.5,
               limit.hard ? std::vector<double>{} : std::vector<double>{7, 3});
        lowest = std::min(y + 4, lowest - 15);
        d.text({f.right + 8, lowest}, fromUtf8(limit.text), smallPixels, theme.color(Role::text));
    }
}

/// The total of the fullest stage above its bar, over a limit if need be.
void drawWorstTotal(Drawing& d, const StageFrame& f, const data::MemoryStages& plot, const Theme& theme) {
    if (plot.worstStage < 0 || static_cast<std::size_t>(plot.worstStage) >= plot.stages.size())
        return;
    const auto& stage = plot.stages[static_cast<std::size_t>(plot.worstStage)];
    const QString text = fromUtf8(stage.total);
    const double half = textWidth(text, smallPixels, true) / 2 + 3;
    const double middle =
        std::max(f.barLeft(static_cast<std::size_t>(plot.worstStage)) + f.barWidth / 2, f.left + half);
    const double base = f.y(sumOf(stage)) - 4;
    d.shapes.push_back(DrawnRect{QRectF(middle - half, base - 11, 2 * half, 13), theme.color(Role::base)});
    d.text({middle, base}, text, smallPixels, theme.color(Role::text), TextAlign::middle, true);
}

} // namespace

std::vector<QColor> memoryPartColors(const QStringList& names, const Theme& theme) {
    constexpr int shade = 16; // per cent darker, for each further part of a tone
    std::map<MemoryTone, int> used;
    std::vector<QColor> colors;
    for (const QString& name : names) {
        const MemoryTone tone = memoryTone(name);
        const int earlier = used[tone]++ % 3;
        const QColor plain = theme.memoryColor(tone);
        colors.push_back(earlier == 0 ? plain : plain.darker(100 + shade * earlier));
    }
    return colors;
}

Drawing drawMemoryStages(const data::MemoryStages& plot, const QString& title, const Theme& theme,
                         double width) {
    const StageFrame f = frameOf(plot, width);
    QStringList names;
    if (!plot.stages.empty())
        for (const auto& part : plot.stages.front().segments)
            names << fromUtf8(part.name);
    const auto colors = memoryPartColors(names, theme);
    Drawing d{.width = width, .height = 0, .shapes = {}};
    d.text({0, 12}, title + QStringLiteral(", ") + fromUtf8(std::string(f.unit.label)), smallPixels,
           theme.color(Role::text2));
    drawStageAxis(d, f, theme);
    const auto shown = drawStages(d, f, plot, colors, theme);
    drawLimits(d, f, plot.limits, theme);
    drawWorstTotal(d, f, plot, theme);
    std::vector<LegendEntry> legend;
    for (std::size_t part = 0; part < colors.size(); ++part)
        if (shown[part])
            legend.push_back({std::nullopt, colors[part], names[qsizetype(part)]});
    d.height = drawLegend(d, 0, f.top + f.height + 26, width, legend, theme);
    return d;
}

} // namespace alidade::views
