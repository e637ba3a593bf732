// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/fleet/fleet_file.h"
#include "data/json/reader.h"

#include <stop_token>
#include <string>
#include <vector>

namespace alidade::data {

/// Reads the traffic of a service: typed hours, the shape of a day, or a trace.
class TrafficReader {
public:
    /// \param file of the fleet; traces are relative to it
    TrafficReader(const std::string& file, const std::stop_token& stop)
        : file_(file)
        , stop_(stop) {}

    /// \param faults of the trace, with its name
    void read(ObjectReader& in, FleetService& service, ServiceTraffic& traffic,
              std::vector<std::string>& faults) const;

private:
    void readRates(ObjectReader& in, FleetService& service, ServiceTraffic& traffic,
                   std::vector<std::string>& faults, bool nested) const;
    void readProfile(const std::string& name, FleetService& service, ServiceTraffic& traffic,
                     std::vector<std::string>& faults) const;
    std::string beside(const std::string& name) const;

    const std::string& file_;
    const std::stop_token& stop_;
};

} // namespace alidade::data
