// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/fabric.h"

#include <algorithm>

namespace alidade {

std::vector<LinkId> path(const Fabric& fabric, int gpuA, int gpuB) {
    if (gpuA == gpuB)
        return {};
    if (fabric.domainOf(gpuA) == fabric.domainOf(gpuB))
        return {{LinkKind::nvlink, gpuA}, {LinkKind::nvlink, gpuB}};
    const int hostA = fabric.hostOf(gpuA), hostB = fabric.hostOf(gpuB);
    std::vector<LinkId> up{{LinkKind::nic, gpuA}}, down{{LinkKind::nic, gpuB}};
    if (hostA != hostB) {
        up.push_back({LinkKind::uplink, hostA});
        down.push_back({LinkKind::uplink, hostB});
        int a = fabric.leafOf(hostA), b = fabric.leafOf(hostB);
        const auto layer = [&](int node) {
            return node < 0 ? -1 : fabric.nodeLayer[static_cast<std::size_t>(node)];
        };
        while (a != b) {
            const bool first = layer(a) >= layer(b), second = layer(b) >= layer(a);
            if (first && a >= 0) {
                up.push_back({LinkKind::trunk, a});
                a = fabric.parentOf(a);
            }
            if (second && b >= 0) {
                down.push_back({LinkKind::trunk, b});
                b = fabric.parentOf(b);
            }
        }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

} // namespace alidade
