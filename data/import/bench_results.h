// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace alidade::data {

/// What a file of measured runs holds: benchmarks of a deployment, or the steps of a training run.
struct BenchReading {
    std::string tool;                ///< "vllm bench serve", "Megatron-LM log"; for a person
    std::vector<ServedRun> runs;     ///< of serving
    MeasuredStepTimes steps;         ///< of training; without values where the file is of serving
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; how to fix it"; then nothing was read

    bool isTraining() const { return !steps.seconds.empty() || !steps.tokensPerSecondPerGpu.empty(); }
};

/// Reads the result file of a benchmark, or the log of a training run, by what is in it:
/// - `vllm bench serve --save-result` and its predecessor benchmark_serving.py (one JSON document);
/// - SGLang's `bench_serving --output-file` (one JSON document a line);
/// - AIPerf's profile_export_aiperf.json and GenAI-Perf's profile_export_genai_perf.json;
/// - MLPerf LoadGen's mlperf_log_summary.txt, of the scenarios Server and Offline;
/// - logs of torchtitan ("step: 10 ... tps: 7,161") and of Megatron-LM ("elapsed time per iteration (ms):
/// 6310.5").
BenchReading readBenchResults(std::string_view text, const std::string& fileName);

} // namespace alidade::data
