// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/topology/topology_camera.h"

#include <QFontMetricsF>
#include <QPolygonF>

#include <optional>

namespace alidade::views {

struct TopologyData;

/// How the wires of a gap are drawn: one by one for as long as they can be told apart, else as one.
enum class WireStyle {
    hidden,  ///< outside of the picture
    single,  ///< a curve each
    ribbons, ///< one for all neighbors below one parent
    band,    ///< one for all
    bus,     ///< around other cards: one lane at the left, one along each row, a drop to each end
};
WireStyle wireStyle(const TopologyData& data, const TopologyCamera& camera, const QSizeF& size,
                    const TopologyScene::Gap& gap);

/// The way of a wire in pixels.
struct WireWay {
    QPointF from, to;
    /// Bends of the curve that are to be seen: what lies outside of `seen` is left out.
    QPolygonF curve(const QRectF& seen) const;
    double distance(const QPointF& place) const;
};
WireWay wireWay(const TopologyData& data, const TopologyCamera& camera, const TopologyScene::Wire& wire,
                const QFontMetricsF& small);

/// Places of a bus in pixels.
struct BusWay {
    double gutter = 0, parentLane = 0, lane = 0, ends = 0;
    bool drops = false; ///< there is room to draw the way to each end
};
BusWay busWay(const TopologyData& data, const TopologyCamera& camera, const TopologyScene::Gap& gap);

/// The wire at a place; its node is that of a trunk.
std::optional<TopologyScene::Wire> wireAt(const TopologyData& data, const TopologyCamera& camera,
                                          const QSizeF& size, const QPointF& place,
                                          const QFontMetricsF& small);

} // namespace alidade::views
