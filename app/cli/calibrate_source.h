// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/connection_options.h"
#include "model/calibration/live_calibration.h"

namespace alidade::cli {

/// Which measurements of a server a calibration reads.
struct MetricsOptions {
    ConnectionOptions connection;
    std::string start, end, step, job, mapping;
};

void addMetricsOptions(CLI::App& command, MetricsOptions& options);

/// Reads the server, judges its health so that faults are left out, and calibrates. A Failure of the
/// environment if the server does not answer; the error says what the measurements lack.
Result<LiveCalibration> calibrateFromMetrics(const MetricsOptions& options, const ScenarioSpec& spec,
                                             const Catalog& catalog, const Profile& profile);

} // namespace alidade::cli
