// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a trace of requests: no crash, a refusal names the file and says how to fix it, and what
// is accepted is in order and within the limits, with statistics that are numbers.
#include "data/traces/trace_reader.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

using namespace alidade;

namespace {

void require(bool holds) {
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    const auto reading = data::readTrace(in, "t");
    if (!reading) {
        require(reading.error().starts_with("t:") && reading.error().find("; ") != std::string::npos);
        return 0;
    }
    const RequestTrace& trace = reading->trace;
    require(!trace.requests.empty() && trace.requests.front().time == 0);
    double last = 0;
    for (const TraceRequest& each : trace.requests) {
        require(std::isfinite(each.time) && each.time >= last && each.input >= 1 && each.output >= 1);
        require(std::size_t{each.firstBlock} + each.blocks <= trace.blocks.size());
        last = each.time;
    }
    const TraceStatistics found = statisticsOf(trace, usualCacheSizes());
    require(found.requests == trace.requests.size() && found.arrivalCv >= 0);
    for (const PrefixHit& each : found.prefix)
        require(each.share >= 0 && each.share <= 1);
    for (const double rate : profileOf(trace).rates)
        require(std::isfinite(rate) && rate >= 0);
    return 0;
}
