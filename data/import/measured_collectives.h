// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/import/nccl_log.h"
#include "model/calibration/live_calibration.h"

#include <string>
#include <vector>

namespace alidade::data {

struct MeasuredCollectives {
    std::vector<MeasuredCollective> tables;
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; what would be right"; then no tables
};

/// The tables of a log of nccl-tests as a calibration takes them.
/// \param fileName in messages, and as the name of the log
/// \param gpusPerNode of the scenario's machines: tells the nodes where the log does not
MeasuredCollectives readMeasuredCollectives(std::string_view text, const std::string& fileName,
                                            int gpusPerNode);

} // namespace alidade::data
