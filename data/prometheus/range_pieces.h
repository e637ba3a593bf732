// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/matrix_builder.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade::data {

/// Milliseconds as the API takes times and steps: seconds, with decimals where there are any.
std::string apiSeconds(double seconds);

/// What is wrong with a grid that cannot be asked for; empty: nothing.
std::string gridFault(const TimeGrid& grid);

/// A part of a query's grid and how often it was cut in two.
struct RangePiece {
    std::size_t query = 0;
    GridPart part;
    std::size_t halvings = 0;
};

/// The first request of a range: all of it where it is short, else a beginning from which the number of
/// series is learned.
GridPart firstPart(std::size_t points, const ReplyLimits& limits);

/// The rest of the range in parts whose replies have about the same, bearable size.
/// \param series that the first part had
std::vector<GridPart> furtherParts(std::size_t points, const GridPart& first, std::size_t series,
                                   const ReplyLimits& limits);

/// The two halves of a part. nullopt: it cannot be halved any more.
std::optional<std::pair<RangePiece, RangePiece>> halves(const RangePiece& piece, const ReplyLimits& limits);

} // namespace alidade::data
