// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/profile.h"

#include <optional>

namespace alidade::data {

/// Errors on the published step times of each model with constants that were fitted without that model, as
/// the shipped profile records them; nullopt for any other profile.
std::optional<ErrorFigures> leftOutErrors(const Profile& profile);

} // namespace alidade::data
