// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"

#include <QPointF>
#include <QRectF>

#include <vector>

namespace alidade::views {

/// How much of a cluster is drawn at a scale.
enum class TopologyDetail {
    tiles,    ///< each GPU a few pixels
    hosts,    ///< a row a host: name, GPUs, load of its uplink
    machines, ///< a host with its GPUs, NVSwitch and network cards
    gpus,     ///< what a GPU does
};

/// Where the parts of a cluster lie in the picture. World units: a host is one unit high. Hosts lie in cards
/// (an NVLink domain of several hosts, else the hosts below a leaf), cards in blocks below the network node
/// that they hang on, the other nodes in rows above them. A value; arrays of the size of the cluster.
class TopologyScene {
public:
    struct Card {
        QRectF rect;
        int node = -1;             ///< the leaf that it represents; -1: none
        int domain = -1;           ///< the NVLink domain that it represents; -1: none
        int first = 0;             ///< of its hosts in order()
        int count = 0;             ///< hosts
        int columns = 1;           ///< that they lie in
        bool top = true;           ///< the first of a column: no card lies between it and the nodes above
        std::vector<int> leaves{}; ///< nodes above it that have their own box
    };

    TopologyScene() = default;
    explicit TopologyScene(const Fabric& fabric);

    int hosts() const { return static_cast<int>(places_.size()); }
    int gpusPerHost() const { return gpusPerHost_; }
    QRectF bounds() const { return bounds_; }
    const std::vector<Card>& cards() const { return cards_; }
    /// Hosts card by card.
    const std::vector<int>& order() const { return order_; }
    int cardOf(int host) const { return cardOf_[static_cast<std::size_t>(host)]; }
    QRectF hostRect(int host) const;
    /// Box of a network node; a null rectangle where a card represents it.
    const QRectF& nodeRect(int node) const { return nodes_[static_cast<std::size_t>(node)]; }
    int nodes() const { return static_cast<int>(nodes_.size()); }
    /// Free width around the middle of a box: up to the middles of its neighbors.
    double nodeRoom(int node) const { return nodeRoom_[static_cast<std::size_t>(node)]; }
    /// What lies in a row of the picture.
    enum class RowKind { switches, cards, domains };
    /// Middle of each row of boxes, and the upper edge of each row of cards; top down.
    struct Row {
        double y = 0;
        int layer = 0; ///< network layer; of domains: -1
        RowKind kind = RowKind::switches;
    };
    const std::vector<Row>& rows() const { return rows_; }

    /// A link between a box and a box or card below it.
    struct Wire {
        int parent = -1;
        int node = -1; ///< whose trunk it is; -1: of hosts, to the leaf above their card
        int card = -1; ///< where it ends; -1: at the box of the node
        double x = 0;  ///< of its lower end
    };
    /// All wires between two rows of the picture, by the place of their lower ends.
    struct Gap {
        double top = 0, bottom = 0; ///< lower edge of the boxes above, upper edge of what is below
        double left = 0, right = 0; ///< of the lower ends
        bool bus = false;           ///< other cards lie between: the wires go around them at the left
        std::vector<Wire> wires{};
        std::vector<std::size_t> runs{}; ///< first wire of each stretch of neighbors below one parent
    };
    const std::vector<Gap>& gaps() const { return gaps_; }
    double gutter() const { return gutter_; } ///< x of the way around
    /// Where a wire ends.
    const QRectF& endOf(const Wire& wire) const {
        return wire.card >= 0 ? cards_[static_cast<std::size_t>(wire.card)].rect : nodeRect(wire.node);
    }
    double cardHeader() const; ///< height of a card's title

    /// Parts of a host at a level of detail, in world units.
    QRectF gpuRect(int gpu, TopologyDetail detail) const;
    QRectF nicRect(int gpu) const;     ///< of machines and gpus
    QRectF nvlinkRect(int gpu) const;  ///< between GPU and NVSwitch, of machines and gpus
    QRectF switchRect(int host) const; ///< NVSwitch, of machines and gpus
    QRectF uplinkRect(int host) const; ///< bar at the right end of a host, of hosts
    QRectF labelRect(int host, TopologyDetail detail) const; ///< null at tiles

    /// What lies at a place; -1: nothing of that kind.
    int cardAt(const QPointF& place) const;
    int hostAt(const QPointF& place) const;
    int gpuAt(const QPointF& place, TopologyDetail detail) const;
    int nodeOfTitle(const QPointF& place) const; ///< the node that a card represents, by the card's title

    /// The host next to one in a direction (one of dx, dy is 0); itself at the edge.
    int neighbor(int host, int dx, int dy) const;

private:
    struct Block {
        std::vector<int> anchors; ///< nodes on top of it
        std::vector<int> cards;
    };
    struct Arrangement;
    void makeCards(const Fabric& fabric);
    std::vector<Block> makeBlocks(const Fabric& fabric) const;
    Arrangement arranged(const std::vector<Block>& blocks, int upperRows) const;
    void layOut(const Fabric& fabric, const std::vector<Block>& blocks);
    void layOutBlock(const Block& block, const QPointF& place, const Arrangement& how, double blockWidth);
    void layOutTree(const Fabric& fabric, double pitch, double boxHeight);
    void labelRows(const Fabric& fabric);
    void measureRooms();
    void makeGaps(const Fabric& fabric, double treeHeight, bool shelved);
    QRectF inHost(int host, double left, double top, double right, double bottom) const;

    int gpusPerHost_ = 1;
    double aspect_ = 8;
    QRectF bounds_;
    std::vector<Card> cards_;
    std::vector<int> order_, cardOf_;
    std::vector<QPointF> places_; ///< top left of each host
    std::vector<QRectF> nodes_;
    std::vector<double> nodeRoom_;
    std::vector<bool> isCard_; ///< nodes that a card represents
    std::vector<Row> rows_;
    std::vector<Gap> gaps_;
    double gutter_ = 0;
};

} // namespace alidade::views
