// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/theme/theme.h"
#include "views/topology/topology_camera.h"

#include <QFontMetricsF>
#include <QImage>
#include <QString>

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

    struct WireLabel {
        QPointF place; ///< middle
        QString words;
        double room = 0; ///< px that it may be wide; 0: any
    };

    // topology_paint.cpp
    void paintRows(const Frame& frame);
    void paintRowNames(const Frame& frame);
    void paintNodes(const Frame& frame);
    void findCards(const Frame& frame);
    void paintCards(const Frame& frame);
    void paintCard(const Frame& frame, int card);
    void paintChosen(const Frame& frame);
    void paintLeaders(const Frame& frame);
    void paintText(const Frame& frame, const QFont& font, const QPointF& base, const QString& words,
                   const QColor& ink);
    bool isFlat(const Frame& frame, int card) const;

    // topology_paint_wires.cpp
    void paintWires(const Frame& frame);
    void paintWire(const Frame& frame, const TopologyScene::Wire& wire);
    void paintRibbon(const Frame& frame, const TopologyScene::Gap& gap, std::size_t first, std::size_t end);
    void paintBand(const Frame& frame, const TopologyScene::Gap& gap);
    void paintBus(const Frame& frame, const TopologyScene::Gap& gap);
    void paintBusWire(const Frame& frame, const TopologyScene::Gap& gap, const TopologyScene::Wire& wire);
    void paintWireLabels(const Frame& frame);

    // topology_paint_tiles.cpp
    static QRect deviceRect(const Frame& frame, const QRectF& world);
    void paintFlatCards(const Frame& frame);
    void paintTiles(const Frame& frame, const std::vector<int>& cards);
    QRect writeCard(const Frame& frame, int card, bool flat);
    void writeGpu(const Frame& frame, int gpu, const QRect& cell);
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
    std::vector<WireLabel> labels_;
    double trunkMost_ = 0; ///< bytes/s of the widest trunk
};

/// Where the box of a network node is drawn, in pixels: in the middle of where the scene has it, no higher
/// than a line of text, and as wide as its name needs where there is room; null for a node that is a card.
QRectF topologyNodeBox(const TopologyData& data, const TopologyCamera& camera, int node,
                       const QFontMetricsF& small);

/// A share of a link in words: "12 %", "< 1 %".
QString topologyPercent(float share);

/// Ink that can be read on a fill: a contrast of 4.5 : 1 or more, whatever the fill.
/// \param quiet a paler ink, where that is enough
QColor topologyInk(QRgb fill, const Theme& look, bool quiet = false);

} // namespace alidade::views
