// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// Time to hand the KV cache of a prompt from one engine to another, s. \param bandwidth bytes/s of the path
/// \param latency s of each of `blocks` transfers
template <class N>
N kvTransferTime(const N& tokens, const N& bytesPerToken, const N& bandwidth, const N& latency,
                 const N& blocks = N(1)) {
    return latency * blocks + tokens * bytesPerToken / bandwidth;
}

} // namespace alidade
