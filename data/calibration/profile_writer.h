// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/profile.h"

#include <string>

namespace alidade::data {

/// The JSON document of a calibration profile: one parameter a line, in the order of the profile. Fitted
/// values are written with six digits, all others so that they read back as the same number.
std::string writeProfile(const Profile& profile, const FitRecord& record);

} // namespace alidade::data
