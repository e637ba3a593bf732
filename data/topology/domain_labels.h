// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <string_view>

namespace alidade::data {

/// Labels of nodes that name an NVLink domain. Narrowest first: a clique can be a part of an UltraServer, and
/// only inside it NVLink really connects.
constexpr std::array<std::string_view, 4> labelsOfDomains{
    "nvidia.com/gpu.clique", "accelerator.topograph.run/domain", "topology.k8s.aws/ultraserver-id",
    "topology.k8s.aws/capacity-block-id"};

} // namespace alidade::data
