// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/fleet/request_trace.h"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>
#include <string_view>

namespace alidade::data {

/// Formats of recorded requests.
enum class TraceFormat : std::uint8_t {
    mooncake, ///< JSON Lines: timestamp (ms), input_length, output_length, hash_ids (kvcache-ai/Mooncake)
    burstGpt, ///< CSV: Timestamp (s), Model, Request tokens, Response tokens, ... (HPMLL/BurstGPT)
    azure,    ///< CSV: TIMESTAMP (date and time), ContextTokens, GeneratedTokens (AzurePublicDataset)
};
std::string_view traceFormatName(TraceFormat format); ///< "Mooncake JSON Lines"

struct TraceReading {
    TraceFormat format = TraceFormat::mooncake;
    RequestTrace trace;
};

/// The most requests that are read of one file.
inline constexpr std::size_t mostTraceRequests = 50'000'000;

/// Reads requests line by line; the first line tells the format. Requests without an answer (a failed call)
/// are counted and left out; those that are not in the order of their times are sorted.
/// \param file name for errors: "FILE:LINE: what is wrong; how to fix it"
/// \param progress bytes that were read
Result<TraceReading> readTrace(std::istream& in, const std::string& file, const std::stop_token& stop = {},
                               const std::function<void(std::uint64_t)>& progress = {});

/// The same for a file.
Result<TraceReading> readTraceFile(const std::string& file, const std::stop_token& stop = {},
                                   const std::function<void(double share)>& progress = {});

} // namespace alidade::data
