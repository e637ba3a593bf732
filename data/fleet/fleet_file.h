// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/traces/trace_reader.h"
#include "model/fleet/fleet.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The trace that a service of a fleet takes its traffic from.
struct ServiceTraffic {
    std::string file;                            ///< as it is written; empty: typed traffic
    std::shared_ptr<const TraceReading> trace{}; ///< null: typed traffic
    double scale = 1;                            ///< of the rates
    double prefixCacheTokens = 1e6;              ///< of one replica
};

/// A fleet with the traces of its services.
struct FleetFile {
    Fleet fleet;
    std::vector<ServiceTraffic> traffic; ///< of each service
    std::string document{};              ///< the JSON that it was read from
    std::string path{};                  ///< of that document: names in it are relative to it
};

struct FleetReading {
    std::optional<FleetFile> file;
    std::vector<std::string> faults; ///< "FILE:/json/pointer: ..."; if not empty, there is no fleet
};

/// Reads a fleet, `{"alidade": 1, "fleet": {...}}`, with the scenarios (ids, files, or inline) and the traces
/// that it names. Relative paths are relative to the file.
FleetReading readFleet(std::string_view text, const std::string& file, const std::stop_token& stop = {});

/// Takes the traffic of a service from a trace: rates, lengths, arrivals and shared prefixes.
/// \param name as in the fleet \param path of the file
/// \returns an empty text, or what is wrong: "FILE:LINE: ..."
std::string takeTrace(const std::string& name, const std::string& path, FleetService& service,
                      ServiceTraffic& traffic, const std::stop_token& stop = {});

/// A fleet as a document: the one that it was read from with what was edited since, keys in their order.
/// \param read the fleet as it was read \param edited the same with other rates, targets, start times,
/// traces, numbers of instances and bases
/// \param path the file that the document is for; relative names are rewritten for its folder, which looks
/// at the disk where it is another folder than that of `read`
std::string writeFleet(const FleetFile& read, const FleetFile& edited, const std::string& path);

/// Gives all services one period: a week if any of them has one.
void alignPeriods(Fleet& fleet);

/// Whether a document is a fleet, by its form.
bool isFleet(std::string_view text);

/// Typed traffic as a member of a service: {"hourly_requests_per_s": [...], "input_tokens": ...}, indented.
struct TypedTraffic {
    TrafficProfile rates;
    std::optional<double> inputTokens, inputTokensCv, outputTokens, outputTokensCv, prefixCacheHit, arrivalCv;
};
std::string writeTraffic(const TypedTraffic& traffic);

/// Ids of the shipped fleets, sorted.
std::vector<std::string> sampleFleetIds();
struct SampleFleet {
    std::string id, name;
};
std::vector<SampleFleet> sampleFleets(); ///< the same with their names
/// The text of a shipped fleet; an error names the nearest id.
Result<std::string> sampleFleet(const std::string& id);

} // namespace alidade::data
