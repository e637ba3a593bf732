// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/calibrate_source.h"

#include "app/cli/session.h"
#include "app/cli/time_text.h"

#include <CLI/CLI.hpp>

namespace alidade::cli {

void addMetricsOptions(CLI::App& command, MetricsOptions& options) {
    addConnectionOptions(command, options.connection);
    command.add_option("--start", options.start, "First instant: RFC 3339, Unix seconds or -2h; default -1h")
        ->type_name("T");
    command.add_option("--end", options.end, "Last instant; default now")->type_name("T");
    command.add_option("--step", options.step, "Between two instants: 30s; default 15s or more")
        ->type_name("S");
    command.add_option("--job", options.job, "Job, if the server has several")->type_name("JOB");
    command.add_option("--mapping", options.mapping, "Your own mapping of metrics")->type_name("FILE");
}

Result<LiveCalibration> calibrateFromMetrics(const MetricsOptions&, const ScenarioSpec&, const Catalog&,
                                             const Profile&) {
    throw Failure(Failure::request,
                  "--prometheus: reading a server is not there yet; --nccl-log FILE or --steps "
                  "CSV would be right");
}

} // namespace alidade::cli
