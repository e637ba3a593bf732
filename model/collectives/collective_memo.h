// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/collectives/group_collective.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace alidade {

/// Collectives priced before on the same fabric. Plans of a search that differ in micro-batch or
/// recomputation reduce the same gradients; most plans ask for what the one before asked for. One per thread.
class CollectiveMemo {
public:
    /// The same as collectiveOnGroup().
    CollectiveCost<double> cost(CollectiveOp op, double bytes, const GroupShape& group,
                                const FabricRates<double>& rates) {
        Entry& entry = entries_[placeOf(op, bytes, group)];
        if (!(entry.known && entry.op == op && entry.bytes == bytes && entry.group == group))
            entry = {true, op, bytes, group, collectiveOnGroup(op, bytes, group, rates)};
        return entry.cost;
    }
    /// Forgets all: the next plan is on another fabric.
    void clear() { entries_ = {}; }

private:
    static constexpr std::size_t places = 256;
    struct Entry {
        bool known = false;
        CollectiveOp op{};
        double bytes = 0;
        GroupShape group;
        CollectiveCost<double> cost;
    };
    static std::size_t placeOf(CollectiveOp op, double bytes, const GroupShape& group) {
        const auto bits = std::bit_cast<std::uint64_t>(bytes) ^ std::bit_cast<std::uint64_t>(group.sharers) ^
                          static_cast<std::uint64_t>(group.ranks) << 20 ^ static_cast<std::uint64_t>(op);
        // Fibonacci hashing: the upper bits are mixed best.
        return static_cast<std::size_t>((bits * 0x9e3779b97f4a7c15u) >> 56);
    }

    std::array<Entry, places> entries_{};
};

} // namespace alidade
