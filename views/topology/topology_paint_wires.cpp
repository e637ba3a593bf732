// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_look.h"
#include "views/topology/topology_paint.h"
#include "views/topology/topology_wires.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double leastWire = 1.2, widestWire = 8; // px
constexpr double busWidth = 6, dropWidth = 2;     // px
constexpr double widestFoot = 40;                 // px of a ribbon at its parent
constexpr int mostLitWires = 200;                 // of a gap, drawn one by one over what represents all
constexpr double paleShare = 0.22, quietShareOfWire = 0.11;

QColor blended(const QColor& over, const QColor& ground, double share) {
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return QColor(mix(ground.red(), over.red()), mix(ground.green(), over.green()),
                  mix(ground.blue(), over.blue()));
}

float wireShare(const TopologyLook& marks, const TopologyScene::Wire& wire) {
    return wire.node >= 0 ? marks.trunk[ix(wire.node)] : marks.cards[ix(wire.card)];
}

bool isLit(const TopologyData& data, const TopologyLook& marks, const TopologyScene::Wire& wire) {
    if (wire.node >= 0)
        return marks.litNodes[ix(wire.node)] != 0;
    const TopologyScene::Card& card = data.scene.cards()[ix(wire.card)];
    for (int n = 0; n < card.count; ++n) {
        const int host = data.scene.order()[ix(card.first + n)];
        if (marks.litHosts[ix(host)] != 0 && data.map.fabric.leafOf(host) == wire.parent)
            return true;
    }
    return false;
}

QString bundleWords(std::size_t wires, float share) {
    const QString links =
        counted(static_cast<int>(wires), TopologyText::tr("link"), TopologyText::tr("links"));
    return share > 0 ? TopologyText::tr("%1, busiest %2").arg(links, topologyPercent(share)) : links;
}

} // namespace

void TopologyPainter::paintWires(const Frame& frame) {
    const Fabric& fabric = frame.data.map.fabric;
    const TopologyScene& scene = frame.data.scene;
    trunkMost_ = 0;
    for (int node = 0; node < fabric.nodes(); ++node)
        if (fabric.parentOf(node) >= 0)
            trunkMost_ = std::max(trunkMost_, fabric.bandwidth({LinkKind::trunk, node}));
    labels_.clear();
    frame.painter.setRenderHint(QPainter::Antialiasing);
    for (const TopologyScene::Gap& gap : scene.gaps()) {
        const WireStyle style = wireStyle(frame.data, frame.camera, frame.size, gap);
        if (style == WireStyle::hidden)
            continue;
        if (style == WireStyle::single) {
            for (const TopologyScene::Wire& wire : gap.wires)
                paintWire(frame, wire);
            continue;
        }
        if (style == WireStyle::ribbons)
            for (std::size_t i = 0; i < gap.runs.size(); ++i)
                paintRibbon(frame, gap, gap.runs[i],
                            i + 1 < gap.runs.size() ? gap.runs[i + 1] : gap.wires.size());
        else if (style == WireStyle::band)
            paintBand(frame, gap);
        else
            paintBus(frame, gap);
        if (!frame.marks.selected)
            continue;
        int lit = 0;
        for (const TopologyScene::Wire& wire : gap.wires)
            if (lit < mostLitWires && isLit(frame.data, frame.marks, wire)) {
                ++lit;
                if (style == WireStyle::bus)
                    paintBusWire(frame, gap, wire);
                else
                    paintWire(frame, wire);
            }
    }
    frame.painter.setRenderHint(QPainter::Antialiasing, false);
    paintWireLabels(frame);
}

void TopologyPainter::paintWire(const Frame& frame, const TopologyScene::Wire& wire) {
    const Fabric& fabric = frame.data.map.fabric;
    const WireWay way = wireWay(frame.data, frame.camera, wire, frame.smallMetrics);
    const QPolygonF curve =
        way.curve(QRectF(QPointF(), frame.size).adjusted(-widestWire, -widestWire, widestWire, widestWire));
    if (curve.size() < 2)
        return;
    const double below = frame.data.scene.endOf(wire).width() * frame.camera.scale;
    const double capacity = wire.node >= 0 ? fabric.bandwidth({LinkKind::trunk, wire.node}) : trunkMost_;
    const double width =
        std::min(std::clamp(widestWire * (trunkMost_ > 0 ? std::sqrt(capacity / trunkMost_) : 1.0), leastWire,
                            widestWire),
                 std::max(leastWire, below * 0.3));
    const bool lit = isLit(frame.data, frame.marks, wire);
    const bool quiet = frame.marks.selected && !lit;
    const QColor base = frame.look.color(Role::base), color = frame.look.classStyle(Bound::efa).color;
    QPainter& painter = frame.painter;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(blended(color, base, quiet ? quietShareOfWire : paleShare), width, Qt::SolidLine,
                        Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(curve);
    // The fill is the load: nothing at 0.
    const float share = wireShare(frame.marks, wire);
    if (const double filled = width * std::clamp(share, 0.0F, 1.0F); filled > 0.05) {
        painter.setPen(QPen(quiet ? blended(color, base, 0.3) : color, std::max(filled, 0.6), Qt::SolidLine,
                            Qt::FlatCap, Qt::RoundJoin));
        painter.drawPolyline(curve);
    }
    ++counts_.wires;
    if (!quiet && share > 0 && wire.node >= 0 && below > 40 && way.to.y() - way.from.y() > 28)
        labels_.push_back({(way.from + way.to) / 2, topologyPercent(share)});
}

/// Wires to neighbors below one parent as one: as wide at the foot as they are apart.
void TopologyPainter::paintRibbon(const Frame& frame, const TopologyScene::Gap& gap, std::size_t first,
                                  std::size_t end) {
    const WireWay left = wireWay(frame.data, frame.camera, gap.wires[first], frame.smallMetrics);
    const WireWay right = wireWay(frame.data, frame.camera, gap.wires[end - 1], frame.smallMetrics);
    const double half =
        std::max(1.0, frame.data.scene.endOf(gap.wires[first]).width() * frame.camera.scale / 2);
    const double x0 = left.to.x() - half, x1 = right.to.x() + half;
    const QRectF box(QPointF(std::min(x0, left.from.x()), left.from.y()),
                     QPointF(std::max(x1, left.from.x()), left.to.y()));
    if (!box.adjusted(-1, -1, 1, 1).intersects(QRectF(QPointF(), frame.size)))
        return;
    float share = 0;
    for (std::size_t i = first; i < end; ++i)
        share = std::max(share, wireShare(frame.marks, gap.wires[i]));
    const QColor base = frame.look.color(Role::base), color = frame.look.classStyle(Bound::efa).color;
    const double foot = std::min(
        {widestFoot, x1 - x0,
         std::max(
             2.0,
             topologyNodeBox(frame.data, frame.camera, gap.wires[first].parent, frame.smallMetrics).width() *
                 0.6)});
    const auto fill = [&](double part, const QColor& ink) {
        const double middle = (x0 + x1) / 2, wide = (x1 - x0) * part / 2, narrow = foot * part / 2;
        const double y0 = left.from.y(), y1 = left.to.y(), between = (y0 + y1) / 2, x = left.from.x();
        QPainterPath path(QPointF(x - narrow, y0));
        path.cubicTo({x - narrow, between}, {middle - wide, between}, {middle - wide, y1});
        path.lineTo(middle + wide, y1);
        path.cubicTo({middle + wide, between}, {x + narrow, between}, {x + narrow, y0});
        frame.painter.fillPath(path, ink);
    };
    fill(1, blended(color, base, frame.marks.selected ? quietShareOfWire : paleShare));
    if (share > 0)
        fill(std::min(1.0F, share), frame.marks.selected ? blended(color, base, 0.3) : color);
    counts_.wires += 1;
    labels_.push_back({QPointF((left.from.x() + (x0 + x1) / 2) / 2, (left.from.y() + left.to.y()) / 2),
                       bundleWords(end - first, share), (x1 - x0) / 2});
}

/// All wires of a gap as one, where many parents are joined with many ends.
void TopologyPainter::paintBand(const Frame& frame, const TopologyScene::Gap& gap) {
    double left = gap.left, right = gap.right;
    float share = 0;
    for (const TopologyScene::Wire& wire : gap.wires) {
        const double x = frame.data.scene.nodeRect(wire.parent).center().x();
        left = std::min(left, x);
        right = std::max(right, x);
        share = std::max(share, wireShare(frame.marks, wire));
    }
    const WireWay some = wireWay(frame.data, frame.camera, gap.wires.front(), frame.smallMetrics);
    const QRectF band(QPointF(frame.camera.toView(QPointF(left, 0)).x(), some.from.y()),
                      QPointF(frame.camera.toView(QPointF(right, 0)).x(), some.to.y()));
    const QColor base = frame.look.color(Role::base), color = frame.look.classStyle(Bound::efa).color;
    frame.painter.fillRect(band, blended(color, base, quietShareOfWire));
    const double height = std::min(busWidth, band.height() / 2);
    const QRectF bar(band.left(), band.center().y() - height / 2, band.width(), height);
    frame.painter.fillRect(bar, blended(color, base, paleShare));
    if (const double filled = height * std::min(1.0F, share); filled > 0.05)
        frame.painter.fillRect(QRectF(bar.left(), bar.center().y() - std::max(0.5, filled / 2), bar.width(),
                                      std::max(1.0, filled)),
                               frame.marks.selected ? blended(color, base, 0.3) : color);
    ++counts_.wires;
    labels_.push_back({band.intersected(QRectF(QPointF(), frame.size)).center(),
                       bundleWords(gap.wires.size(), share), band.width()});
}

void TopologyPainter::paintBus(const Frame& frame, const TopologyScene::Gap& gap) {
    const BusWay bus = busWay(frame.data, frame.camera, gap);
    float share = 0;
    double rightParent = gap.left;
    for (const TopologyScene::Wire& wire : gap.wires) {
        share = std::max(share, wireShare(frame.marks, wire));
        rightParent = std::max(rightParent, frame.data.scene.nodeRect(wire.parent).center().x());
    }
    const QColor base = frame.look.color(Role::base), full = frame.look.classStyle(Bound::efa).color;
    const QColor pale = blended(full, base, frame.marks.selected ? quietShareOfWire : paleShare);
    const QColor color = frame.marks.selected ? blended(full, base, 0.3) : full;
    const double width = std::clamp((bus.ends - bus.lane) * 0.6, 1.5, busWidth);
    const double inner = share > 0 ? std::clamp(width * share, 1.0, width) : 0;
    const auto x = [&](double world) { return frame.camera.toView(QPointF(world, 0)).x(); };
    QPainter& painter = frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    const auto across = [&](double from, double to, double y) {
        painter.fillRect(QRectF(from - width / 2, y - width / 2, to - from + width, width), pale);
        if (inner > 0)
            painter.fillRect(QRectF(from - inner / 2, y - inner / 2, to - from + inner, inner), color);
    };
    painter.fillRect(QRectF(bus.gutter - width / 2, bus.parentLane, width, bus.lane - bus.parentLane), pale);
    across(bus.gutter, x(rightParent), bus.parentLane);
    across(bus.gutter, x(gap.right), bus.lane);
    if (inner > 0)
        painter.fillRect(QRectF(bus.gutter - inner / 2, bus.parentLane, inner, bus.lane - bus.parentLane),
                         color);
    std::vector<int> seen; // a parent has one line to the lane
    for (const TopologyScene::Wire& wire : gap.wires)
        if (seen.empty() || seen.back() != wire.parent)
            seen.push_back(wire.parent);
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const int parent : seen) {
        const QRectF box = topologyNodeBox(frame.data, frame.camera, parent, frame.smallMetrics);
        if (box.center().x() >= 0 && box.center().x() <= frame.size.width())
            painter.fillRect(QRectF(box.center().x() - dropWidth / 2, box.bottom(), dropWidth,
                                    bus.parentLane - box.bottom()),
                             pale);
    }
    if (bus.drops) {
        for (const TopologyScene::Wire& wire : gap.wires) {
            const double at = x(wire.x);
            if (at < 0 || at > frame.size.width())
                continue;
            const WireWay way = wireWay(frame.data, frame.camera, wire, frame.smallMetrics);
            painter.fillRect(QRectF(at - dropWidth / 2, bus.lane, dropWidth, way.to.y() - bus.lane), pale);
        }
    } else {
        painter.fillRect(QRectF(x(gap.left), bus.lane, x(gap.right) - x(gap.left), bus.ends - bus.lane),
                         pale);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    ++counts_.wires;
    const double from = std::max(0.0, bus.gutter), to = std::min(x(gap.right), frame.size.width());
    labels_.push_back({QPointF((from + to) / 2, bus.lane), bundleWords(gap.wires.size(), share), to - from});
}

/// One wire of a bus, from its parent over the lanes to its end.
void TopologyPainter::paintBusWire(const Frame& frame, const TopologyScene::Gap& gap,
                                   const TopologyScene::Wire& wire) {
    const BusWay bus = busWay(frame.data, frame.camera, gap);
    const WireWay way = wireWay(frame.data, frame.camera, wire, frame.smallMetrics);
    frame.painter.setPen(QPen(frame.look.classStyle(Bound::efa).color, dropWidth));
    frame.painter.drawPolyline(
        QPolygonF{{way.from, QPointF(way.from.x(), bus.parentLane), QPointF(bus.gutter, bus.parentLane),
                   QPointF(bus.gutter, bus.lane), QPointF(way.to.x(), bus.lane), way.to}});
    ++counts_.wires;
}

/// Where several end close to each other, one figure is enough.
void TopologyPainter::paintWireLabels(const Frame& frame) {
    std::ranges::sort(labels_, {}, [](const WireLabel& label) { return label.place.x(); });
    const double height = frame.smallMetrics.height();
    std::vector<QRectF> taken;
    for (const WireLabel& label : labels_) {
        const double width = frame.smallMetrics.horizontalAdvance(label.words);
        if (label.room > 0 && width + 12 > label.room)
            continue;
        const QRectF ground(label.place.x() - width / 2 - 4, label.place.y() - height / 2, width + 8, height);
        if (std::ranges::any_of(
                taken, [&](const QRectF& other) { return other.adjusted(-4, 0, 4, 0).intersects(ground); }))
            continue;
        taken.push_back(ground);
        frame.painter.fillRect(ground, frame.look.color(Role::base));
        paintText(frame, frame.small, {ground.left() + 4, ground.top() + frame.smallMetrics.ascent()},
                  label.words, frame.look.color(Role::text));
    }
}

} // namespace alidade::views
