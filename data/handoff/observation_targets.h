// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <string>

namespace alidade::data::handoff {

/// Rules, dashboard or measurements of a plan: "prometheus-rules", "grafana-dashboard", "nccl-tests". Metrics
/// are those of dcgm-exporter, the EFA exporter, and the training and serving programs in the catalog's
/// mapping.
void writeObservation(const HandoffSource& source, const std::string& id, Handoff& out);

} // namespace alidade::data::handoff
