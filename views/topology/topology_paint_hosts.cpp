// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/document/text.h"
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_facts.h"
#include "views/topology/topology_look.h"
#include "views/topology/topology_paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double cellCorner = 4; // px

QString rankWords(int rank) { return rank < 0 ? QString() : QString::number(rank); }

/// A bar whose filled part is a share of it.
void paintShare(QPainter& painter, const QRectF& bar, float share, const QColor& track, const QColor& fill) {
    painter.fillRect(bar, track);
    if (share > 0)
        painter.fillRect(
            QRectF(bar.topLeft(), QSizeF(std::max(1.0, bar.width() * std::min(1.0F, share)), bar.height())),
            fill);
}

/// What a color that lets something through looks like on a ground.
QColor over(const QColor& color, const QColor& ground) {
    const auto mix = [&](int a, int b) {
        return static_cast<int>(std::lround(b + (a - b) * static_cast<double>(color.alphaF())));
    };
    return QColor(mix(color.red(), ground.red()), mix(color.green(), ground.green()),
                  mix(color.blue(), ground.blue()));
}

QColor faded(QColor color, bool quiet) {
    if (quiet)
        color.setAlphaF(0.3F);
    return color;
}

} // namespace

void TopologyPainter::paintHosts(const Frame& frame, const std::vector<int>& cards) {
    const TopologyScene& scene = frame.data.scene;
    for (const int index : cards) {
        const TopologyScene::Card& card = scene.cards()[ix(index)];
        for (int n = 0; n < card.count; ++n) {
            const int host = scene.order()[ix(card.first + n)];
            if (!scene.hostRect(host).intersects(frame.visible))
                continue;
            ++counts_.hosts;
            if (frame.detail == TopologyDetail::hosts)
                paintHostRow(frame, host);
            else
                paintMachine(frame, host);
        }
    }
}

void TopologyPainter::paintHostRow(const Frame& frame, int host) {
    const TopologyScene& scene = frame.data.scene;
    const int perHost = scene.gpusPerHost();
    const bool lit = frame.marks.litHosts[ix(host)] != 0;
    const bool quiet = frame.marks.selected && !lit;
    const QRectF label = frame.camera.toView(scene.labelRect(host, frame.detail));
    if (label.height() >= 12)
        paintText(frame, frame.small,
                  {label.left() + 2, label.center().y() + frame.smallMetrics.ascent() / 2 - 1},
                  fittingName(frame.data.hostName(host), frame.smallMetrics, label.width() - 5),
                  frame.look.color(lit ? Role::text : Role::text2));
    for (int slot = 0; slot < perHost; ++slot) {
        const int gpu = host * perHost + slot;
        const QRectF world = scene.gpuRect(gpu, frame.detail);
        if (world.intersects(frame.visible))
            paintCell(frame, gpu, frame.camera.toView(world));
    }
    QRectF bar = frame.camera.toView(scene.uplinkRect(host));
    paintShare(frame.painter, bar, frame.marks.uplink[ix(host)], frame.look.color(Role::sunken),
               faded(frame.look.classStyle(Bound::efa).color, quiet));
}

/// A cell with the rank in it. Corners are round where they can be seen.
void TopologyPainter::paintCell(const Frame& frame, int gpu, const QRectF& exact) {
    QPainter& painter = frame.painter;
    const std::uint8_t marks = frame.marks.marks[ix(gpu)];
    const QRgb fill = frame.marks.gpus[ix(gpu)];
    const QRectF cell(std::round(exact.left()), std::round(exact.top()), std::round(exact.width()),
                      std::round(exact.height()));
    ++counts_.gpuCells;
    const bool ringed = (marks & TopologyLook::ringed) != 0;
    QColor edge = frame.look.color(marks & TopologyLook::quiet ? Role::line : Role::line2);
    if (ringed)
        for (std::size_t i = 0; i < frame.marks.peers.size(); ++i)
            if (frame.marks.peers[i] == gpu)
                edge = QColor::fromRgb(frame.marks.peerColors[i]);
    if (cell.height() < 20 && !frame.vector) {
        painter.fillRect(cell, edge);
        painter.fillRect(cell.adjusted(1, 1, -1, -1), QColor::fromRgb(fill));
    } else {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(edge, ringed ? 2 : 1, marks & TopologyLook::idle ? Qt::DashLine : Qt::SolidLine));
        painter.setBrush(QColor::fromRgb(fill));
        painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), cellCorner, cellCorner);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    if (marks & (TopologyLook::excluded | TopologyLook::unfit))
        painter.fillRect(cell.adjusted(1, 1, -1, -1),
                         QBrush(frame.look.color(Role::text3),
                                marks & TopologyLook::excluded ? Qt::BDiagPattern : Qt::DiagCrossPattern));
    else if (marks & TopologyLook::unmeasured)
        painter.fillRect(cell.adjusted(1, 1, -1, -1),
                         QBrush(frame.look.color(Role::line2), Qt::BDiagPattern));
    const int rank = frame.data.rankOf(gpu);
    if (rank < 0)
        return;
    const QColor ink = topologyInk(fill, frame.look, (marks & TopologyLook::quiet) != 0);
    if (frame.detail == TopologyDetail::gpus && cell.height() > 70)
        return paintGpuFacts(frame, gpu, cell, ink);
    const bool large = cell.height() >= 22 && cell.width() >= frame.rankWidth * 1.15 + 6;
    const QFontMetricsF& metrics = large ? frame.smallMetrics : frame.blockMetrics;
    const QString words = rankWords(rank);
    const double width = metrics.horizontalAdvance(words);
    if (cell.width() < frame.rankWidth + 1 || cell.height() < metrics.ascent())
        return;
    if (marks & TopologyLook::unmeasured) // the hatching stays away from the figure
        painter.fillRect(QRectF(cell.center().x() - width / 2 - 2,
                                cell.center().y() - metrics.ascent() / 2 - 1, width + 4,
                                metrics.ascent() + 2),
                         QColor::fromRgb(fill));
    paintText(frame, large ? frame.small : frame.block,
              {cell.center().x() - width / 2, cell.center().y() + metrics.ascent() / 2 - 1}, words, ink);
}

void TopologyPainter::paintMachine(const Frame& frame, int host) {
    const TopologyScene& scene = frame.data.scene;
    QPainter& painter = frame.painter;
    const int perHost = scene.gpusPerHost();
    const bool lit = frame.marks.litHosts[ix(host)] != 0;
    const bool quiet = frame.marks.selected && !lit;
    const QColor nvlink = frame.look.classStyle(Bound::nvlink).color,
                 network = frame.look.classStyle(Bound::efa).color;
    const QColor track = frame.look.color(Role::sunken);
    const double line = frame.smallMetrics.height();

    const QRectF label = frame.camera.toView(scene.labelRect(host, frame.detail));
    double y = label.top() + frame.smallMetrics.ascent();
    const auto tell = [&](const QString& words, Role ink) {
        if (y < label.bottom())
            paintText(frame, frame.small, {label.left() + 2, y},
                      fittingName(words, frame.smallMetrics, label.width() - 4), frame.look.color(ink));
        y += line;
    };
    tell(frame.data.hostName(host), Role::text);
    tell(TopologyText::tr("Uplink %1").arg(topologyPercent(frame.marks.uplink[ix(host)])), Role::text2);
    if (frame.data.isExcluded(host))
        tell(TopologyText::tr("Left out"), Role::warn);
    else if (frame.data.isUnfit(host))
        tell(TopologyText::tr("Another machine"), Role::warn);
    else if (const std::string& zone =
                 frame.data.map.zones.empty() ? std::string() : frame.data.map.zones[ix(host)];
             !zone.empty())
        tell(text(zone), Role::text2);
    const bool hasSwitch = frame.data.map.fabric.speeds.nvlinkBandwidth > 0;
    if (hasSwitch) {
        const QRectF bar = frame.camera.toView(scene.switchRect(host));
        const QColor ground = over(faded(nvlink, true), frame.look.color(Role::alt));
        painter.fillRect(bar, ground);
        const QString words = TopologyText::tr("NVSwitch");
        if (bar.height() >= line - 2)
            paintText(frame, frame.block,
                      {bar.left() + 6, bar.center().y() + frame.blockMetrics.ascent() / 2 - 1}, words,
                      topologyInk(ground.rgb(), frame.look));
    }
    for (int slot = 0; slot < perHost; ++slot) {
        const int gpu = host * perHost + slot;
        const QRectF world = scene.gpuRect(gpu, frame.detail);
        if (world.right() < frame.visible.left() || world.left() > frame.visible.right())
            continue;
        if (hasSwitch) {
            const QRectF stub = frame.camera.toView(scene.nvlinkRect(gpu));
            painter.fillRect(stub, track);
            const float share = std::min(1.0F, frame.marks.nvlink[ix(gpu)]);
            painter.fillRect(QRectF(stub.left(), stub.bottom() - stub.height() * share, stub.width(),
                                    stub.height() * share),
                             nvlink);
        }
        paintCell(frame, gpu, frame.camera.toView(world));
        const QRectF card = frame.camera.toView(scene.nicRect(gpu));
        const float share = frame.marks.nic[ix(gpu)];
        paintShare(painter, card, share, track, faded(network, quiet));
        const QString words = TopologyText::tr("NIC %1").arg(topologyPercent(share));
        if (card.height() >= frame.blockMetrics.ascent() + 1 &&
            card.width() > frame.blockMetrics.horizontalAdvance(words) + 6) {
            const QPointF base(card.left() + 3, card.center().y() + frame.blockMetrics.ascent() / 2 - 1);
            const QColor load = over(faded(network, quiet), track);
            // Each part of the words in the ink of what lies below it.
            painter.save();
            const double filled = card.left() + std::max(1.0, card.width() * std::min(1.0F, share));
            painter.setClipRect(QRectF(filled, card.top(), card.right() - filled, card.height()));
            paintText(frame, frame.block, base, words, topologyInk(track.rgb(), frame.look));
            painter.setClipRect(QRectF(card.left(), card.top(), filled - card.left(), card.height()));
            paintText(frame, frame.block, base, words, topologyInk(load.rgb(), frame.look));
            painter.restore();
        }
    }
}

/// What a GPU does, line by line, and its memory as a bar.
void TopologyPainter::paintGpuFacts(const Frame& frame, int gpu, const QRectF& cell, const QColor& ink) {
    const TopologyData& data = frame.data;
    const int rank = data.rankOf(gpu);
    const Coordinates place = data.map.coordinates(rank);
    const Degrees& degrees = data.degrees;
    double y = cell.top() + 6 + frame.strongMetrics.ascent();
    paintText(frame, frame.strong, {cell.left() + 8, y},
              fittingName(TopologyText::tr("Rank %L1").arg(rank), frame.strongMetrics, cell.width() - 12),
              ink);
    const auto tell = [&](const QString& words) {
        y += frame.smallMetrics.height();
        if (y < cell.bottom() - 14)
            paintText(frame, frame.small, {cell.left() + 8, y},
                      fittingName(words, frame.smallMetrics, cell.width() - 12), ink);
    };
    QStringList coordinates;
    if (degrees.tensor > 1)
        coordinates.append(TopologyText::tr("TP %1").arg(place.tensor));
    if (degrees.pipeline > 1)
        coordinates.append(TopologyText::tr("PP %1").arg(place.pipeline));
    if (data.map.serving && data.replicas() > 1)
        coordinates.append(data.replicaName(data.replicaOf(rank)));
    else if (!data.map.serving && degrees.data > 1)
        coordinates.append(TopologyText::tr("DP %1").arg(place.data));
    if (!coordinates.isEmpty())
        tell(coordinates.join(QStringLiteral(", ")));
    coordinates.clear();
    if (degrees.expert > 1)
        coordinates.append(TopologyText::tr("EP %1").arg(place.expert));
    if (degrees.context > 1)
        coordinates.append(TopologyText::tr("CP %1").arg(place.context));
    if (!coordinates.isEmpty())
        tell(coordinates.join(QStringLiteral(", ")));
    if (const auto& training = data.estimate->training;
        training && ix(place.pipeline) < training->stages.size() && training->stages.size() > 1)
        tell(TopologyText::tr("Stage %1, %2 layers")
                 .arg(place.pipeline)
                 .arg(training->stages[ix(place.pipeline)].layers));
    for (const GroupKind kind : data.kinds)
        if (const double bytes = data.traffic.bytes({LinkKind::nic, gpu}, kind); bytes > 0)
            tell(TopologyText::tr("%1 sends %2 per step over the network")
                     .arg(topologyGroupName(kind), quantity(bytes, Dimension::bytes)));
        else if (const double near = data.traffic.bytes({LinkKind::nvlink, gpu}, kind); near > 0)
            tell(TopologyText::tr("%1 sends %2 per step over NVLink")
                     .arg(topologyGroupName(kind), quantity(near, Dimension::bytes)));
    const double memory = data.memory[ix(gpu)];
    if (memory <= 0 || data.memoryCapacity <= 0)
        return;
    tell(TopologyText::tr("%1 of %2")
             .arg(quantity(memory, Dimension::bytes), quantity(data.memoryCapacity, Dimension::bytes)));
    const QRectF bar(cell.left() + 8, cell.bottom() - 12, cell.width() - 16, 5);
    QColor track = ink;
    track.setAlphaF(0.2F);
    paintShare(frame.painter, bar, static_cast<float>(memory / data.memoryCapacity), track, ink);
}

} // namespace alidade::views
