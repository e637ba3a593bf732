// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/calibration/live_calibration.h"
#include "tests/data/published_rows.h"

#include <QTest>

// What the tests of calibrations share: scenarios of the simulated cluster, and looking at results.
namespace alidade::test {

inline ScenarioSpec specOf(const nlohmann::json& document) {
    const data::ScenarioReading reading = data::readScenario(document.dump());
    if (!reading.spec)
        qFatal("%s", data::text("scenario", reading.faults.front()).c_str());
    return *reading.spec;
}

/// Llama 3.1 70B on so many nodes, tensor parallel inside each, data parallel across.
inline ScenarioSpec trainingOn(const std::string& instance, int nodes) {
    return specOf({{"alidade", 1},
                   {"workload",
                    {{"kind", "training"},
                     {"model", "llama-3.1-70b"},
                     {"sequence_length", 8192},
                     {"global_batch", 8 * nodes}}},
                   {"cluster", {{"instance", instance}, {"instances", nodes}}},
                   {"plan",
                    {{"framework", "megatron-core"},
                     {"tensor_parallel", 8},
                     {"micro_batch", 1},
                     {"precision", "bf16"}}}});
}

/// The same served by one node. \param load "prompt_mean", "output_mean", "rate_rps", "prefix_hit"
inline ScenarioSpec servingOn(const std::string& instance,
                              const nlohmann::json& load = nlohmann::json::object()) {
    return specOf(
        {{"alidade", 1},
         {"workload",
          {{"kind", "serving"},
           {"model", "llama-3.1-70b"},
           {"input_tokens", load.value("prompt_mean", 2048)},
           {"output_tokens", load.value("output_mean", 256)},
           {"request_rate_per_s", load.value("rate_rps", 4.0)},
           {"prefix_cache_hit", load.value("prefix_hit", 0.3)}}},
         {"cluster", {{"instance", instance}, {"instances", 1}}},
         {"plan", {{"engine", "vllm"}, {"tensor_parallel", 8}, {"weights", "bf16"}, {"kv_cache", "bf16"}}}});
}

inline const CalibratedParameter& parameter(const LiveCalibration& of, const char* name) {
    for (const CalibratedParameter& each : of.parameters)
        if (each.name == name)
            return each;
    qFatal("there is no %s", name);
}

inline LiveCalibration calibrated(const ScenarioSpec& spec, const Observation& observation,
                                  const std::vector<Finding>& findings = {}) {
    const auto out = calibrateLive(spec, alidade::shippedCatalog(), alidade::shippedCatalog().defaultProfile,
                                   observation, findings);
    if (!out)
        qFatal("%s", out.error().c_str());
    return *out;
}

} // namespace alidade::test
