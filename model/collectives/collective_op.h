// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
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

inline constexpr std::array allCollectives{
    CollectiveOp::allReduce, CollectiveOp::allGather, CollectiveOp::reduceScatter, CollectiveOp::allToAll,
    CollectiveOp::broadcast, CollectiveOp::reduce,    CollectiveOp::sendReceive};

/// The program of nccl-tests that measures it, without "_perf".
constexpr std::string_view ncclTestsName(CollectiveOp op) {
    return op == CollectiveOp::allToAll      ? "alltoall"
           : op == CollectiveOp::sendReceive ? "sendrecv"
                                             : collectiveName(op);
}

/// The operation of a word, that of collectiveName() or of ncclTestsName(); std::nullopt of any other.
constexpr std::optional<CollectiveOp> collectiveOf(std::string_view word) {
    for (const CollectiveOp op : allCollectives)
        if (word == collectiveName(op) || word == ncclTestsName(op))
            return op;
    return std::nullopt;
}

/// Operations whose measurements the model can use, in the words of nccl-tests.
inline constexpr std::array measuredCollectives{
    ncclTestsName(CollectiveOp::allReduce), ncclTestsName(CollectiveOp::allGather),
    ncclTestsName(CollectiveOp::reduceScatter), ncclTestsName(CollectiveOp::allToAll)};

/// Whether measurements of an operation can be used.
constexpr bool isMeasured(CollectiveOp op) {
    for (const std::string_view word : measuredCollectives)
        if (collectiveOf(word) == op)
            return true;
    return false;
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
