// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {
namespace {

constexpr float levels = 8;        // of coverage that are told apart
constexpr float leastCoverage = 2; // levels: what is there is to be seen

/// Work of each kind on one column of pixels.
struct PixelColumn {
    std::array<float, 3> covered{};
};

std::size_t kindOf(char kind) { return kind == 'F' ? 0 : kind == 'W' ? 2 : 1; }

void spreadOver(std::vector<PixelColumn>& columns, double left, double right, char kind) {
    const double last = static_cast<double>(columns.size());
    left = std::clamp(left, 0.0, last);
    right = std::clamp(right, 0.0, last);
    for (auto i = static_cast<std::size_t>(left); i < columns.size() && static_cast<double>(i) < right; ++i) {
        const double part =
            std::min(right, static_cast<double>(i) + 1) - std::max(left, static_cast<double>(i));
        columns[i].covered[kindOf(kind)] += static_cast<float>(part);
    }
}

/// In whole levels, so that neighbors can be alike.
PixelColumn leveled(const PixelColumn& column) {
    PixelColumn out;
    float sum = 0;
    for (const float covered : column.covered)
        sum += covered;
    if (sum <= 0)
        return out;
    const float shown = std::max(std::min(sum, 1.0F) * levels, leastCoverage);
    for (std::size_t kind = 0; kind < 3; ++kind)
        out.covered[kind] = std::round(column.covered[kind] / sum * shown) / levels;
    return out;
}

void appendMerged(const std::vector<PixelColumn>& columns, std::vector<LaneBlock>& blocks) {
    const PixelColumn nothing;
    PixelColumn run;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const PixelColumn column = leveled(columns[i]);
        const auto place = static_cast<double>(i);
        if (column.covered != nothing.covered && column.covered == run.covered)
            blocks.back().right = place + 1;
        else if (column.covered != nothing.covered)
            blocks.push_back({place, place + 1, -1, column.covered[0], column.covered[1], column.covered[2]});
        run = column;
    }
}

} // namespace

std::vector<LaneBlock> laneBlocks(const TimelineData& data, int stage, double from, double to, int pixels) {
    std::vector<LaneBlock> wide;
    if (to <= from || pixels <= 0)
        return wide;
    const double scale = pixels / (to - from);
    std::vector<PixelColumn> columns(static_cast<std::size_t>(pixels));
    bool merged = false;
    for (int i = data.firstEndingAfter(stage, from); i < data.first(stage + 1); ++i) {
        const TimelineEvent& e = data.events()[static_cast<std::size_t>(i)];
        if (e.start >= to)
            break;
        const double left = (e.start - from) * scale;
        const double right = (e.end - from) * scale;
        if (right <= 0)
            continue;
        if (right - left < leastBlock) {
            spreadOver(columns, left, right, e.kind);
            merged = true;
            continue;
        }
        const std::size_t kind = kindOf(e.kind);
        wide.push_back({std::max(left, 0.0), std::min<double>(right, pixels), i, kind == 0 ? 1.0F : 0.0F,
                        kind == 1 ? 1.0F : 0.0F, kind == 2 ? 1.0F : 0.0F});
    }
    if (!merged)
        return wide;
    std::vector<LaneBlock> out;
    appendMerged(columns, out);
    out.insert(out.end(), wide.begin(), wide.end());
    return out;
}

} // namespace alidade::views
