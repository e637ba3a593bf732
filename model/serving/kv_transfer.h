// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/fleet.h"
#include "model/serving/serving_memory.h"

namespace alidade {

/// Seconds that handing a prompt's KV cache from a prefill to a decode worker adds to the time to the first
/// token. Each GPU that holds a part of it sends at its own rate: NVLink inside a domain, else its network
/// cards. With overlap a layer travels while the next ones are computed, so that the last one is left, or
/// what the link needs longer than the prefill.
template <class N>
N kvHandOver(const ServingMemoryT<N>& sender, const ServingMemoryT<N>& receiver, const N& tokens,
             const N& bandwidth, const N& latency, const N& layers, const N& prefillTime, bool overlap) {
    using std::max;
    const N perToken = named(max(sender.sequence.bytesPerToken, receiver.sequence.bytesPerToken),
                             "transferred_bytes_per_token", Dimension::bytes, "of the GPU that moves most");
    const N whole = named(kvTransferTime(tokens, perToken, bandwidth, latency), "kv_transfer",
                          Dimension::seconds, "latency + bytes / link");
    if (!overlap)
        return whole;
    return named(max(whole / layers, whole - prefillTime), "kv_transfer_left", Dimension::seconds,
                 "the last layer, or what the prefill does not cover");
}

} // namespace alidade
