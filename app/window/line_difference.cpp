// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/line_difference.h"

#include <QHash>

#include <algorithm>
#include <cstdint>

namespace alidade::app {

namespace {

/// Cells of the table of common subsequences, two bytes each.
constexpr std::size_t mostCells = 8u << 20;

} // namespace

LineDifference differenceOf(const QStringList& before, const QStringList& after) {
    LineDifference out;
    qsizetype first = 0, oldEnd = before.size(), newEnd = after.size();
    while (first < oldEnd && first < newEnd && before[first] == after[first])
        ++first;
    while (oldEnd > first && newEnd > first && before[oldEnd - 1] == after[newEnd - 1]) {
        --oldEnd;
        --newEnd;
    }
    const auto rows = static_cast<std::size_t>(oldEnd - first),
               columns = static_cast<std::size_t>(newEnd - first);
    const auto remove = [&out](qsizetype line) {
        if (out.removedBelow.empty() || out.removedBelow.back() != static_cast<int>(line) - 1)
            out.removedBelow.push_back(static_cast<int>(line) - 1);
    };
    if ((rows + 1) * (columns + 1) > mostCells || rows > UINT16_MAX || columns > UINT16_MAX) {
        for (qsizetype line = first; line < newEnd; ++line)
            out.added.push_back(static_cast<int>(line));
        return out;
    }
    // Lines as numbers, which are faster to compare.
    QHash<QString, int> numbers;
    const auto numbered = [&numbers](const QStringList& lines, qsizetype from, qsizetype to) {
        std::vector<int> all;
        for (qsizetype line = from; line < to; ++line) {
            const auto known = numbers.constFind(lines[line]);
            all.push_back(known != numbers.constEnd()
                              ? *known
                              : *numbers.insert(lines[line], static_cast<int>(numbers.size())));
        }
        return all;
    };
    const std::vector<int> old = numbered(before, first, oldEnd), now = numbered(after, first, newEnd);
    // The longest common subsequence of what follows line i of the old and line j of the new text.
    std::vector<std::uint16_t> longest((rows + 1) * (columns + 1), 0);
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& {
        return longest[i * (columns + 1) + j];
    };
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = columns; j-- > 0;)
            at(i, j) = old[i] == now[j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                        : std::max(at(i + 1, j), at(i, j + 1));
    for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
        const qsizetype line = first + static_cast<qsizetype>(j);
        if (i < rows && j < columns && old[i] == now[j]) {
            ++i;
            ++j;
        } else if (j < columns && (i == rows || at(i, j + 1) >= at(i + 1, j))) {
            out.added.push_back(static_cast<int>(line));
            ++j;
        } else {
            remove(line);
            ++i;
        }
    }
    // A line that was replaced shows as one that is new.
    std::erase_if(out.removedBelow, [&out](int line) {
        return std::ranges::binary_search(out.added, line) || std::ranges::binary_search(out.added, line + 1);
    });
    return out;
}

} // namespace alidade::app
