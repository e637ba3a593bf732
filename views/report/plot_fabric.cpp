// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/report/plot_drawing.h"
#include "views/report/plot_parts.h"

#include <algorithm>

namespace alidade::views {
namespace {

constexpr double fabricRowHeight = 34, fabricRowPitch = 44, fabricTop = 24;
constexpr double widestFabricName = 132;
constexpr double narrowestFramed = 8, narrowestParted = 3; // px

/// Labels of a box where there is room: its name, and below it how many hosts it has.
void labelFabricBox(Drawing& d, const data::FabricBox& box, const QRectF& place, const Theme& theme) {
    const QString name = fromUtf8(box.label), detail = fromUtf8(box.detail);
    const double room = place.width() - 8;
    const bool both = !detail.isEmpty() && textWidth(detail, smallPixels) <= room;
    if (!name.isEmpty() && (both || textWidth(name, smallPixels) <= room)) {
        d.text({place.center().x(), place.center().y() + (both ? -3 : 4)}, shortened(name, room, smallPixels),
               smallPixels, theme.color(Role::text), TextAlign::middle);
    }
    if (both) {
        d.text({place.center().x(), place.center().y() + (name.isEmpty() ? 4 : 12)}, detail, smallPixels,
               theme.color(Role::text2), TextAlign::middle);
    }
}

/// Ground and load of a box; `framed` if it is wide enough for its own outline.
void drawFabricBox(Drawing& d, const data::FabricBox& box, const QRectF& place, bool framed,
                   const Theme& theme) {
    const QColor ground = box.used > 0 ? theme.color(Role::base) : theme.color(Role::sunken);
    d.shapes.push_back(DrawnRect{place, ground, 0, framed ? theme.color(Role::text2) : QColor()});
    if (box.share && drawable(*box.share) > 0) {
        const double height = std::max(1.0, std::min(1.0, drawable(*box.share)) * place.height());
        d.shapes.push_back(DrawnRect{QRectF(place.left(), place.bottom() - height, place.width(), height),
                                     theme.color(Role::line2)});
    }
    labelFabricBox(d, box, place, theme);
}

/// Boxes that are too narrow for outlines: a frame around those that touch, hairlines between where there is
/// room.
void frameFabricRow(Drawing& d, const data::FabricRow& row, double left, double top, double scale,
                    const Theme& theme) {
    for (std::size_t i = 0; i < row.boxes.size();) {
        std::size_t end = i + 1;
        while (end < row.boxes.size() && row.boxes[end].begin <= row.boxes[end - 1].end) {
            const double x = left + row.boxes[end].begin * scale;
            if ((row.boxes[end].end - row.boxes[end].begin) * scale >= narrowestParted)
                d.line({x, top}, {x, top + fabricRowHeight}, theme.color(Role::line));
            ++end;
        }
        const double from = left + row.boxes[i].begin * scale, to = left + row.boxes[end - 1].end * scale;
        const double bottom = top + fabricRowHeight;
        d.line({from, top}, {to, top}, theme.color(Role::text2));
        d.line({to, top}, {to, bottom}, theme.color(Role::text2));
        d.line({from, bottom}, {to, bottom}, theme.color(Role::text2));
        d.line({from, top}, {from, bottom}, theme.color(Role::text2));
        i = end;
    }
}

} // namespace

Drawing drawFabricTree(const data::FabricTree& plot, const QString& title, const Theme& theme, double width) {
    double names = 0;
    for (const data::FabricRow& row : plot.rows)
        names = std::max(names, textWidth(fromUtf8(row.name), smallPixels));
    const double left = std::min(names, widestFabricName) + 10;
    const double scale = plot.hosts > 0 ? (width - left - 1) / plot.hosts : 1;
    Drawing d{.width = width, .height = 0, .shapes = {}};
    d.text({0, 12}, title, smallPixels, theme.color(Role::text2));
    double y = fabricTop;
    for (const data::FabricRow& row : plot.rows) {
        d.text({left - 8, y + fabricRowHeight / 2 + 4}, shortened(fromUtf8(row.name), left - 8, smallPixels),
               smallPixels, theme.color(Role::text), TextAlign::end);
        const bool framed = std::ranges::all_of(row.boxes, [&](const data::FabricBox& box) {
            return (box.end - box.begin) * scale >= narrowestFramed;
        });
        for (const data::FabricBox& box : row.boxes) {
            const double from = left + box.begin * scale, to = left + box.end * scale;
            drawFabricBox(d, box, {from, y, to - from - (framed ? 2 : 0), fabricRowHeight}, framed, theme);
        }
        if (!framed)
            frameFabricRow(d, row, left, y, scale, theme);
        y += fabricRowPitch;
    }
    d.height = y - (fabricRowPitch - fabricRowHeight) + 4;
    return d;
}

} // namespace alidade::views
