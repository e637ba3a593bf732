// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_paint.h"

#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_look.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double cardCorner = 6, boxCorner = 4;   // px
constexpr int fewNodes = 16;                      // whose boxes may be wider than the scene has them
constexpr double leastNamedHeight = 12;           // px of a box that has its name in it
constexpr double leastWire = 1.2, widestWire = 8; // px
constexpr std::size_t mostLeaders = 64;           // hosts whose way to their leaf is drawn
constexpr float quietOpacity = 0.2F, paleOpacity = 0.22F;

QColor pale(QColor colour, float opacity) {
    colour.setAlphaF(opacity);
    return colour;
}

QString percent(float share) { return TopologyText::tr("%1 %").arg(std::lround(share * 100)); }

} // namespace

QColor topologyInk(QRgb fill, const Theme& look) {
    const double luminance = 0.299 * qRed(fill) + 0.587 * qGreen(fill) + 0.114 * qBlue(fill);
    const bool darkFill = luminance < 140;
    return darkFill != look.isDark() ? look.colour(Role::base) : look.colour(Role::text);
}

QRectF topologyNodeBox(const TopologyData& data, const TopologyCamera& camera, int node,
                       const QFontMetricsF& small) {
    const TopologyScene& scene = data.scene;
    if (scene.nodeRect(node).isNull())
        return {};
    const QRectF box = camera.toView(scene.nodeRect(node));
    if (scene.nodes() > fewNodes || box.height() < leastNamedHeight)
        return box;
    const double more = (small.horizontalAdvance(data.nodeName(node)) + 10 - box.width()) / 2;
    if (more <= 0)
        return box;
    const QRectF wide = box.adjusted(-more, 0, more, 0);
    for (int other = 0; other < scene.nodes(); ++other)
        if (other != node && !scene.nodeRect(other).isNull() &&
            camera.toView(scene.nodeRect(other)).adjusted(-more, 0, more, 0).intersects(wide))
            return box;
    return wide;
}

TopologyCounts TopologyPainter::paint(QPainter& painter, const TopologyData& data, const TopologyLook& marks,
                                      const Theme& look, const TopologyCamera& camera, const QSizeF& size,
                                      bool vector) {
    counts_ = {};
    const QFont small = look.font(FontRole::small), strong = look.font(FontRole::strong);
    const QFont block = look.font(FontRole::block);
    const Frame frame{
        painter,
        data,
        marks,
        look,
        camera,
        size,
        camera.visible(size),
        camera.detail(data.scene),
        vector,
        small,
        strong,
        block,
        QFontMetricsF(small),
        QFontMetricsF(strong),
        QFontMetricsF(block),
        painter.device()->devicePixelRatioF(),
        QFontMetricsF(block).horizontalAdvance(QString::number(std::max(0, data.map.placement.ranks() - 1)))};
    painter.fillRect(QRectF(QPointF(), size), look.colour(Role::base));
    paintRows(frame);
    paintWires(frame);
    paintNodes(frame);
    paintCards(frame);
    if (frame.detail == TopologyDetail::tiles && vector)
        paintTilesAsShapes(frame, cards_);
    else if (frame.detail == TopologyDetail::tiles)
        paintTiles(frame, cards_);
    else
        paintHosts(frame, cards_);
    paintLeaders(frame);
    paintChosen(frame);
    return counts_;
}

void TopologyPainter::paintText(const Frame& frame, const QFont& font, const QFontMetricsF&,
                                const QPointF& base, const QString& words, const QColor& ink) {
    frame.painter.setFont(font);
    frame.painter.setPen(ink);
    frame.painter.drawText(base, words);
    ++counts_.labels;
}

/// A hairline through each row of boxes, named at the left edge.
void TopologyPainter::paintRows(const Frame& frame) {
    for (const TopologyScene::Row& row : frame.data.scene.rows()) {
        const double y = std::round(frame.camera.toView(QPointF(0, row.y)).y()) + 0.5;
        if (y < 0 || y > frame.size.height())
            continue;
        const QString words = TopologyText::tr("Layer %1").arg(row.layer + 1);
        const double left = 14, width = frame.smallMetrics.horizontalAdvance(words);
        frame.painter.fillRect(QRectF(left + width + 8, y - 0.5, frame.size.width() - left - width - 20, 1),
                               frame.look.colour(Role::grid));
        paintText(frame, frame.small, frame.smallMetrics, {left, y + frame.smallMetrics.ascent() / 2 - 1},
                  words, frame.look.colour(Role::text2));
    }
}

void TopologyPainter::paintWire(const Frame& frame, const QPointF& from, const QPointF& to, double width,
                                float share, bool lit) {
    const QRectF box = QRectF(from, to).normalized().adjusted(-width, -width, width, width);
    if (!box.intersects(QRectF(QPointF(), frame.size)))
        return;
    const bool quiet = frame.marks.selected && !lit;
    const QColor colour = frame.look.classStyle(Bound::efa).colour;
    const double middle = (from.y() + to.y()) / 2;
    wire_.clear();
    wire_.moveTo(from);
    if (std::abs(from.x() - to.x()) < 0.5)
        wire_.lineTo(to);
    else
        wire_.cubicTo({from.x(), middle}, {to.x(), middle}, to);
    QPainter& painter = frame.painter;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(
        QPen(pale(colour, quiet ? paleOpacity / 2 : paleOpacity), width, Qt::SolidLine, Qt::FlatCap));
    painter.drawPath(wire_);
    // The fill is the load: nothing at 0.
    if (const double filled = width * std::clamp(share, 0.0F, 1.0F); filled > 0.05) {
        painter.setPen(
            QPen(pale(colour, quiet ? quietOpacity : 1), std::max(filled, 0.6), Qt::SolidLine, Qt::FlatCap));
        painter.drawPath(wire_);
    }
    ++counts_.wires;
}

void TopologyPainter::paintWires(const Frame& frame) {
    const Fabric& fabric = frame.data.map.fabric;
    const TopologyScene& scene = frame.data.scene;
    if (scene.nodes() == 0)
        return;
    double most = 0;
    for (int node = 0; node < fabric.nodes(); ++node)
        if (fabric.parentOf(node) >= 0)
            most = std::max(most, fabric.bandwidth({LinkKind::trunk, node}));
    QPainter& painter = frame.painter;
    painter.setRenderHint(QPainter::Antialiasing);
    struct Label {
        QPointF place;
        float share;
    };
    std::vector<Label> labels;
    const auto trunk = [&](int node, const QRectF& childRect) {
        const int parent = fabric.parentOf(node);
        if (parent < 0 || scene.nodeRect(parent).isNull())
            return;
        const QRectF above = frame.camera.toView(scene.nodeRect(parent));
        const QRectF below = frame.camera.toView(childRect);
        const double capacity = fabric.bandwidth({LinkKind::trunk, node});
        const double width = std::min(
            std::clamp(widestWire * (most > 0 ? std::sqrt(capacity / most) : 1.0), leastWire, widestWire),
            std::max(leastWire, below.width() * 0.3));
        const float share = frame.marks.trunk[ix(node)];
        const bool lit = frame.marks.litNodes[ix(node)] != 0;
        const QPointF from(above.center().x(), above.bottom()), to(below.center().x(), below.top());
        paintWire(frame, from, to, width, share, lit);
        if ((lit || !frame.marks.selected) && share > 0 && below.width() > 40 && to.y() - from.y() > 28)
            labels.push_back({(from + to) / 2, share});
    };
    for (int node = 0; node < fabric.nodes(); ++node)
        if (!scene.nodeRect(node).isNull())
            trunk(node, scene.nodeRect(node));
    for (std::size_t i = 0; i < scene.cards().size(); ++i) {
        const TopologyScene::Card& card = scene.cards()[i];
        if (!card.top)
            continue;
        if (card.node >= 0) {
            trunk(card.node, card.rect);
            continue;
        }
        bool lit = false;
        for (int n = 0; n < card.count && !lit; ++n)
            lit = frame.marks.litHosts[ix(scene.order()[ix(card.first + n)])] != 0;
        for (const int leaf : card.leaves) {
            const QRectF above = frame.camera.toView(scene.nodeRect(leaf));
            const QRectF below = frame.camera.toView(card.rect);
            const QPointF to(std::clamp(above.center().x(), below.left() + 6,
                                        std::max(below.left() + 6, below.right() - 6)),
                             below.top());
            paintWire(frame, {above.center().x(), above.bottom()}, to,
                      std::min(widestWire, std::max(leastWire, above.width() * 0.3)), frame.marks.cards[i],
                      lit);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    // Where several end close to each other, one figure is enough.
    std::ranges::sort(labels, {}, [](const Label& label) { return label.place.x(); });
    double end = -1e9, row = -1e9;
    for (const Label& label : labels) {
        const QString words = percent(label.share);
        const double width = frame.smallMetrics.horizontalAdvance(words);
        const QRectF ground(label.place.x() - width / 2 - 3, label.place.y() - 8, width + 6, 16);
        if (ground.left() < end && std::abs(row - ground.top()) < 16)
            continue;
        end = ground.right() + 4;
        row = ground.top();
        painter.fillRect(ground, frame.look.colour(Role::base));
        paintText(frame, frame.small, frame.smallMetrics, {ground.left() + 3, ground.bottom() - 4}, words,
                  frame.look.colour(Role::text));
    }
}

void TopologyPainter::paintNodes(const Frame& frame) {
    const TopologyScene& scene = frame.data.scene;
    QPainter& painter = frame.painter;
    for (int node = 0; node < scene.nodes(); ++node) {
        const QRectF box = topologyNodeBox(frame.data, frame.camera, node, frame.smallMetrics);
        if (!box.intersects(QRectF(QPointF(), frame.size))) // a null one, too
            continue;
        const bool lit = frame.marks.litNodes[ix(node)] != 0;
        const bool chosen = frame.marks.node == node;
        const bool quiet = frame.marks.selected && !lit && !chosen;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(lit ? frame.look.classStyle(Bound::efa).colour
                                : frame.look.colour(quiet ? Role::line : Role::line2),
                            lit ? 1.5 : 1));
        painter.setBrush(frame.look.colour(Role::raised));
        painter.drawRoundedRect(box, std::min(boxCorner, box.height() / 4),
                                std::min(boxCorner, box.height() / 4));
        painter.setRenderHint(QPainter::Antialiasing, false);
        ++counts_.nodes;
        if (box.height() >= leastNamedHeight && box.width() >= 36) {
            const QString words = fittingName(frame.data.nodeName(node), frame.smallMetrics, box.width() - 8);
            const double width = frame.smallMetrics.horizontalAdvance(words);
            paintText(frame, frame.small, frame.smallMetrics,
                      {box.center().x() - width / 2, box.center().y() + frame.smallMetrics.ascent() / 2 - 1},
                      words, frame.look.colour(quiet ? Role::text3 : Role::text));
        }
    }
}

/// Grounds, titles and load of the cards. Which of them are to be seen is kept for what is drawn on them.
void TopologyPainter::paintCards(const Frame& frame) {
    const TopologyScene& scene = frame.data.scene;
    const std::size_t room = cards_.capacity();
    cards_.clear();
    cards_.reserve(scene.cards().size());
    counts_.buffersGrown += cards_.capacity() > room ? 1 : 0;
    QPainter& painter = frame.painter;
    const Fabric& fabric = frame.data.map.fabric;
    const int chosenCard = frame.marks.gpu >= 0    ? scene.cardOf(fabric.hostOf(frame.marks.gpu))
                           : frame.marks.host >= 0 ? scene.cardOf(frame.marks.host)
                                                   : -1;
    for (std::size_t i = 0; i < scene.cards().size(); ++i) {
        const TopologyScene::Card& card = scene.cards()[i];
        if (!card.rect.intersects(frame.visible))
            continue;
        cards_.push_back(static_cast<int>(i));
        ++counts_.cards;
        const QRectF box = frame.camera.toView(card.rect);
        const bool chosen =
            chosenCard == static_cast<int>(i) || (card.node >= 0 && frame.marks.node == card.node);
        const bool lit = card.node >= 0 && frame.marks.litNodes[ix(card.node)] != 0;
        const QColor edge = chosen ? frame.look.colour(Role::text)
                            : lit  ? frame.look.classStyle(Bound::efa).colour
                                   : frame.look.colour(Role::line);
        if (box.width() > 40) {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(edge, chosen || lit ? 1.5 : 1));
            painter.setBrush(frame.look.colour(Role::alt));
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), cardCorner, cardCorner);
            painter.setRenderHint(QPainter::Antialiasing, false);
        } else {
            painter.fillRect(box, edge);
            painter.fillRect(box.adjusted(1, 1, -1, -1), frame.look.colour(Role::alt));
        }
        const double header = scene.cardHeader() * frame.camera.scale;
        const float share = card.node >= 0 ? frame.marks.trunk[ix(card.node)] : frame.marks.cards[i];
        const double inset = std::min(8.0, 0.4 * frame.camera.scale);
        // A title stays in the picture for as long as its card does.
        const double left = std::max(box.left() + inset + 2, 8.0),
                     right = std::min(box.right() - inset - 2, frame.size.width() - 8);
        const double base = box.top() + (header > 44 ? header - 12 : std::min(header / 2 + 5, header - 4));
        if (header >= 17 && right - left >= 60) {
            const QString words = frame.data.hasTraffic && right - left > 140 ? percent(share) : QString();
            const double width = frame.smallMetrics.horizontalAdvance(words);
            paintText(frame, frame.strong, frame.strongMetrics, {left, base},
                      fittingName(frame.data.cardName(static_cast<int>(i)), frame.strongMetrics,
                                  right - left - width - 8),
                      frame.look.colour(Role::text));
            if (!words.isEmpty())
                paintText(frame, frame.small, frame.smallMetrics, {right - width, base}, words,
                          frame.look.colour(Role::text2));
        }
        // The load of what leads out of the card.
        const double barHeight = std::clamp(header * 0.18, 1.0, 4.0);
        const QRectF bar(box.left() + inset, box.top() + header - barHeight - std::min(3.0, header * 0.1),
                         std::max(1.0, box.width() - 2 * inset), barHeight);
        painter.fillRect(bar, frame.look.colour(Role::sunken));
        if (share > 0)
            painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * std::min(1.0F, share), bar.height())),
                             frame.look.classStyle(Bound::efa).colour);
    }
}

/// From hosts whose uplink is on a path to the top of their card.
void TopologyPainter::paintLeaders(const Frame& frame) {
    if (frame.detail == TopologyDetail::tiles || frame.detail == TopologyDetail::gpus)
        return;
    const TopologyScene& scene = frame.data.scene;
    std::size_t drawn = 0;
    frame.painter.setPen(QPen(frame.look.classStyle(Bound::efa).colour, 1.5));
    for (const int index : cards_) {
        const TopologyScene::Card& card = scene.cards()[ix(index)];
        double top = 0, bottom = -1, x = 0;
        for (int n = 0; n < card.count; ++n) {
            const int host = scene.order()[ix(card.first + n)];
            if (frame.marks.litHosts[ix(host)] == 0 || ++drawn > mostLeaders)
                continue;
            const QRectF row = frame.camera.toView(scene.hostRect(host));
            const double edge = row.right() + 0.25 * frame.camera.scale;
            frame.painter.drawLine(QPointF(row.right() - 0.01 * row.width(), row.center().y()),
                                   {edge, row.center().y()});
            if (bottom < 0 || edge == x) {
                x = edge;
                top = frame.camera.toView(card.rect.topLeft()).y();
                bottom = std::max(bottom, row.center().y());
            }
        }
        if (bottom >= 0)
            frame.painter.drawLine(QPointF(x, top), QPointF(x, bottom));
    }
}

void TopologyPainter::paintChosen(const Frame& frame) {
    const TopologyScene& scene = frame.data.scene;
    QPainter& painter = frame.painter;
    const auto ring = [&](QRectF box, double least, const QColor& colour, double width) {
        if (box.width() < least)
            box.adjust((box.width() - least) / 2, 0, (least - box.width()) / 2, 0);
        if (box.height() < least)
            box.adjust(0, (box.height() - least) / 2, 0, (least - box.height()) / 2);
        painter.setPen(QPen(colour, width));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box, std::min(4.0, box.height() / 4), std::min(4.0, box.height() / 4));
    };
    // A peer of a pixel would not be found among a hundred thousand.
    if (frame.detail == TopologyDetail::tiles && frame.camera.scale < 6)
        for (std::size_t i = 0; i < frame.marks.peers.size(); ++i) {
            const QRectF world = scene.gpuRect(frame.marks.peers[i], TopologyDetail::tiles);
            if (!world.intersects(frame.visible))
                continue;
            const QPointF middle = frame.camera.toView(world.center());
            painter.fillRect(QRectF(std::floor(middle.x()) - 1, std::floor(middle.y()) - 1, 3, 3),
                             QColor::fromRgb(frame.marks.peerColours[i]));
        }
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = frame.look.colour(Role::text);
    if (frame.marks.gpu >= 0)
        ring(frame.camera.toView(scene.gpuRect(frame.marks.gpu, frame.detail)).adjusted(-2, -2, 2, 2), 9, ink,
             2.2);
    if (frame.marks.host >= 0)
        ring(frame.camera.toView(scene.hostRect(frame.marks.host)), 9, ink, 2);
    if (frame.marks.node >= 0 && !scene.nodeRect(frame.marks.node).isNull())
        ring(topologyNodeBox(frame.data, frame.camera, frame.marks.node, frame.smallMetrics)
                 .adjusted(-2, -2, 2, 2),
             9, ink, 2.2);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace alidade::views
