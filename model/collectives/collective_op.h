// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace alidade {

/// A collective operation of a group of ranks. Sizes follow NCCL: `bytes` is the gathered size of an
/// all-gather, the input of a reduce-scatter, one rank's send buffer of an all-to-all.
enum class CollectiveOp : std::uint8_t {
    allReduce,
    allGather,
    reduceScatter,
    allToAll,
    broadcast,
    reduce,
    sendReceive
};

/// The word in files and reports.
constexpr std::string_view collectiveName(CollectiveOp op) {
    switch (op) {
    case CollectiveOp::allReduce:
        return "all_reduce";
    case CollectiveOp::allGather:
        return "all_gather";
    case CollectiveOp::reduceScatter:
        return "reduce_scatter";
    case CollectiveOp::allToAll:
        return "all_to_all";
    case CollectiveOp::broadcast:
        return "broadcast";
    case CollectiveOp::reduce:
        return "reduce";
    case CollectiveOp::sendReceive:
        return "send_recv";
    }
    return {};
}

/// Bytes that a rank puts on the wire per byte of the buffer (nccl-tests, doc/PERFORMANCE.md).
template <class N>
N wireFactor(CollectiveOp op, const N& ranks) {
    switch (op) {
    case CollectiveOp::allReduce:
        return 2 * (ranks - 1) / ranks;
    case CollectiveOp::allGather:
    case CollectiveOp::reduceScatter:
    case CollectiveOp::allToAll:
        return (ranks - 1) / ranks;
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce:
    case CollectiveOp::sendReceive:
        break;
    }
    return N(1);
}

} // namespace alidade
