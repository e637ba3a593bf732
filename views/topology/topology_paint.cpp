// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_paint.h"

#include "views/document/text.h"
#include "views/theme/sure_inks.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_look.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double cardCorner = 6, boxCorner = 4; // px
constexpr double leastNamedHeight = 12;         // px of a box that has its name in it
constexpr double leastNamedWidth = 44;          // px of room for such a box
constexpr int fewestLetters = 8;                // of a name that is cut
constexpr double boxSpacing = 8;                // px between boxes with names
constexpr double widestNamelessBox = 60;        // px
constexpr double plainBox = 14;                 // px: narrower ones have no round corners
constexpr double leastFramedCard = 40;          // px of a card with a frame
constexpr double leastHeader = 5;               // px of its title
constexpr double rowNameInset = 8;              // px
constexpr double leastContrast = 4.5;
constexpr std::size_t mostLeaders = 64; // hosts whose way to their leaf is drawn

/// WCAG 2.1
double relativeLuminance(QRgb color) {
    const auto linear = [](int part) {
        const double c = part / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(qRed(color)) + 0.7152 * linear(qGreen(color)) + 0.0722 * linear(qBlue(color));
}

} // namespace

QString topologyPercent(float share) {
    const long percent = std::lround(share * 100);
    return share > 0 && percent == 0 ? TopologyText::tr("< 1 %") : TopologyText::tr("%1 %").arg(percent);
}

QColor topologyInk(QRgb fill, const Theme& look, bool quiet) {
    const double ground = relativeLuminance(fill);
    const auto contrast = [ground](const QColor& ink) {
        const double own = relativeLuminance(ink.rgb());
        return (std::max(own, ground) + 0.05) / (std::min(own, ground) + 0.05);
    };
    if (quiet)
        for (const Role pale : {Role::text3, Role::text2})
            if (contrast(look.color(pale)) >= leastContrast)
                return look.color(pale);
    QColor best = look.color(Role::text);
    for (const QColor& ink : {look.color(Role::text), look.color(Role::base)})
        if (contrast(ink) > contrast(best))
            best = ink;
    // Half way up the ramp neither reaches it; black or white does on any color.
    if (contrast(best) < leastContrast)
        for (const QColor& ink : sureInks)
            if (contrast(ink) > contrast(best))
                best = ink;
    return best;
}

QRectF topologyNodeBox(const TopologyData& data, const TopologyCamera& camera, int node,
                       const QFontMetricsF& small) {
    const TopologyScene& scene = data.scene;
    if (scene.nodeRect(node).isNull())
        return {};
    const QRectF box = camera.toView(scene.nodeRect(node));
    const double room = scene.nodeRoom(node) * camera.scale - boxSpacing;
    const double height = std::min(box.height(), small.height() + 8);
    double width = std::min(box.width(), widestNamelessBox);
    if (height >= leastNamedHeight && room >= leastNamedWidth)
        width = std::clamp(small.horizontalAdvance(data.nodeName(node)) + 12, std::min(width, room), room);
    return {box.center().x() - width / 2, box.center().y() - height / 2, width, height};
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
    findCards(frame);
    const bool asImage = frame.detail == TopologyDetail::tiles && !vector;
    if (asImage)
        paintFlatCards(frame); // and the ground
    else
        painter.fillRect(QRectF(QPointF(), size), look.color(Role::base));
    paintRows(frame);
    paintWires(frame);
    paintNodes(frame);
    paintCards(frame);
    if (asImage)
        paintTiles(frame, cards_);
    else if (frame.detail == TopologyDetail::tiles)
        paintTilesAsShapes(frame, cards_);
    else
        paintHosts(frame, cards_);
    paintLeaders(frame);
    paintChosen(frame);
    paintRowNames(frame);
    return counts_;
}

void TopologyPainter::paintText(const Frame& frame, const QFont& font, const QPointF& base,
                                const QString& words, const QColor& ink) {
    frame.painter.setFont(font);
    frame.painter.setPen(ink);
    frame.painter.drawText(base, words);
    ++counts_.labels;
}

/// A hairline through each row of boxes.
void TopologyPainter::paintRows(const Frame& frame) {
    for (const TopologyScene::Row& row : frame.data.scene.rows()) {
        const double y = std::round(frame.camera.toView(QPointF(0, row.y)).y());
        if (row.kind == TopologyScene::RowKind::switches && y >= 0 && y <= frame.size.height())
            frame.painter.fillRect(QRectF(0, y, frame.size.width(), 1), frame.look.color(Role::grid));
    }
}

/// Each row of boxes and cards by its name at the left edge, over all else.
void TopologyPainter::paintRowNames(const Frame& frame) {
    const double height = frame.smallMetrics.height();
    double end = -1;
    for (const TopologyScene::Row& row : frame.data.scene.rows()) {
        const bool boxes = row.kind == TopologyScene::RowKind::switches;
        const double edge = frame.camera.toView(QPointF(0, row.y)).y();
        // Of cards above them, where that is free: there it hides nothing.
        double y = boxes ? edge - height / 2 : edge - height - 1;
        if (!boxes && y < end)
            y = edge + 2;
        if (y < std::max(end, 0.0) || y + height > frame.size.height())
            continue;
        const QString words = row.kind == TopologyScene::RowKind::domains
                                  ? TopologyText::tr("NVLink domains")
                                  : TopologyText::tr("Layer %1").arg(row.layer + 1);
        const QRectF ground(0, std::round(y), frame.smallMetrics.horizontalAdvance(words) + rowNameInset + 4,
                            height);
        frame.painter.fillRect(ground, frame.look.color(Role::base));
        paintText(frame, frame.small, {rowNameInset, ground.top() + frame.smallMetrics.ascent()}, words,
                  frame.look.color(Role::text2));
        end = y + height;
    }
}

void TopologyPainter::paintNodes(const Frame& frame) {
    const TopologyScene& scene = frame.data.scene;
    QPainter& painter = frame.painter;
    for (int node = 0; node < scene.nodes(); ++node) {
        const QRectF& place = scene.nodeRect(node);
        const double half = scene.nodeRoom(node) / 2;
        if (place.isNull() || place.bottom() < frame.visible.top() || place.top() > frame.visible.bottom() ||
            place.center().x() + half < frame.visible.left() ||
            place.center().x() - half > frame.visible.right())
            continue;
        const QRectF box = topologyNodeBox(frame.data, frame.camera, node, frame.smallMetrics);
        const bool lit = frame.marks.litNodes[ix(node)] != 0;
        const bool chosen = frame.marks.node == node;
        const bool quiet = frame.marks.selected && !lit && !chosen;
        const QColor edge = lit ? frame.look.classStyle(Bound::efa).color
                                : frame.look.color(quiet ? Role::line : Role::line2);
        ++counts_.nodes;
        if (box.width() < plainBox) {
            painter.fillRect(box, edge);
            if (box.width() > 3)
                painter.fillRect(box.adjusted(1, 1, -1, -1), frame.look.color(Role::raised));
            continue;
        }
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(edge, lit ? 1.5 : 1));
        painter.setBrush(frame.look.color(Role::raised));
        painter.drawRoundedRect(box, std::min(boxCorner, box.height() / 4),
                                std::min(boxCorner, box.height() / 4));
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (box.height() >= leastNamedHeight && box.width() >= 36) {
            const QString name = frame.data.nodeName(node);
            const QString words = fittingName(name, frame.smallMetrics, box.width() - 8);
            if (words.size() < name.size() && words.size() < fewestLetters)
                continue; // too little of it to know it by
            const double width = frame.smallMetrics.horizontalAdvance(words);
            paintText(frame, frame.small,
                      {box.center().x() - width / 2, box.center().y() + frame.smallMetrics.ascent() / 2 - 1},
                      words, frame.look.color(quiet ? Role::text2 : Role::text));
        }
    }
}

/// The cards that are to be seen.
void TopologyPainter::findCards(const Frame& frame) {
    const TopologyScene& scene = frame.data.scene;
    const std::size_t room = cards_.capacity();
    cards_.clear();
    cards_.reserve(scene.cards().size());
    counts_.buffersGrown += cards_.capacity() > room ? 1 : 0;
    for (std::size_t i = 0; i < scene.cards().size(); ++i)
        if (scene.cards()[i].rect.intersects(frame.visible))
            cards_.push_back(static_cast<int>(i));
    counts_.cards = static_cast<int>(cards_.size());
}

/// A card of a few pixels is all GPUs: a title, an edge and a bar of load would only be noise.
bool TopologyPainter::isFlat(const Frame& frame, int card) const {
    const TopologyScene& scene = frame.data.scene;
    return scene.cards()[ix(card)].rect.width() * frame.camera.scale <= leastFramedCard ||
           scene.cardHeader() * frame.camera.scale < leastHeader;
}

/// Grounds, titles and load of the cards.
void TopologyPainter::paintCards(const Frame& frame) {
    const bool asImage = frame.detail == TopologyDetail::tiles && !frame.vector;
    for (const int card : cards_)
        if (!asImage || !isFlat(frame, card))
            paintCard(frame, card);
}

void TopologyPainter::paintCard(const Frame& frame, int index) {
    const TopologyScene& scene = frame.data.scene;
    QPainter& painter = frame.painter;
    const Fabric& fabric = frame.data.map.fabric;
    const int chosenCard = frame.marks.gpu >= 0    ? scene.cardOf(fabric.hostOf(frame.marks.gpu))
                           : frame.marks.host >= 0 ? scene.cardOf(frame.marks.host)
                                                   : -1;
    const TopologyScene::Card& card = scene.cards()[ix(index)];
    const QRectF box = frame.camera.toView(card.rect);
    const bool chosen = chosenCard == index || (card.node >= 0 && frame.marks.node == card.node);
    const bool lit = card.node >= 0 && frame.marks.litNodes[ix(card.node)] != 0;
    const QColor edge = chosen ? frame.look.color(Role::text)
                        : lit  ? frame.look.classStyle(Bound::efa).color
                               : frame.look.color(Role::line);
    if (box.width() > 40) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(edge, chosen || lit ? 1.5 : 1));
        painter.setBrush(frame.look.color(Role::alt));
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), cardCorner, cardCorner);
        painter.setRenderHint(QPainter::Antialiasing, false);
    } else {
        painter.fillRect(box, edge);
        painter.fillRect(box.adjusted(1, 1, -1, -1), frame.look.color(Role::alt));
    }
    const double header = scene.cardHeader() * frame.camera.scale;
    const float share = card.node >= 0 ? frame.marks.trunk[ix(card.node)] : frame.marks.cards[ix(index)];
    const double inset = std::min(8.0, 0.4 * frame.camera.scale);
    // A title stays in the picture for as long as its card does.
    const double left = std::max(box.left() + inset + 2, 8.0),
                 right = std::min(box.right() - inset - 2, frame.size.width() - 8);
    const double base = box.top() + (header > 44 ? header - 12 : std::min(header / 2 + 5, header - 4));
    if (header >= 17 && right - left >= 60) {
        const QString words =
            frame.data.hasTraffic && right - left > 140 ? topologyPercent(share) : QString();
        const double width = frame.smallMetrics.horizontalAdvance(words);
        paintText(frame, frame.strong, {left, base},
                  fittingName(frame.data.cardName(index), frame.strongMetrics, right - left - width - 8),
                  frame.look.color(Role::text));
        if (!words.isEmpty())
            paintText(frame, frame.small, {right - width, base}, words, frame.look.color(Role::text2));
    }
    // The load of what leads out of the card.
    const double barHeight = std::clamp(header * 0.18, 1.0, 4.0);
    const QRectF bar(box.left() + inset, box.top() + header - barHeight - std::min(3.0, header * 0.1),
                     std::max(1.0, box.width() - 2 * inset), barHeight);
    painter.fillRect(bar, frame.look.color(Role::sunken));
    if (share > 0)
        painter.fillRect(QRectF(bar.topLeft(), QSizeF(bar.width() * std::min(1.0F, share), bar.height())),
                         frame.look.classStyle(Bound::efa).color);
}

/// From hosts whose uplink is on a path to the top of their card.
void TopologyPainter::paintLeaders(const Frame& frame) {
    if (frame.detail == TopologyDetail::tiles || frame.detail == TopologyDetail::gpus)
        return;
    const TopologyScene& scene = frame.data.scene;
    std::size_t drawn = 0;
    frame.painter.setPen(QPen(frame.look.classStyle(Bound::efa).color, 1.5));
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
    const auto ring = [&](QRectF box, double least, const QColor& color, double width) {
        if (box.width() < least)
            box.adjust((box.width() - least) / 2, 0, (least - box.width()) / 2, 0);
        if (box.height() < least)
            box.adjust(0, (box.height() - least) / 2, 0, (least - box.height()) / 2);
        painter.setPen(QPen(color, width));
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
                             QColor::fromRgb(frame.marks.peerColors[i]));
        }
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor ink = frame.look.color(Role::text);
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
