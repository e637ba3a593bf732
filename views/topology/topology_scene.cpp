// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_scene.h"

#include "views/topology/topology_base.h"
#include "views/topology/topology_units.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alidade::views {
namespace {

using namespace topology_units;

/// Width of a host of unit height, so that its row holds a name, GPUs and a load bar.
double hostAspect(int gpus) { return gpus <= 2 ? 5 : gpus <= 8 ? 9 : 16; }

/// Share of a row that the name of a host takes.
double cellsFrom(int gpus) { return gpus <= 4 ? 0.32 : 0.25; }

/// Places of nodes in a walk from the top, so that what hangs together lies together.
std::vector<int> treeOrder(const Fabric& fabric) {
    const int count = fabric.nodes();
    std::vector<std::vector<int>> children(ix(count + 1));
    for (int node = 0; node < count; ++node) {
        const int parent = fabric.parentOf(node);
        children[ix(parent < 0 ? count : parent)].push_back(node);
    }
    std::vector<int> place(ix(count), 0);
    std::vector<int> open{count};
    int next = 0;
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (node < count)
            place[ix(node)] = next++;
        open.insert(open.end(), children[ix(node)].rbegin(), children[ix(node)].rend());
    }
    return place;
}

} // namespace

TopologyScene::TopologyScene(const Fabric& fabric)
    : gpusPerHost_(std::max(1, fabric.gpusPerHost))
    , aspect_(hostAspect(fabric.gpusPerHost))
    , cardOf_(ix(fabric.hosts()), 0)
    , places_(ix(fabric.hosts()))
    , nodes_(ix(fabric.nodes()))
    , nodeRoom_(ix(fabric.nodes()), 0)
    , isCard_(ix(fabric.nodes()), false) {
    if (fabric.hosts() == 0)
        return;
    makeCards(fabric);
    layOut(fabric, makeBlocks(fabric));
}

void TopologyScene::makeCards(const Fabric& fabric) {
    const std::vector<int> place = treeOrder(fabric);
    const auto domainOf = [&](int host) { return fabric.domainOf(host * gpusPerHost_); };
    std::vector<int> hostsIn(ix(std::max(1, fabric.domains)), 0);
    for (int host = 0; host < fabric.hosts(); ++host)
        ++hostsIn[ix(domainOf(host))];
    // A leaf with domains of several hosts keeps its box; the domains are the cards.
    std::vector<bool> hasDomains(ix(fabric.nodes()), false);
    for (int host = 0; host < fabric.hosts(); ++host)
        if (hostsIn[ix(domainOf(host))] > 1 && fabric.leafOf(host) >= 0)
            hasDomains[ix(fabric.leafOf(host))] = true;

    struct Key {
        int leafPlace, kind, id, host;
        auto operator<=>(const Key&) const = default;
    };
    std::vector<int> firstPlace(hostsIn.size(), fabric.nodes());
    for (int host = 0; host < fabric.hosts(); ++host)
        if (const int leaf = fabric.leafOf(host); leaf >= 0)
            firstPlace[ix(domainOf(host))] = std::min(firstPlace[ix(domainOf(host))], place[ix(leaf)]);
    std::vector<Key> keys;
    keys.reserve(ix(fabric.hosts()));
    for (int host = 0; host < fabric.hosts(); ++host) {
        const int leaf = fabric.leafOf(host), domain = domainOf(host);
        if (hostsIn[ix(domain)] > 1)
            keys.push_back({firstPlace[ix(domain)], 1, domain, host});
        else
            keys.push_back({leaf < 0 ? fabric.nodes() : place[ix(leaf)], 0, leaf, host});
    }
    std::ranges::sort(keys);
    for (const Key& key : keys) {
        const bool fresh = order_.empty() || cards_.back().domain != (key.kind == 1 ? key.id : -1) ||
                           (key.kind == 0 && fabric.leafOf(order_.back()) != key.id);
        if (fresh) {
            Card card;
            card.first = static_cast<int>(order_.size());
            if (key.kind == 1)
                card.domain = key.id;
            else if (key.id >= 0 && !hasDomains[ix(key.id)]) {
                card.node = key.id;
                isCard_[ix(key.id)] = true;
            }
            cards_.push_back(card);
        }
        Card& card = cards_.back();
        ++card.count;
        const int leaf = fabric.leafOf(key.host);
        const int above = card.node >= 0 ? fabric.parentOf(card.node) : leaf;
        if (above >= 0 && std::ranges::find(card.leaves, above) == card.leaves.end())
            card.leaves.push_back(above);
        order_.push_back(key.host);
        cardOf_[ix(key.host)] = static_cast<int>(cards_.size()) - 1;
    }
}

std::vector<TopologyScene::Block> TopologyScene::makeBlocks(const Fabric& fabric) const {
    // Nodes that share a card are on top of one block.
    std::vector<int> root(ix(fabric.nodes()));
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&root](int node) {
        while (root[ix(node)] != node)
            node = root[ix(node)] = root[ix(root[ix(node)])];
        return node;
    };
    for (const Card& card : cards_)
        for (const int leaf : card.leaves)
            root[ix(find(leaf))] = find(card.leaves.front());
    std::vector<Block> blocks;
    std::vector<int> blockOf(ix(fabric.nodes() + 1), -1);
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        const int key = cards_[i].leaves.empty() ? fabric.nodes() : find(cards_[i].leaves.front());
        int& block = blockOf[ix(key)];
        if (block < 0) {
            block = static_cast<int>(blocks.size());
            blocks.emplace_back();
        }
        Block& found = blocks[ix(block)];
        found.cards.push_back(static_cast<int>(i));
        for (const int leaf : cards_[i].leaves)
            if (std::ranges::find(found.anchors, leaf) == found.anchors.end())
                found.anchors.push_back(leaf);
    }
    return blocks;
}

double TopologyScene::cardHeader() const { return cardPadding + cardTitle; }

QRectF TopologyScene::hostRect(int host) const { return {places_[ix(host)], QSizeF(aspect_, 1)}; }

QRectF TopologyScene::inHost(int host, double left, double top, double right, double bottom) const {
    const QPointF place = places_[ix(host)];
    return {place.x() + left * aspect_, place.y() + top, (right - left) * aspect_, bottom - top};
}

QRectF TopologyScene::gpuRect(int gpu, TopologyDetail detail) const {
    const int host = gpu / gpusPerHost_, slot = gpu % gpusPerHost_;
    const double share = 1.0 / gpusPerHost_;
    switch (detail) {
    case TopologyDetail::tiles:
        return inHost(host, slot * share, 0, (slot + 1) * share, 1);
    case TopologyDetail::hosts: {
        const double left = cellsFrom(gpusPerHost_), width = (0.875 - left) * share;
        return inHost(host, left + slot * width + 0.04 * width, 0.1, left + (slot + 1) * width - 0.04 * width,
                      0.9);
    }
    case TopologyDetail::machines:
    case TopologyDetail::gpus:
        break;
    }
    const double left = 0.15, width = 0.85 * share;
    return inHost(host, left + (slot + 0.07) * width, 0.26, left + (slot + 0.93) * width, 0.74);
}

QRectF TopologyScene::nicRect(int gpu) const {
    const QRectF cell = gpuRect(gpu, TopologyDetail::machines);
    const double top = places_[ix(gpu / gpusPerHost_)].y();
    return {cell.left(), top + 0.84, cell.width(), 0.1};
}

QRectF TopologyScene::nvlinkRect(int gpu) const {
    const QRectF cell = gpuRect(gpu, TopologyDetail::machines);
    const double top = places_[ix(gpu / gpusPerHost_)].y();
    return {cell.center().x() - cell.width() * 0.06, top + 0.16, cell.width() * 0.12, 0.1};
}

QRectF TopologyScene::switchRect(int host) const {
    return inHost(host, 0.15 + 0.85 * 0.07 / gpusPerHost_, 0.06, 1 - 0.85 * 0.07 / gpusPerHost_, 0.16);
}

QRectF TopologyScene::uplinkRect(int host) const { return inHost(host, 0.885, 0.36, 0.99, 0.64); }

QRectF TopologyScene::labelRect(int host, TopologyDetail detail) const {
    switch (detail) {
    case TopologyDetail::tiles:
        return {};
    case TopologyDetail::hosts:
        return inHost(host, 0.005, 0, cellsFrom(gpusPerHost_), 1);
    case TopologyDetail::machines:
    case TopologyDetail::gpus:
        break;
    }
    return inHost(host, 0.01, 0.06, 0.145, 0.94);
}

int TopologyScene::cardAt(const QPointF& place) const {
    for (std::size_t i = 0; i < cards_.size(); ++i)
        if (cards_[i].rect.contains(place))
            return static_cast<int>(i);
    return -1;
}

int TopologyScene::hostAt(const QPointF& place) const {
    const int found = cardAt(place);
    if (found < 0)
        return -1;
    const Card& card = cards_[ix(found)];
    const QPointF inside = place - card.rect.topLeft() - QPointF(cardPadding, cardPadding + cardTitle);
    if (inside.x() < 0 || inside.y() < 0)
        return -1;
    const int column = static_cast<int>(inside.x() / (aspect_ + hostGapX));
    const int row = static_cast<int>(inside.y() / (1 + hostGapY));
    const int slot = row * card.columns + column;
    if (column >= card.columns || slot >= card.count)
        return -1;
    const int host = order_[ix(card.first + slot)];
    return hostRect(host).contains(place) ? host : -1;
}

int TopologyScene::gpuAt(const QPointF& place, TopologyDetail detail) const {
    const int host = hostAt(place);
    if (host < 0)
        return -1;
    for (int slot = 0; slot < gpusPerHost_; ++slot)
        if (gpuRect(host * gpusPerHost_ + slot, detail).contains(place))
            return host * gpusPerHost_ + slot;
    return -1;
}

int TopologyScene::nodeOfTitle(const QPointF& place) const {
    if (const int card = cardAt(place);
        card >= 0 && cards_[ix(card)].node >= 0 && place.y() < cards_[ix(card)].rect.top() + cardHeader())
        return cards_[ix(card)].node;
    return -1;
}

int TopologyScene::neighbor(int host, int dx, int dy) const {
    const int own = cardOf(host);
    const Card& card = cards_[ix(own)];
    int slot = 0;
    while (order_[ix(card.first + slot)] != host)
        ++slot;
    const int column = slot % card.columns + dx, row = slot / card.columns + dy;
    const int wanted = row * card.columns + column;
    if (column >= 0 && column < card.columns && row >= 0 && wanted < card.count)
        return order_[ix(card.first + wanted)];
    // Over the edge: the nearest host of the nearest card that lies that way.
    const QPointF from = hostRect(host).center();
    int best = -1;
    double nearest = 0;
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        const QPointF way = cards_[i].rect.center() - card.rect.center();
        const double along = way.x() * dx + way.y() * dy;
        const double aside = std::abs(way.x() * dy) + std::abs(way.y() * dx);
        if (static_cast<int>(i) == own || along <= 1e-9 || aside > along)
            continue;
        const double distance = along + 2 * aside;
        if (best < 0 || distance < nearest) {
            best = static_cast<int>(i);
            nearest = distance;
        }
    }
    if (best < 0)
        return host;
    const Card& next = cards_[ix(best)];
    int found = order_[ix(next.first)];
    double least = -1;
    for (int n = 0; n < next.count; ++n) {
        const QPointF way = hostRect(order_[ix(next.first + n)]).center() - from;
        const double distance = std::hypot(way.x(), way.y());
        if (least < 0 || distance < least) {
            least = distance;
            found = order_[ix(next.first + n)];
        }
    }
    return found;
}

} // namespace alidade::views
