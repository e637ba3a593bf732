// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_base.h"
#include "views/topology/topology_scene.h"
#include "views/topology/topology_units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace alidade::views {
namespace {

using namespace topology_units;

constexpr double wantedAspect = 1.5; // of the whole picture
constexpr std::array layoutSteps{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr double boxShare = 0.3; // of the distance between two rows that a box is high

struct CardSize {
    double width = 0, height = 0;
};

CardSize cardSize(int hosts, int columns, double aspect) {
    const int rows = (hosts + columns - 1) / columns;
    const int used = std::min(columns, hosts);
    return {2 * cardPadding + used * aspect + (used - 1) * hostGapX,
            2 * cardPadding + cardTitle + rows + (rows - 1) * hostGapY};
}

/// Columns that cards of these heights need where no column is higher than `most`, and the highest of them.
struct Stacked {
    int columns = 1;
    double height = 0;
};

Stacked stacked(const std::vector<double>& heights, double most) {
    Stacked out;
    double column = 0;
    for (const double height : heights) {
        if (column > 0 && column + cardGap + height > most + 1e-9) {
            ++out.columns;
            column = 0;
        }
        column += (column > 0 ? cardGap : 0) + height;
        out.height = std::max(out.height, column);
    }
    return out;
}

/// The least height that cards of these heights can be stacked to in so many columns.
double leastHeight(const std::vector<double>& heights, int columns) {
    double low = *std::ranges::max_element(heights);
    double high = std::accumulate(heights.begin(), heights.end(), 0.0) +
                  cardGap * static_cast<double>(heights.size() - 1);
    for (int i = 0; i < 14 && high > low; ++i) {
        const double middle = (low + high) / 2;
        const Stacked tried = stacked(heights, middle);
        (tried.columns <= columns ? high : low) = tried.columns <= columns ? tried.height : middle;
    }
    return high;
}

/// Neighbors of a row from left to right step aside, and stay between the edges if there is room.
void spread(std::vector<QRectF*>& row, double left, double right) {
    std::ranges::sort(row, {}, [](const QRectF* box) { return box->center().x(); });
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double least = i == 0 ? left : row[i - 1]->right() + row[i]->width() * 0.15;
        if (row[i]->left() < least)
            row[i]->moveLeft(least);
    }
    for (std::size_t i = row.size(); i-- > 0;) {
        const double most = i + 1 == row.size() ? right : row[i + 1]->left() - row[i]->width() * 0.15;
        if (row[i]->right() > most)
            row[i]->moveRight(most);
    }
}

/// Of a number that is the same for boxes of one row.
long rowKey(double y) { return std::lround(y * 1e4); }

} // namespace

/// How cards are laid out: columns of hosts in a card, cards stacked in the columns of a block up to a
/// height, blocks side by side on shelves.
struct TopologyScene::Arrangement {
    int hostColumns = 1;
    double stackHeight = 0; ///< most of a column of cards
    double cardWidth = 0;
    std::vector<double> blockWidths{};
    std::vector<int> shelfOf{}; ///< of each block
    std::vector<double> shelfHeights{}, shelfWidths{};
    double width = 0, pitch = 0, head = 0, treeHeight = 0, height = 0;

    int shelves() const { return static_cast<int>(shelfHeights.size()); }
};

/// Of all arrangements that are tried the one that makes the largest picture.
TopologyScene::Arrangement TopologyScene::arranged(const std::vector<Block>& blocks, int upperRows) const {
    int mostHosts = 0;
    for (const Card& card : cards_)
        mostHosts = std::max(mostHosts, card.count);
    const bool anchored =
        std::ranges::any_of(blocks, [](const Block& block) { return !block.anchors.empty(); });
    Arrangement best;
    double bestScore = -1;
    for (const int hostColumns : layoutSteps) {
        if (hostColumns > 1 && hostColumns > mostHosts)
            break;
        std::vector<std::vector<double>> heights; // of the cards of each block
        const std::vector<double>* largest = nullptr;
        for (const Block& block : blocks) {
            std::vector<double>& own = heights.emplace_back();
            for (const int card : block.cards)
                own.push_back(cardSize(cards_[ix(card)].count, hostColumns, aspect_).height);
        }
        double tallest = 0;
        for (const std::vector<double>& own : heights) {
            tallest = std::max(tallest, *std::ranges::max_element(own));
            if (largest == nullptr || own.size() > largest->size())
                largest = &own;
        }
        for (const int cardColumns : layoutSteps) {
            if (cardColumns > 1 && ix(cardColumns) > largest->size())
                break;
            Arrangement tried;
            tried.hostColumns = hostColumns;
            tried.stackHeight = std::max(tallest, leastHeight(*largest, cardColumns));
            tried.cardWidth = cardSize(mostHosts, hostColumns, aspect_).width;
            std::vector<double> blockHeights;
            double total = 0, used = 0;
            for (const std::vector<double>& own : heights) {
                const Stacked stack = stacked(own, tried.stackHeight);
                tried.blockWidths.push_back(stack.columns * (tried.cardWidth + cardGap) - cardGap);
                blockHeights.push_back(stack.height);
                total += tried.blockWidths.back() + blockGap;
                used += std::accumulate(own.begin(), own.end(), 0.0) / (stack.columns * stack.height);
            }
            const double fullness = used / static_cast<double>(heights.size());
            for (const int shelves : layoutSteps) {
                if (shelves > 1 && ix(shelves) > blocks.size())
                    break;
                Arrangement one = tried;
                const double share = total / shelves + 1e-6;
                double at = 0;
                for (std::size_t i = 0; i < blocks.size(); ++i) {
                    if (one.shelfHeights.empty() || at + one.blockWidths[i] / 2 > share) {
                        one.shelfHeights.push_back(0);
                        one.shelfWidths.push_back(-blockGap);
                        at = 0;
                    }
                    one.shelfOf.push_back(one.shelves() - 1);
                    one.shelfHeights.back() = std::max(one.shelfHeights.back(), blockHeights[i]);
                    one.shelfWidths.back() += one.blockWidths[i] + blockGap;
                    at += one.blockWidths[i] + blockGap;
                }
                one.width = *std::ranges::max_element(one.shelfWidths);
                const bool flat = one.shelves() == 1;
                const double cards = std::accumulate(one.shelfHeights.begin(), one.shelfHeights.end(), 0.0);
                one.pitch = (flat ? 0.13 : 0.09) * std::max({cards, one.width * 0.35, 4.0});
                one.head = anchored ? one.pitch * (flat ? 0.85 : 0.95) : 0;
                one.treeHeight = anchored ? upperRows * one.pitch : 0;
                one.height =
                    one.treeHeight + cards + one.shelves() * one.head + (one.shelves() - 1) * blockGap;
                // Neat trees, plain columns and full ones are worth a little size.
                const double score = std::min(wantedAspect / one.width, 1 / one.height) * (flat ? 1.25 : 1) *
                                     (hostColumns == 1 ? 1.1 : 1) * (0.9 + 0.2 * fullness);
                if (score > bestScore) {
                    bestScore = score;
                    best = std::move(one);
                }
            }
        }
    }
    return best;
}

void TopologyScene::layOut(const Fabric& fabric, const std::vector<Block>& blocks) {
    int upperRows = 0;
    for (const Block& block : blocks)
        for (const int anchor : block.anchors)
            upperRows = std::max(upperRows, fabric.nodeLayer[ix(anchor)]);
    const Arrangement how = arranged(blocks, upperRows);
    double top = how.treeHeight, left = 0;
    int shelf = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (how.shelfOf[i] != shelf) {
            top += how.head + how.shelfHeights[ix(shelf)] + blockGap;
            shelf = how.shelfOf[i];
            left = 0;
        }
        layOutBlock(blocks[i], {left, top}, how, how.blockWidths[i]);
        left += how.blockWidths[i] + blockGap;
    }
    const bool shelved = how.shelves() > 1 && how.head > 0;
    gutter_ = shelved ? -0.3 * how.pitch : 0;
    bounds_ = QRectF(gutter_, 0, how.width - gutter_, how.height);
    layOutTree(fabric, how.pitch, how.pitch * boxShare);
    labelRows(fabric);
    measureRooms();
    makeGaps(fabric, how.treeHeight, shelved);
}

/// The boxes on top, the cards in columns below them.
void TopologyScene::layOutBlock(const Block& block, const QPointF& place, const Arrangement& how,
                                double blockWidth) {
    const double cardsTop = place.y() + how.head;
    double x = place.x(), y = cardsTop;
    for (const int index : block.cards) {
        Card& card = cards_[ix(index)];
        const CardSize own = cardSize(card.count, how.hostColumns, aspect_);
        if (y > cardsTop && y + own.height > cardsTop + how.stackHeight + 1e-9) {
            x += how.cardWidth + cardGap;
            y = cardsTop;
        }
        card.columns = how.hostColumns;
        card.top = y <= cardsTop;
        card.rect = QRectF(x, y, own.width, own.height);
        y += own.height + cardGap;
        for (int n = 0; n < card.count; ++n)
            places_[ix(order_[ix(card.first + n)])] =
                card.rect.topLeft() + QPointF(cardPadding + (n % card.columns) * (aspect_ + hostGapX),
                                              cardPadding + cardTitle + (n / card.columns) * (1 + hostGapY));
    }
    const bool flat = how.shelves() == 1;
    const auto anchors = static_cast<int>(block.anchors.size());
    for (int a = 0; a < anchors; ++a) {
        const double slot = blockWidth / anchors;
        const double width = std::min(slot * 0.8, how.pitch * 1.1);
        nodes_[ix(block.anchors[ix(a)])] =
            QRectF(place.x() + (a + 0.5) * slot - width / 2, place.y() + (flat ? 0 : 0.3 * how.pitch), width,
                   how.pitch * boxShare);
    }
}

/// The boxes above the blocks, each over the middle of what hangs below it.
void TopologyScene::layOutTree(const Fabric& fabric, double pitch, double boxHeight) {
    int layers = 0;
    for (int node = 0; node < fabric.nodes(); ++node)
        layers = std::max(layers, fabric.nodeLayer[ix(node)] + 1);
    std::vector<std::vector<int>> nodesOf(ix(layers));
    for (int node = 0; node < fabric.nodes(); ++node)
        if (!isCard_[ix(node)])
            nodesOf[ix(fabric.nodeLayer[ix(node)])].push_back(node);
    struct Span {
        double sum = 0;
        int count = 0;
    };
    std::vector<Span> below(ix(fabric.nodes()));
    for (std::size_t i = 0; i < cards_.size(); ++i) // leaves that are cards count for the node above
        if (const int node = cards_[i].node; node >= 0 && fabric.parentOf(node) >= 0) {
            Span& span = below[ix(fabric.parentOf(node))];
            span.sum += cards_[i].rect.center().x();
            ++span.count;
        }
    for (int layer = layers - 1; layer >= 0; --layer) {
        const std::vector<int>& here = nodesOf[ix(layer)];
        std::vector<QRectF*> fresh;
        const auto open = std::ranges::count_if(here, [&](int node) { return nodes_[ix(node)].isNull(); });
        for (const int node : here) {
            if (!nodes_[ix(node)].isNull())
                continue;
            const Span& span = below[ix(node)];
            const double x = span.count > 0 ? span.sum / span.count : bounds_.center().x();
            const double width = std::min(pitch * 1.1, 0.8 * bounds_.width() / static_cast<double>(open));
            nodes_[ix(node)] = QRectF(x - width / 2, layer * pitch, width, boxHeight);
            fresh.push_back(&nodes_[ix(node)]);
        }
        spread(fresh, bounds_.left(), bounds_.right());
        for (const int node : here) {
            if (const int parent = fabric.parentOf(node); parent >= 0) {
                below[ix(parent)].sum += nodes_[ix(node)].center().x();
                ++below[ix(parent)].count;
            }
            bounds_ = bounds_.united(nodes_[ix(node)]);
        }
    }
}

void TopologyScene::labelRows(const Fabric& fabric) {
    std::map<long, Row> rows;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
        if (!nodes_[node].isNull())
            rows.insert({rowKey(nodes_[node].center().y()),
                         {nodes_[node].center().y(), fabric.nodeLayer[node], RowKind::switches}});
    if (fabric.nodes() > 0)
        for (const Card& card : cards_)
            if (card.top && (card.node >= 0 || card.domain >= 0))
                rows.insert({rowKey(card.rect.top()),
                             {card.rect.top(), card.node >= 0 ? fabric.nodeLayer[ix(card.node)] : -1,
                              card.node >= 0 ? RowKind::cards : RowKind::domains}});
    for (const auto& [key, row] : rows)
        rows_.push_back(row);
}

void TopologyScene::measureRooms() {
    std::map<long, std::vector<std::size_t>> rows;
    for (std::size_t node = 0; node < nodes_.size(); ++node)
        if (!nodes_[node].isNull())
            rows[rowKey(nodes_[node].center().y())].push_back(node);
    const auto middle = [this](std::size_t node) { return nodes_[node].center().x(); };
    for (auto& [key, row] : rows) {
        std::ranges::sort(row, {}, middle);
        for (std::size_t i = 0; i < row.size(); ++i) {
            double room = bounds_.width();
            if (i > 0)
                room = std::min(room, middle(row[i]) - middle(row[i - 1]));
            if (i + 1 < row.size())
                room = std::min(room, middle(row[i + 1]) - middle(row[i]));
            nodeRoom_[row[i]] = room;
        }
    }
}

void TopologyScene::makeGaps(const Fabric& fabric, double treeHeight, bool shelved) {
    std::map<std::pair<long, long>, Gap> gaps;
    const auto add = [&](const Wire& wire) {
        if (wire.parent < 0 || nodeRect(wire.parent).isNull())
            return;
        const QRectF& above = nodeRect(wire.parent);
        const QRectF& below = endOf(wire);
        Gap& gap = gaps[{rowKey(above.bottom()), rowKey(below.top())}];
        gap.top = above.bottom();
        gap.bottom = below.top();
        gap.bus = shelved && above.bottom() <= treeHeight && below.top() >= treeHeight;
        gap.wires.push_back(wire);
    };
    for (int node = 0; node < nodes(); ++node)
        if (!nodeRect(node).isNull())
            add({fabric.parentOf(node), node, -1, nodeRect(node).center().x()});
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        const Card& card = cards_[i];
        if (!card.top)
            continue;
        const QRectF& rect = card.rect;
        if (card.node >= 0)
            add({fabric.parentOf(card.node), card.node, static_cast<int>(i), rect.center().x()});
        else
            for (const int leaf : card.leaves)
                add({leaf, -1, static_cast<int>(i),
                     std::clamp(nodeRect(leaf).center().x(), rect.left() + 0.1 * rect.width(),
                                rect.right() - 0.1 * rect.width())});
    }
    for (auto& [key, gap] : gaps) {
        std::ranges::sort(gap.wires, {}, [](const Wire& wire) { return std::pair(wire.x, wire.parent); });
        gap.left = gap.wires.front().x;
        gap.right = gap.wires.back().x;
        for (std::size_t i = 0; i < gap.wires.size(); ++i)
            if (i == 0 || gap.wires[i].parent != gap.wires[i - 1].parent)
                gap.runs.push_back(i);
        gaps_.push_back(std::move(gap));
    }
}

} // namespace alidade::views
