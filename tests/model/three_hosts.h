// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/fabric.h"

namespace alidade::tests {

/// Three hosts of one GPU, a domain each, two below the leaf 1 and one below the leaf 2 of a top 0.
inline Fabric threeHosts() {
    Fabric out;
    out.speeds = {.nvlinkBandwidth = 9, .networkBandwidth = 1.5};
    out.layers = 2;
    out.hostLeaf = {1, 1, 2};
    out.gpuDomain = {0, 1, 2};
    out.domains = 3;
    out.nodeParent = {-1, 0, 0};
    out.nodeLayer = {0, 1, 1};
    out.nodeHosts = {3, 2, 1};
    return out;
}

} // namespace alidade::tests
