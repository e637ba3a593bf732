// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/profile.h"

#include <string>
#include <utility>
#include <vector>

namespace alidade::data {

/// Returns the JSON document of a calibration profile: one parameter per line, in the order of the profile.
/// Fitted values are written with six digits, all others so that they read back as the same number.
std::string writeProfile(const Profile& profile, const FitRecord& record);

/// The origin of a profile, as one-line JSON texts.
struct ProfileOrigin {
    std::vector<std::string> fittedTo;                      ///< elements of "fitted_to"
    std::string error = "{}";                               ///< value of "error"
    std::vector<std::pair<std::string, std::string>> lists; ///< further members: key, value
};
std::string writeProfile(const Profile& profile, const ProfileOrigin& origin);

} // namespace alidade::data
