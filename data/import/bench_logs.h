// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/import/bench_results.h"

#include <optional>
#include <string>
#include <string_view>

namespace alidade::data {

/// "7,161", "412.36", "41.69%" without its sign; nullopt: no number.
std::optional<double> parseBenchNumber(std::string_view text);

/// A log of torchtitan or Megatron-LM, or a summary of MLPerf LoadGen.
void readBenchLog(std::string_view text, const std::string& file, BenchReading& out);

} // namespace alidade::data
