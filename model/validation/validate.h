// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/published.h"
#include "model/validation/validation_report.h"

#include <cstddef>
#include <functional>

namespace alidade {

/// Called now and then with how many rows are done, of how many.
using ValidationProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Predicts each published row and sets the predictions alongside the measurements, with error figures by
/// class. A row is skipped only if its source lacks what any model would need, or if the model does not run
/// it; the report says which.
ValidationReport validate(const PublishedRows& rows, const Catalog& catalog, const Profile& profile,
                          const ValidationProgress& progress = {});

} // namespace alidade
