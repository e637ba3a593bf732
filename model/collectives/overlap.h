// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"

namespace alidade {

/// Communication not hidden by compute, seconds.
/// \param window seconds of compute that run at the same time; \param overlap 0..1 of the window that hides
/// communication
/// \param tail the last bucket, which is never hidden
template <class N>
N exposedComm(const N& comm, const N& window, const N& overlap = N(1), const N& tail = N(0)) {
    using std::max;
    return tail + max(N(0), comm - tail - overlap * window);
}

} // namespace alidade
