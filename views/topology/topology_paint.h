// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"
#include "views/topology/topology_camera.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainterPath>

#include <vector>

class QPainter;

namespace alidade::views {

struct TopologyData;
struct TopologyLook;

/// What a frame drew.
struct TopologyCounts {
    int cards = 0, hosts = 0, nodes = 0, wires = 0, labels = 0;
    int gpuPixels = 0; ///< GPUs written into the image of tiles
    int gpuCells = 0;  ///< GPUs drawn as cells
    int gpus() const { return gpuPixels + gpuCells; }
    int buffersGrown =
        0; ///< times that memory was taken for the picture; 0 from the second frame of a size on
};

/// Draws the part of a cluster that a camera sees. What lies outside is left out; memory is kept from frame
/// to frame.
class TopologyPainter {
public:
    /// \param vector the device keeps shapes: no image of tiles
    TopologyCounts paint(QPainter& painter, const TopologyData& data, const TopologyLook& marks,
                         const Theme& look, const TopologyCamera& camera, const QSizeF& size,
                         bool vector = false);

private:
    /// All that the parts of one frame share.
    struct Frame {
        QPainter& painter;
        const TopologyData& data;
        const TopologyLook& marks;
        const Theme& look;
        const TopologyCamera& camera;
        QSizeF size;
        QRectF visible; ///< world
        TopologyDetail detail;
        bool vector;
        QFont small, strong, block;
        QFontMetricsF smallMetrics, strongMetrics, blockMetrics;
        double ratio;     ///< device pixels of a logical one
        double rankWidth; ///< px of the longest rank in the block font
    };

    // topology_paint.cpp
    void paintRows(const Frame& frame);
    void paintWires(const Frame& frame);
    void paintWire(const Frame& frame, const QPointF& from, const QPointF& to, double width, float share,
                   bool lit);
    void paintNodes(const Frame& frame);
    void paintCards(const Frame& frame);
    void paintChosen(const Frame& frame);
    void paintLeaders(const Frame& frame);
    void paintText(const Frame& frame, const QFont& font, const QFontMetricsF& metrics, const QPointF& base,
                   const QString& words, const QColor& ink);

    // topology_paint_tiles.cpp
    void paintTiles(const Frame& frame, const std::vector<int>& cards);
    void writeCard(const Frame& frame, int card);
    void paintTilesAsShapes(const Frame& frame, const std::vector<int>& cards);

    // topology_paint_hosts.cpp
    void paintHosts(const Frame& frame, const std::vector<int>& cards);
    void paintHostRow(const Frame& frame, int host);
    void paintMachine(const Frame& frame, int host);
    void paintCell(const Frame& frame, int gpu, const QRectF& cell);
    void paintGpuFacts(const Frame& frame, int gpu, const QRectF& cell, const QColor& ink);

    TopologyCounts counts_;
    QImage tiles_;
    std::vector<int> cards_; ///< that are to be seen
    QPainterPath wire_;
};

/// Where the box of a network node is drawn, in pixels: as the scene has it, but as wide as its name needs
/// where nodes are few and no other box is in the way; null for a node that is a card.
QRectF topologyNodeBox(const TopologyData& data, const TopologyCamera& camera, int node,
                       const QFontMetricsF& small);

/// Ink that can be read on a fill.
QColor topologyInk(QRgb fill, const Theme& look);

} // namespace alidade::views
