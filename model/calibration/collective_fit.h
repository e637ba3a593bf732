// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/published.h"

#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade {

/// Constants of collectives and expert exchanges from published rows.
struct CollectiveFit {
    Profile profile; ///< the given one with fitted values (four digits), their uncertainty and data share
    std::vector<std::size_t> fitted; ///< indices of the parameters that were fitted
    int rows = 0, series = 0;
    bool converged = false;
};

/// Fits every constant of kind "fitted" that the laws of collectives take (NVLink per part, network per kind)
/// to the rows; priors are the same for all parts and networks. Each series has a weight that grows little
/// with its length; rows below 1 MiB weigh less.
/// \param leftOut series that are not looked at
CollectiveFit fitCollectives(const std::vector<PublishedCollective>& rows, const Catalog& catalog,
                             const Profile& profile, const std::set<std::string>& leftOut = {},
                             std::stop_token stop = {});

} // namespace alidade
