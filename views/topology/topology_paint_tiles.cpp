// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology/topology_base.h"
#include "views/topology/topology_data.h"
#include "views/topology/topology_look.h"
#include "views/topology/topology_paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::views {
namespace {

constexpr int leastWithGap = 3; // device pixels of a GPU from which on neighbours stand apart

int pixel(double place) { return static_cast<int>(std::floor(place)); }

} // namespace

/// Each GPU has device pixels of its own for as long as it is one pixel wide and high; then the picture goes
/// out in one go a card.
void TopologyPainter::paintTiles(const Frame& frame, const std::vector<int>& cards) {
    const QSize wanted = (frame.size * frame.ratio).toSize();
    if (tiles_.width() < wanted.width() || tiles_.height() < wanted.height()) {
        tiles_ = QImage(wanted.expandedTo(tiles_.size()), QImage::Format_RGB32);
        ++counts_.buffersGrown;
    }
    QPainter& painter = frame.painter;
    painter.save();
    painter.scale(1 / frame.ratio, 1 / frame.ratio); // one to one: nothing is resampled
    for (const int card : cards)
        writeCard(frame, card);
    painter.restore();
}

void TopologyPainter::writeCard(const Frame& frame, int index) {
    const TopologyScene& scene = frame.data.scene;
    const TopologyScene::Card& card = scene.cards()[ix(index)];
    const double ratio = frame.ratio, scale = frame.camera.scale * ratio;
    const int width = pixel(frame.size.width() * ratio), height = pixel(frame.size.height() * ratio);
    const auto deviceX = [&](double world) { return (world - frame.camera.origin.x()) * scale; };
    const auto deviceY = [&](double world) { return (world - frame.camera.origin.y()) * scale; };
    // Inside of the card, cut to the picture.
    const QRectF first = scene.hostRect(scene.order()[ix(card.first)]);
    const int left = std::clamp(pixel(deviceX(first.left())), 0, width);
    const int right = std::clamp(pixel(deviceX(card.rect.right())) - 1, 0, width);
    const int top = std::clamp(pixel(deviceY(first.top())), 0, height);
    const int bottom = std::clamp(pixel(deviceY(card.rect.bottom())) - 1, 0, height);
    if (left >= right || top >= bottom)
        return;
    const QRgb ground = frame.look.colour(Role::alt).rgb();
    for (int y = top; y < bottom; ++y) {
        auto* line = reinterpret_cast<QRgb*>(tiles_.scanLine(y));
        std::fill(line + left, line + right, ground);
    }
    const QRgb hatch = frame.look.colour(Role::text3).rgb();
    const QRgb edge = frame.look.colour(Role::line2).rgb();
    const int perHost = scene.gpusPerHost();
    for (int n = 0; n < card.count; ++n) {
        const int host = scene.order()[ix(card.first + n)];
        const QRectF rect = scene.hostRect(host);
        if (!rect.intersects(frame.visible))
            continue;
        ++counts_.hosts;
        const int y0 = pixel(deviceY(rect.top()));
        const int y1 = std::max(y0 + 1, pixel(deviceY(rect.bottom())));
        const int fromY = std::max(y0, 0), toY = std::min(y1, height);
        const double step = rect.width() * scale / perHost;
        const int gap = step >= leastWithGap ? 1 : 0;
        const double hostLeft = deviceX(rect.left());
        int x0 = pixel(hostLeft);
        for (int slot = 0; slot < perHost; ++slot) {
            const int gpu = host * perHost + slot;
            const int next = std::max(x0 + 1, pixel(hostLeft + (slot + 1) * step));
            const int fromX = std::max(x0, 0), toX = std::min(std::max(x0 + 1, next - gap), width);
            x0 = next;
            if (fromX >= toX)
                continue;
            ++counts_.gpuPixels;
            const QRgb fill = frame.marks.gpus[ix(gpu)];
            const std::uint8_t marks = frame.marks.marks[ix(gpu)];
            if ((marks & (TopologyLook::excluded | TopologyLook::idle | TopologyLook::unfit |
                          TopologyLook::unmeasured)) == 0) {
                for (int y = fromY; y < toY; ++y) {
                    auto* line = reinterpret_cast<QRgb*>(tiles_.scanLine(y));
                    std::fill(line + fromX, line + toX, fill);
                }
                continue;
            }
            const bool out = (marks & TopologyLook::excluded) != 0,
                       unfit = (marks & TopologyLook::unfit) != 0;
            const bool unmeasured = (marks & TopologyLook::unmeasured) != 0;
            for (int y = fromY; y < toY; ++y) {
                auto* line = reinterpret_cast<QRgb*>(tiles_.scanLine(y));
                for (int x = fromX; x < toX; ++x)
                    line[x] =
                        out     ? ((x + y) % 3 == 0 ? hatch : fill)
                        : unfit ? ((x + y) % 4 == 0 || (x - y) % 4 == 0 ? hatch : fill)
                        : unmeasured
                            ? ((x + y) % 3 == 0 ? edge : fill)
                            : (y == fromY || x == fromX || (toY - fromY > 3 && y == toY - 1) ? edge : fill);
            }
        }
    }
    frame.painter.drawImage(QPoint(left, top), tiles_, QRect(left, top, right - left, bottom - top));
}

/// For files that keep shapes: one path a colour, neighbours of one colour in one rectangle.
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
    frame.painter.setBrush(QBrush(frame.look.colour(Role::text3), Qt::BDiagPattern));
    frame.painter.drawPath(hatched);
    frame.painter.setBrush(QBrush(frame.look.colour(Role::text3), Qt::DiagCrossPattern));
    frame.painter.drawPath(crossed);
    frame.painter.setBrush(QBrush(frame.look.colour(Role::line2), Qt::BDiagPattern));
    frame.painter.drawPath(unmeasured);
}

} // namespace alidade::views
