// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/slice.h"

#include <algorithm>

namespace alidade {

Observation sliceOf(const Observation& observation, double start, double end) {
    const TimeGrid& grid = observation.grid;
    std::size_t first = grid.points, count = 0;
    for (std::size_t i = 0; i < grid.points; ++i) {
        if (grid.at(i) >= start && grid.at(i) <= end) {
            first = std::min(first, i);
            ++count;
        }
    }
    if (count == grid.points)
        return observation;
    Observation out = observation;
    out.grid.points = count;
    out.grid.start = count == 0 ? start : grid.at(first);
    for (SignalTable& table : out.tables) {
        std::vector<double> values;
        values.reserve(table.rows.size() * count);
        for (std::size_t row = 0; row < table.rows.size() && count > 0; ++row) {
            const auto part = table.row(row, grid.points).subspan(first, count);
            values.insert(values.end(), part.begin(), part.end());
        }
        table.values = std::move(values);
    }
    return out;
}

} // namespace alidade
