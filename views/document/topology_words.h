// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace alidade {
struct Topology;
}

namespace alidade::views {

/// The machines of a topology in a line: "512 × p5.48xlarge", "16 hosts", "12 × p5.48xlarge and 4 others".
QString topologyHosts(const Topology& topology);

} // namespace alidade::views
