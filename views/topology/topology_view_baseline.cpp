// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/estimate.h"
#include "views/document/baselines.h"
#include "views/document/document.h"
#include "views/topology/topology_source.h"
#include "views/topology/topology_view.h"

#include <utility>

namespace alidade::views {

/// Of a baseline only what its links carry is asked for, once.
void TopologyView::showDifference() {
    const Baselines& all = document().baselines();
    const std::shared_ptr<const Estimate> before = all.difference() ? all.difference()->before : nullptr;
    if (std::exchange(beforeOf_, before) == before)
        return;
    before_.reset();
    beforeSource_->cancel();
    if (before && before->runs && all.current() >= 0)
        beforeSource_->ask(all.list()[static_cast<std::size_t>(all.current())].spec, document().catalog(),
                           before);
    updateSelection();
}

} // namespace alidade::views
