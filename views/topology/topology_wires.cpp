// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_wires.h"

#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_paint.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade::views {
namespace {

constexpr int mostSingleWires = 32; // of a gap
constexpr int mostRibbons = 48;     // of a gap
constexpr double leastRibbon = 6;   // px of a ribbon, at the mean
constexpr double leastDropRoom = 6; // px between the drops of a bus
constexpr double reachOfWire = 5;   // px around a wire that count as on it
constexpr int fewestBends = 8, mostBends = 64;

/// Of a curve from parent to child, which leaves and arrives upright; t from 0 to 1.
QPointF bend(const QPointF& from, const QPointF& to, double t) {
    return {from.x() + (to.x() - from.x()) * t * t * (3 - 2 * t),
            from.y() + (to.y() - from.y()) * t * (1.5 - 1.5 * t + t * t)};
}

int bendsOf(const WireWay& way) {
    const QPointF span = way.to - way.from;
    return std::clamp(static_cast<int>(std::hypot(span.x(), span.y()) / 12), fewestBends, mostBends);
}

} // namespace

WireStyle wireStyle(const TopologyData& data, const TopologyCamera& camera, const QSizeF& size,
                    const TopologyScene::Gap& gap) {
    const QRectF seen = camera.visible(size);
    if (gap.bus) // its lane at the left leads past what is above
        return seen.bottom() < gap.top || seen.top() > gap.bottom ? WireStyle::hidden : WireStyle::bus;
    if (gap.bottom < seen.top() || gap.top > seen.bottom())
        return WireStyle::hidden;
    const auto crosses = [&](double one, double other) {
        return std::min(one, other) <= seen.right() && std::max(one, other) >= seen.left();
    };
    const auto parentX = [&](const TopologyScene::Wire& wire) {
        return data.scene.nodeRect(wire.parent).center().x();
    };
    int wires = 0;
    for (const TopologyScene::Wire& wire : gap.wires)
        wires += crosses(wire.x, parentX(wire)) ? 1 : 0;
    if (wires == 0)
        return WireStyle::hidden;
    if (wires <= mostSingleWires)
        return WireStyle::single;
    int ribbons = 0;
    for (std::size_t i = 0; i < gap.runs.size(); ++i) {
        const std::size_t last = (i + 1 < gap.runs.size() ? gap.runs[i + 1] : gap.wires.size()) - 1;
        const double middle = parentX(gap.wires[gap.runs[i]]);
        ribbons += crosses(std::min(middle, gap.wires[gap.runs[i]].x), std::max(middle, gap.wires[last].x));
    }
    const double each = (gap.right - gap.left) * camera.scale / static_cast<double>(gap.runs.size());
    return ribbons <= mostRibbons && each >= leastRibbon ? WireStyle::ribbons : WireStyle::band;
}

QPolygonF WireWay::curve(const QRectF& seen) const {
    QPolygonF drawn;
    const int bends = bendsOf(*this);
    QPointF last = from;
    for (int i = 1; i <= bends; ++i) {
        const QPointF next = bend(from, to, 1.0 * i / bends);
        // Upright pieces have no area: a rectangle of one would intersect nothing.
        if (QRectF(last, next).normalized().adjusted(-1, -1, 1, 1).intersects(seen)) {
            if (drawn.isEmpty())
                drawn.append(last);
            drawn.append(next);
        }
        last = next;
    }
    return drawn;
}

double WireWay::distance(const QPointF& place) const {
    const int bends = bendsOf(*this);
    double least = std::numeric_limits<double>::max();
    QPointF last = from;
    for (int i = 1; i <= bends; ++i) {
        const QPointF next = bend(from, to, 1.0 * i / bends);
        const QPointF piece = next - last, way = place - last;
        const double length = QPointF::dotProduct(piece, piece);
        const double share = length > 0 ? std::clamp(QPointF::dotProduct(way, piece) / length, 0.0, 1.0) : 0;
        const QPointF gap = way - piece * share;
        least = std::min(least, std::hypot(gap.x(), gap.y()));
        last = next;
    }
    return least;
}

WireWay wireWay(const TopologyData& data, const TopologyCamera& camera, const TopologyScene::Wire& wire,
                const QFontMetricsF& small) {
    const QRectF above = topologyNodeBox(data, camera, wire.parent, small);
    const QRectF below = wire.card >= 0 ? camera.toView(data.scene.endOf(wire))
                                        : topologyNodeBox(data, camera, wire.node, small);
    return {{above.center().x(), above.bottom()}, {camera.toView(QPointF(wire.x, 0)).x(), below.top()}};
}

BusWay busWay(const TopologyData& data, const TopologyCamera& camera, const TopologyScene::Gap& gap) {
    const TopologyScene& scene = data.scene;
    const TopologyScene::Wire& first = gap.wires.front();
    const double above = scene.nodeRect(first.parent).height() / 4;
    const double below = first.card >= 0 ? 0.5 : scene.endOf(first).height() / 2;
    const auto y = [&](double world) { return camera.toView(QPointF(0, world)).y(); };
    return {.gutter = camera.toView(QPointF(scene.gutter(), 0)).x(),
            .parentLane = y(gap.top + above),
            .lane = y(gap.bottom - below),
            .ends = y(gap.bottom),
            .drops = (gap.right - gap.left) * camera.scale >=
                     leastDropRoom * static_cast<double>(gap.wires.size())};
}

std::optional<TopologyScene::Wire> wireAt(const TopologyData& data, const TopologyCamera& camera,
                                          const QSizeF& size, const QPointF& place,
                                          const QFontMetricsF& small) {
    const double worldY = camera.toWorld(place).y(), reach = reachOfWire / camera.scale;
    for (const TopologyScene::Gap& gap : data.scene.gaps()) {
        if (worldY < gap.top - reach || worldY > gap.bottom + reach)
            continue;
        const WireStyle style = wireStyle(data, camera, size, gap);
        if (style == WireStyle::bus) {
            const BusWay bus = busWay(data, camera, gap);
            if (!bus.drops || place.y() < bus.lane)
                continue;
            for (const TopologyScene::Wire& wire : gap.wires)
                if (std::abs(camera.toView(QPointF(wire.x, 0)).x() - place.x()) <= reachOfWire)
                    return wire;
        }
        if (style != WireStyle::single)
            continue;
        for (const TopologyScene::Wire& wire : gap.wires)
            if (wireWay(data, camera, wire, small).distance(place) <= reachOfWire)
                return wire;
    }
    return std::nullopt;
}

} // namespace alidade::views
