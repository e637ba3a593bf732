// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/connection_options.h"
#include "app/cli/time_range.h"
#include "data/observation/collect.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::cli {

/// What a command reads from a Prometheus-compatible server.
struct ObserveOptions {
    ConnectionOptions connection;
    TimeRangeOptions range;
    std::string mapping; ///< --mapping; empty: detected from the server
    std::string job;     ///< --job; empty: see JobDefault
};

/// Adds the options of the connection, the time range, --mapping and --job. `options` must outlive the
/// parsing.
void addObserveOptions(CLI::App& command, ObserveOptions& options);

/// Which job is read without --job.
enum class JobDefault {
    everything,        ///< all of them
    training,          ///< the only training job; several are refused by name
    serving,           ///< the only serving job; several are refused by name
    trainingOrServing, ///< the only training job, else the only serving one; several are refused by name
};

struct Observed {
    data::BuildInfo server;
    MetricMapping mapping;
    std::vector<data::JobChoice> jobs; ///< all jobs in the range
    Observation observation;
};

/// A connection that may be read several times.
class Observer {
public:
    /// Opens the connection. A Failure names the option that is wrong.
    explicit Observer(const ObserveOptions& options);
    ~Observer();

    /// Reads the range as it is now. A Failure of the environment if the server does not answer, of the
    /// request if --mapping or --job is wrong.
    Observed read(JobDefault otherwise);

private:
    const ObserveOptions& options_;
    std::optional<MetricMapping> mapping_; ///< --mapping
    struct Link;
    std::unique_ptr<Link> link_;
};

/// The lines of an error text.
std::vector<std::string> errorLines(const std::string& text);

} // namespace alidade::cli
