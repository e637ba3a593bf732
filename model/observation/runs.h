// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace alidade {

/// What a point of the grid says of a question.
enum class Sign : std::uint8_t { no, yes, unknown };

/// Points [begin, end) of a grid; the first and the last one say yes.
struct PointSpan {
    std::size_t begin = 0, end = 0;
    std::size_t hits = 0; ///< points that say yes

    bool contains(std::size_t i) const { return i >= begin && i < end; }
    bool operator==(const PointSpan&) const = default;
};

/// Stretches in which `sign(i)` says yes, bridged over at most `mostNo` points that say no and `mostUnknown`
/// that say nothing in a row.
template <class F>
std::vector<PointSpan> spansWhere(std::size_t points, F sign, std::size_t mostNo, std::size_t mostUnknown) {
    std::vector<PointSpan> out;
    bool open = false;
    std::size_t no = 0, unknown = 0;
    for (std::size_t i = 0; i < points; ++i) {
        switch (sign(i)) {
        case Sign::yes:
            if (!open) {
                out.push_back({i, i, 0});
                open = true;
            }
            out.back().end = i + 1;
            ++out.back().hits;
            no = unknown = 0;
            break;
        case Sign::no:
            open = open && ++no <= mostNo;
            break;
        case Sign::unknown:
            open = open && ++unknown <= mostUnknown;
            break;
        }
    }
    return out;
}

} // namespace alidade
