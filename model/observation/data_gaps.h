// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"
#include "model/observation/runs.h"

#include <cstdint>
#include <string>
#include <vector>

namespace alidade {

/// A time of which nothing is known: the server has no samples, or none of the exporters answered it. It says
/// nothing about the cluster.
struct DataGap {
    PointSpan span;            ///< points without data
    double start = 0, end = 0; ///< Unix s, of the last point before it and of the first one after it
    bool before = false;       ///< the observed time begins with it
    bool lasts = false;        ///< the observed time ends with it
    bool silent = false;       ///< the exporters were asked and none answered; else they were not asked
};

struct DataGaps {
    std::vector<std::uint8_t> unobserved; ///< 1 at each point of the grid that is in a gap
    std::vector<DataGap> gaps;            ///< by start

    bool at(std::size_t point) const { return point < unobserved.size() && unobserved[point] != 0; }
    /// Points in [begin, end) of which something is known.
    std::size_t observedIn(std::size_t begin, std::size_t end) const;
};

/// The gaps of all that was measured: points at which (next to) no series has a value. A series that is
/// absent while others are there makes none.
DataGaps dataGaps(const Observation& observation);

/// "No data for 20 min: the server has no samples of it."; empty: there is no gap.
std::string gapSentence(const DataGaps& gaps, const TimeGrid& grid);

} // namespace alidade
