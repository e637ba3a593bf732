// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/jobs/import_job.h"
#include "data/prometheus/prometheus_api.h"
#include "model/observation/metric_mapping.h"
#include "model/observation/observation.h"

namespace alidade::data {

/// What a server knows of a running job: its measurements and the labels of its series.
struct JobMetrics {
    MetricMapping mapping;
    Observation observation; ///< of one job
    bool serving = false;
    std::vector<Labels> gpus;        ///< one series a GPU of the job's hosts
    std::vector<Labels> engines;     ///< one series an engine (or a rank of it)
    std::vector<Labels> cacheConfig; ///< vllm:cache_config_info of the engines
};

/// Asks for the labels. \pre the observation is of the job \param serving whether that serves
Result<JobMetrics> collectJobMetrics(PrometheusApi& api, const MetricMapping& mapping,
                                     Observation observation, bool serving, std::stop_token stop = {});

/// The scenario of a running job. Hosts, GPUs and instance type come from the GPU exporter, the model and the
/// settings of its cache from the engine's labels, rate and mean lengths of requests from the engine's
/// counters. What no series says is asked for; measurements without a field are named with their values.
JobReading readJobMetrics(const JobMetrics& metrics, const Catalog& catalog);

} // namespace alidade::data
