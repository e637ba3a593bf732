// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/topology.h"

#include <algorithm>

namespace alidade {

int Topology::layers() const {
    int out = 0;
    for (const NetworkNode& node : nodes)
        out = std::max(out, node.layer + 1);
    return out;
}

} // namespace alidade
