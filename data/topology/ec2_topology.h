// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "data/topology/reported.h"

namespace alidade::data {

/// Whether an object is a page of `aws ec2 describe-instance-topology`, or one instance of it.
bool isEc2Page(const nlohmann::json& object);
bool isEc2Instance(const nlohmann::json& object);

/// Adds the instances of a page, under the names of the command line (`Instances`) or of the wire
/// (`instanceSet`). Unknown members are passed over. \returns whether the page names a next one
bool readEc2Page(const nlohmann::json& page, const std::string& file, const std::string& pointer,
                 TopologyReport& report, std::vector<JsonFault>& faults);
void readEc2Instance(const nlohmann::json& instance, const std::string& file, const std::string& pointer,
                     TopologyReport& report, std::vector<JsonFault>& faults);

} // namespace alidade::data
