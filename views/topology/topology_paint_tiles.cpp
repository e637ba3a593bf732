// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_look.h"
#include "views/topology/topology_paint.h"
#include "views/topology/topology_units.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::views {
namespace {

constexpr int leastWithGap = 3; // device pixels of a GPU from which on neighbors stand apart

int pixel(double place) { return static_cast<int>(std::floor(std::clamp(place, -1e6, 1e6))); }

/// The pixels of an image of 32 bits, without a call a line.
class Pixels {
public:
    explicit Pixels(QImage& image)
        : bits_(reinterpret_cast<QRgb*>(image.bits()))
        , line_(image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb))) {}

    void fill(const QRect& rect, QRgb color) {
        for (int y = rect.top(); y <= rect.bottom(); ++y)
            std::fill_n(bits_ + y * line_ + rect.left(), rect.width(), color);
    }
    template <class Wanted>
    void dot(const QRect& rect, QRgb color, const Wanted& wanted) {
        for (int y = rect.top(); y <= rect.bottom(); ++y)
            for (int x = rect.left(); x <= rect.right(); ++x)
                if (wanted(x, y))
                    bits_[y * line_ + x] = color;
    }

private:
    QRgb* bits_;
    qsizetype line_;
};

/// One to one: nothing is resampled.
void sendOut(QPainter& painter, double ratio, const QImage& image, const QRect& part) {
    if (part.isEmpty())
        return;
    painter.save();
    painter.scale(1 / ratio, 1 / ratio);
    painter.drawImage(part.topLeft(), image, part);
    painter.restore();
}

} // namespace

/// In device pixels: at least one each way, and no pixel of a neighbor.
QRect TopologyPainter::deviceRect(const Frame& frame, const QRectF& world) {
    const double scale = frame.camera.scale * frame.ratio;
    const QPointF origin = frame.camera.origin;
    const int left = pixel((world.left() - origin.x()) * scale),
              top = pixel((world.top() - origin.y()) * scale);
    return {left, top, std::max(1, pixel((world.right() - origin.x()) * scale) - left),
            std::max(1, pixel((world.bottom() - origin.y()) * scale) - top)};
}

/// Ground and all cards of a few pixels, in one image.
void TopologyPainter::paintFlatCards(const Frame& frame) {
    const QSize wanted = (frame.size * frame.ratio).toSize();
    if (tiles_.width() < wanted.width() || tiles_.height() < wanted.height()) {
        tiles_ = QImage(wanted.expandedTo(tiles_.size()), QImage::Format_RGB32);
        ++counts_.buffersGrown;
    }
    frame.painter.fillRect(QRectF(QPointF(), frame.size), frame.look.color(Role::base));
    QRect all;
    for (const int card : cards_)
        if (isFlat(frame, card))
            all |= deviceRect(frame, frame.data.scene.cards()[ix(card)].rect);
    all &= QRect(QPoint(), wanted);
    if (all.isEmpty())
        return;
    Pixels pixels(tiles_);
    pixels.fill(all, frame.look.color(Role::base).rgb());
    for (const int card : cards_)
        if (isFlat(frame, card))
            writeCard(frame, card, true);
    sendOut(frame.painter, frame.ratio, tiles_, all);
}

/// Each GPU has its own device pixels for as long as it is one pixel wide and high; then the picture goes
/// out in one go a card.
void TopologyPainter::paintTiles(const Frame& frame, const std::vector<int>& cards) {
    for (const int card : cards)
        if (!isFlat(frame, card))
            sendOut(frame.painter, frame.ratio, tiles_, writeCard(frame, card, false));
}

/// \param flat the GPUs take all of the card, without a frame and gaps
/// \returns what was written, in device pixels
QRect TopologyPainter::writeCard(const Frame& frame, int index, bool flat) {
    const TopologyScene& scene = frame.data.scene;
    const TopologyScene::Card& card = scene.cards()[ix(index)];
    const QRect picture(QPoint(), (frame.size * frame.ratio).toSize());
    QRectF ground = card.rect;
    if (!flat)
        ground.setTopLeft(scene.hostRect(scene.order()[ix(card.first)]).topLeft());
    const QRect whole = deviceRect(frame, ground).adjusted(0, 0, flat ? 0 : -1, flat ? 0 : -1);
    const QRect inside = whole & picture;
    if (inside.isEmpty())
        return {};
    if (!flat)
        Pixels(tiles_).fill(inside, frame.look.color(Role::alt).rgb());
    const bool joined = frame.camera.scale * frame.ratio * topology_units::hostGapY < 1;
    const double step = scene.hostRect(scene.order()[ix(card.first)]).width() / scene.gpusPerHost();
    const int rows = (card.count + card.columns - 1) / card.columns;
    for (int n = 0; n < card.count; ++n) {
        const int host = scene.order()[ix(card.first + n)];
        QRectF rect = scene.hostRect(host);
        const int row = n / card.columns, column = n % card.columns;
        if (joined) // a gap of less than a pixel would come and go from row to row
            rect.setBottom(rect.bottom() + topology_units::hostGapY);
        if (flat) {
            if (row == 0)
                rect.setTop(card.rect.top());
            if (row == rows - 1)
                rect.setBottom(card.rect.bottom());
            if (column == 0)
                rect.setLeft(card.rect.left());
            rect.setRight(column == card.columns - 1 || n == card.count - 1
                              ? card.rect.right()
                              : rect.right() + topology_units::hostGapX);
        }
        if (!rect.intersects(frame.visible))
            continue;
        ++counts_.hosts;
        const double stepHere = flat ? rect.width() / scene.gpusPerHost() : step;
        for (int slot = 0; slot < scene.gpusPerHost(); ++slot) {
            const QRectF cell(rect.left() + slot * stepHere, rect.top(), stepHere, rect.height());
            QRect drawn = deviceRect(frame, cell);
            if (!flat && drawn.width() >= leastWithGap)
                drawn.setRight(drawn.right() - 1);
            drawn &= picture;
            if (drawn.isEmpty())
                continue;
            ++counts_.gpuPixels;
            writeGpu(frame, host * scene.gpusPerHost() + slot, drawn);
        }
    }
    return inside;
}

void TopologyPainter::writeGpu(const Frame& frame, int gpu, const QRect& cell) {
    Pixels pixels(tiles_);
    const QRgb fill = frame.marks.gpus[ix(gpu)];
    const std::uint8_t marks = frame.marks.marks[ix(gpu)];
    pixels.fill(cell, fill);
    const QRgb hatch = frame.look.color(Role::text3).rgb();
    const QRgb edge = frame.look.color(Role::line2).rgb();
    if (marks & TopologyLook::excluded)
        pixels.dot(cell, hatch, [](int x, int y) { return (x + y) % 3 == 0; });
    else if (marks & TopologyLook::unfit)
        pixels.dot(cell, hatch, [](int x, int y) { return (x + y) % 4 == 0 || (x - y) % 4 == 0; });
    else if (marks & TopologyLook::unmeasured)
        pixels.dot(cell, edge, [](int x, int y) { return (x + y) % 3 == 0; });
    else if (marks & TopologyLook::idle)
        pixels.dot(cell, edge, [&cell](int x, int y) {
            return y == cell.top() || x == cell.left() || (cell.height() > 3 && y == cell.bottom());
        });
}

/// For files that keep shapes: one path a color, neighbors of one color in one rectangle.
void TopologyPainter::paintTilesAsShapes(const Frame& frame, const std::vector<int>& cards) {
    const TopologyScene& scene = frame.data.scene;
    const int perHost = scene.gpusPerHost();
    std::map<QRgb, QPainterPath> shapes;
    QPainterPath hatched, crossed, unmeasured;
    for (const int index : cards) {
        const TopologyScene::Card& card = scene.cards()[ix(index)];
        for (int n = 0; n < card.count; ++n) {
            const int host = scene.order()[ix(card.first + n)];
            if (!scene.hostRect(host).intersects(frame.visible))
                continue;
            ++counts_.hosts;
            for (int slot = 0; slot < perHost;) {
                const int gpu = host * perHost + slot;
                int end = slot + 1;
                const QRgb fill = frame.marks.gpus[ix(gpu)];
                while (end < perHost && frame.marks.gpus[ix(host * perHost + end)] == fill)
                    ++end;
                const QRectF rect =
                    scene.gpuRect(gpu, TopologyDetail::tiles)
                        .united(scene.gpuRect(host * perHost + end - 1, TopologyDetail::tiles));
                const QRectF drawn = frame.camera.toView(rect);
                const std::uint8_t marks = frame.marks.marks[ix(gpu)];
                (marks & TopologyLook::excluded     ? hatched
                 : marks & TopologyLook::unfit      ? crossed
                 : marks & TopologyLook::unmeasured ? unmeasured
                                                    : shapes[fill])
                    .addRect(drawn);
                counts_.gpuCells += end - slot;
                slot = end;
            }
        }
    }
    frame.painter.setPen(Qt::NoPen);
    for (const auto& [fill, path] : shapes) {
        frame.painter.setBrush(QColor::fromRgb(fill));
        frame.painter.drawPath(path);
    }
    frame.painter.setBrush(QBrush(frame.look.color(Role::text3), Qt::BDiagPattern));
    frame.painter.drawPath(hatched);
    frame.painter.setBrush(QBrush(frame.look.color(Role::text3), Qt::DiagCrossPattern));
    frame.painter.drawPath(crossed);
    frame.painter.setBrush(QBrush(frame.look.color(Role::line2), Qt::BDiagPattern));
    frame.painter.drawPath(unmeasured);
}

} // namespace alidade::views
