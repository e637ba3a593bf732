// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/node_image.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace alidade::views {
namespace {

constexpr int tallEnough = 3; // gaps between rows of more than so many gaps' height

struct Cut {
    int from = 0, to = 0; ///< [from, to)
};

/// Which instants each pixel column shows; empty outside of what was measured.
std::vector<Cut> columnCuts(const NodeImageSpec& spec) {
    std::vector<Cut> cuts(static_cast<std::size_t>(spec.pixels.width()));
    const double perPixel = (spec.end - spec.start) / spec.pixels.width();
    const auto index = [&](double time) { return (time - spec.grid.start) / spec.grid.step + 0.5; };
    for (std::size_t x = 0; x < cuts.size(); ++x) {
        const double at = spec.start + perPixel * static_cast<double>(x);
        const double from = std::floor(index(at));
        const double to = std::max(from + 1, std::floor(index(at + perPixel)));
        const double points = static_cast<double>(spec.grid.points);
        if (to <= 0 || from >= points)
            continue;
        cuts[x] = {static_cast<int>(std::max(0.0, from)), static_cast<int>(std::min(points, to))};
    }
    return cuts;
}

/// Keeps the deviation that is farther from the median. NaN gives way to anything.
void keepFarther(double& kept, double other) {
    if (!std::isfinite(kept) || std::abs(other) > std::abs(kept))
        kept = std::isfinite(other) ? other : kept;
}

} // namespace

DeviationColors::DeviationColors(const Theme& look) {
    for (std::size_t i = 0; i < colors_.size(); ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(colors_.size() - 1);
        colors_[i] = look.diverging((2 * share - 1) * fullDeviation, fullDeviation).rgb();
    }
}

QRgb DeviationColors::of(double deviation) const {
    const double share = std::clamp(deviation / fullDeviation, -1.0, 1.0) / 2 + 0.5;
    return colors_[static_cast<std::size_t>(share * static_cast<double>(colors_.size() - 1) + 0.5)];
}

QImage nodeImage(const NodeMap& map, const NodeImageSpec& spec, const DeviationColors& colors) {
    QImage image(spec.pixels, QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return image;
    image.fill(Qt::transparent);
    const int rows = static_cast<int>(spec.order.size());
    const int height = spec.pixels.height();
    if (rows == 0 || spec.grid.points == 0 || map.values.size() < map.hosts.size() * spec.grid.points)
        return image;
    const std::vector<Cut> cuts = columnCuts(spec);
    const auto width = static_cast<std::size_t>(spec.pixels.width());
    std::vector<double> worst(width);
    std::vector<std::uint8_t> stood(width);
    const bool tellsData = map.noData.size() == map.values.size();
    std::vector<QRgb> line(width);
    const auto top = [&](int row) { return static_cast<int>(std::lround(double(row) * height / rows)); };
    for (int row = 0; row < rows;) {
        const int from = top(row);
        std::ranges::fill(worst, std::numeric_limits<double>::quiet_NaN());
        std::ranges::fill(stood, std::uint8_t{0});
        int next = row;
        do {
            const auto host = static_cast<std::size_t>(spec.order[static_cast<std::size_t>(next)]);
            const std::span<const double> values =
                std::span(map.values).subspan(host * spec.grid.points, spec.grid.points);
            for (std::size_t x = 0; x < width; ++x)
                for (int i = cuts[x].from; i < cuts[x].to; ++i) {
                    const auto point = static_cast<std::size_t>(i);
                    keepFarther(worst[x], values[point] - 1);
                    if (tellsData && map.noData[host * spec.grid.points + point] == 0)
                        stood[x] = 1;
                }
            ++next;
        } while (next < rows && top(next) <= from);
        const int end = next < rows ? top(next) : height;
        int to = end;
        if (to - from > tallEnough * spec.gap)
            to -= spec.gap;
        for (std::size_t x = 0; x < width; ++x)
            line[x] = std::isfinite(worst[x]) ? colors.of(worst[x]) : stood[x] != 0 ? spec.stoodColor : 0;
        for (int y = from; y < to; ++y)
            std::memcpy(image.scanLine(y), line.data(), width * sizeof(QRgb));
        for (QRgb& pixel : line)
            pixel = pixel == 0 ? 0 : spec.gapColor;
        for (int y = to; y < end; ++y)
            std::memcpy(image.scanLine(y), line.data(), width * sizeof(QRgb));
        row = next;
    }
    return image;
}

} // namespace alidade::views
