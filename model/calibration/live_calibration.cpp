// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_calibration.h"

namespace alidade {

Result<LiveCalibration> calibrateLive(const ScenarioSpec&, const Catalog&, const Profile&, const Observation&,
                                      const std::vector<Finding>&) {
    return Error{"calibration from live measurements is not there yet; use nccl-tests logs"};
}

} // namespace alidade
