// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/connection_options.h"
#include "app/cli/time_range.h"
#include "data/observation/collect.h"
#include "model/observation/data_gaps.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace alidade::cli {

/// What a command reads from a Prometheus-compatible server.
struct ObserveOptions {
    ConnectionOptions connection;
    TimeRangeOptions range;
    std::string mapping;            ///< --mapping; empty: detected from the server
    std::optional<std::string> job; ///< --job; absent or empty: see JobDefault
    bool all = false;               ///< everything, whatever jobs there are
};

/// Adds the options of the connection, the time range, --mapping and --job. `options` must outlive the
/// parsing.
void addObserveOptions(CLI::App& command, ObserveOptions& options);

/// Which job is read without --job.
enum class JobDefault {
    everything,        ///< all of them
    training,          ///< the only training job; several are refused by name
    serving,           ///< the only serving job; several are refused by name
    trainingOrServing, ///< the only training job, else the only serving one; everything where there are
                       ///< several
};

/// Times that were asked for and that the server has no data of.
struct NoData {
    DataGaps gaps;
    bool everywhere = false;      ///< there is no sample at all
    std::optional<double> newest; ///< Unix s, of the newest sample; looked for where there is none
};

struct Observed {
    data::BuildInfo server;
    MetricMapping mapping;
    std::vector<data::JobChoice> jobs; ///< all jobs in the range
    Observation observation;
    NoData noData;
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
    /// The same for a command that reads on and on: jobs and metrics are those of the first time, and the
    /// server is asked for what is new.
    Observed follow(JobDefault otherwise);
    /// For what else a command asks the server.
    data::PrometheusApi& api();

private:
    Observed find(JobDefault otherwise, const TimeGrid& grid);
    void addNoData(Observed& out);

    const ObserveOptions& options_;
    std::optional<MetricMapping> mapping_; ///< --mapping
    struct Link;
    std::unique_ptr<Link> link_;
};

/// "No data from 12:00 to 12:20; the newest sample is from 11:58": of a range without any sample.
std::string noDataSentence(const NoData& noData, const TimeGrid& grid);
/// [{"start_s", "end_s", "lasts", "exporters_silent"}].
nlohmann::ordered_json gapsJson(const DataGaps& gaps);

/// The lines of an error text.
std::vector<std::string> errorLines(const std::string& text);

} // namespace alidade::cli
