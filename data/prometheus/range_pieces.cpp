// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/range_pieces.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace alidade::data {

namespace {

/// A sample takes about 26 bytes of JSON: so many are some 50 MB, which both sides can hold.
constexpr std::size_t samplesOfRequest = 2'000'000;
/// Of a range that is longer, so many points are asked for first.
constexpr std::size_t pointsOfFirst = 1000;

} // namespace

std::string apiSeconds(double seconds) {
    const auto milliseconds = static_cast<std::int64_t>(std::llround(seconds * 1000));
    std::array<char, 40> out{};
    const auto end = std::to_chars(out.data(), out.data() + out.size(),
                                   static_cast<double>(milliseconds) / 1000, std::chars_format::fixed)
                         .ptr;
    return {out.data(), end};
}

std::string gridFault(const TimeGrid& grid) {
    constexpr double farthest = 1e11; // s; milliseconds of it are whole numbers in a double
    const auto whole = [](double seconds) {
        return std::abs(seconds * 1000 - std::round(seconds * 1000)) < 1e-3;
    };
    if (!std::isfinite(grid.start) || !std::isfinite(grid.step) || !(std::abs(grid.start) < farthest) ||
        !(std::abs(grid.end()) < farthest)) {
        return "the range is not between the years -1200 and 5138";
    }
    if (grid.step < 0.001)
        return "the step is shorter than 1 ms";
    if (!whole(grid.start) || !whole(grid.step))
        return "start and step are not whole milliseconds";
    return {};
}

TimeGrid alignedGrid(double start, double end, double step) {
    const auto milliseconds = [](double seconds) {
        return static_cast<std::int64_t>(std::llround(seconds * 1000));
    };
    const auto floorTo = [](std::int64_t at, std::int64_t width) {
        return at - ((at % width) + width) % width;
    };
    const std::int64_t width = std::max<std::int64_t>(1, milliseconds(step));
    const std::int64_t last = floorTo(milliseconds(end), width);
    const std::int64_t first = std::min(last, floorTo(milliseconds(start) + width - 1, width));
    return {.start = static_cast<double>(first) / 1000,
            .step = static_cast<double>(width) / 1000,
            .points = static_cast<std::size_t>((last - first) / width) + 1};
}

GridPart firstPart(std::size_t points, const ReplyLimits& limits) {
    return {0, std::min({points, pointsOfFirst, std::max<std::size_t>(1, limits.pointsPerRequest)})};
}

std::vector<GridPart> furtherParts(std::size_t points, const GridPart& first, std::size_t series,
                                   const ReplyLimits& limits) {
    const std::size_t begin = first.first + first.count;
    if (begin >= points)
        return {};
    const std::size_t bearable = samplesOfRequest / std::max<std::size_t>(1, series);
    const std::size_t most =
        std::clamp<std::size_t>(bearable, 1, std::max<std::size_t>(1, limits.pointsPerRequest));
    const std::size_t parts = (points - begin + most - 1) / most;
    std::vector<GridPart> out;
    for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t from = begin + (points - begin) * i / parts;
        const std::size_t to = begin + (points - begin) * (i + 1) / parts;
        out.push_back({from, to - from});
    }
    return out;
}

std::optional<std::pair<RangePiece, RangePiece>> halves(const RangePiece& piece, const ReplyLimits& limits) {
    if (piece.halvings >= limits.halvings || piece.part.count < 2)
        return std::nullopt;
    const std::size_t left = piece.part.count / 2;
    RangePiece first{piece.query, {piece.part.first, left}, piece.halvings + 1};
    RangePiece second{piece.query, {piece.part.first + left, piece.part.count - left}, piece.halvings + 1};
    return std::pair{first, second};
}

} // namespace alidade::data
