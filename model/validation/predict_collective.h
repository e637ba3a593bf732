// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/published.h"

#include <optional>
#include <string>

namespace alidade {

/// A published point of a collective or of an expert exchange, as the laws of the cost model see it.
struct CollectivePrediction {
    double seconds = 0;
    double low = 0,
           high = 0;     ///< 10 % and 90 % quantiles: uncertainty of the constants and scatter of the rows
    double measured = 0; ///< seconds; from the published bandwidth where the source prints no time: bytes as
                         ///< the library counts them / bandwidth
};

/// Predicts a row with the laws that estimates use.
/// \param profile constants; what it lacks is taken from the catalog's own
/// \param why set where nothing is predicted: what the row lacks, or that it is not a collective
std::optional<CollectivePrediction> predictCollective(const PublishedCollective& row, const Catalog& catalog,
                                                      const Profile& profile, std::string* why);

} // namespace alidade
