// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <string>

namespace alidade::data::handoff {

/// Rules, dashboard or measurements of a plan: "prometheus-rules", "grafana-dashboard", "nccl-tests". Metrics
/// are those of dcgm-exporter, the EFA exporter, and the training and serving programs in the catalog's
/// mapping.
void writeObservation(const HandoffSource& source, const std::string& id, Handoff& out);

/// The runs of nccl-tests that tell most about the constants which the band of the plan comes from: those of
/// its collectives, by the share of the variance of the headline that their log removes. A script that names
/// the measurement which helps instead where none of them does.
std::string ncclTestsText(const HandoffSource& source);

} // namespace alidade::data::handoff
