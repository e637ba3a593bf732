// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "tests/model/written_fields.h"

#include <string>

namespace alidade::tests {

/// The constant of that name which a calibration found; none if it did not.
inline const CalibratedParameter* figure(const LiveCalibration& found, const std::string& name) {
    for (const CalibratedParameter& each : found.parameters)
        if (each.name == name)
            return &each;
    return nullptr;
}

/// One of its notes contains this.
inline bool says(const LiveCalibration& found, const char* note) {
    return joined(found.notes).contains(QLatin1String(note));
}

} // namespace alidade::tests
