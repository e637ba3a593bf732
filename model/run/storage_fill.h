// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/reliability/run_core.h"

#include <optional>

namespace alidade {

/// How full the provisioned file system of a run gets. Training data are in S3 at first, and a file is loaded
/// when it is first read (FSx for Lustre User Guide, "Importing changes from your data repository"), so that
/// they take what has been read so far. What has been exported can be released ("Releasing files"). Bytes and
/// days from the start.
struct StorageFill {
    double capacity = 0;
    double days = 0;       ///< of the run, median
    double data = 0;       ///< read by its end, once
    double checkpoint = 0; ///< of one; 0: none goes to the file system
    double period = 0;     ///< days between two checkpoints, mean

    double dataAt(double day) const;
    double checkpointsAt(double day, int kept = keptCheckpoints) const;
    double at(double day, int kept = keptCheckpoints) const { return dataAt(day) + checkpointsAt(day, kept); }
    double most() const { return at(days); } ///< it never becomes less
    /// The day in which more is needed than there is; nullopt: none is before the end.
    std::optional<double> fullAfter(int kept = keptCheckpoints) const;
};

/// nullopt: the capacity is not limited (S3), or the length of the run is not known.
std::optional<StorageFill> storageFill(const Estimate& estimate);

} // namespace alidade
