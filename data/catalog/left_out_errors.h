// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/profile.h"

#include <optional>

namespace alidade::data {

/// Returns the leave-one-out errors on the published step times, as recorded in the shipped profile: the
/// constants for each model were fitted without that model. nullopt for any other profile.
std::optional<ErrorFigures> leftOutErrors(const Profile& profile);

} // namespace alidade::data
