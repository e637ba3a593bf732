// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/constants.h"

#include <cmath>

namespace alidade {

/// Hours of a month, as AWS counts it.
inline constexpr double monthHours = 730;

/// Returns the GB that AWS bills for provisioned storage: whole GiB, which its price lists call GB (the
/// Amazon S3 billing example divides by 1,073,741,824; FSx takes its StorageCapacity in GiB).
/// \param bytes provisioned
inline double billedGigabytes(double bytes) { return std::ceil(bytes / bytesPerGib - 1e-6); }

} // namespace alidade
