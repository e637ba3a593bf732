// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/import/nccl_log.h"
#include "model/calibration/live_calibration.h"

#include <string>
#include <vector>

namespace alidade::data {

struct MeasuredCollectives {
    std::vector<MeasuredCollective> tables;
    std::vector<std::string> faults; ///< "FILE:line: what is wrong; how to fix it"; then no tables
};

/// Reads the tables of an nccl-tests log for a calibration.
/// \param fileName for messages, and as the name of the log
/// \param gpusPerNode of the scenario's machines: gives the number of nodes if the log does not
/// \param acceptWrong uses tables whose check found wrong results, which are a fault otherwise
MeasuredCollectives readMeasuredCollectives(std::string_view text, const std::string& fileName,
                                            int gpusPerNode, bool acceptWrong = false);

} // namespace alidade::data
