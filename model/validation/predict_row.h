// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/validation/published.h"
#include "model/validation/validation_report.h"

namespace alidade {

// Each adds one published row to the report: its quantities with their predictions, or why there are none.
// The weights are set later.

void predictTraining(const PublishedTraining& row, const Catalog& catalog, const Profile& profile,
                     ValidationReport& report);
void predictServing(const PublishedServing& row, const Catalog& catalog, const Profile& profile,
                    ValidationReport& report);
void predictReinforcement(const PublishedReinforcement& row, const Catalog& catalog, const Profile& profile,
                          ValidationReport& report);
void predictRun(const PublishedRun& row, const Catalog& catalog, const Profile& profile,
                ValidationReport& report);
void predictCollectiveRow(const PublishedCollective& row, const Catalog& catalog, const Profile& profile,
                          ValidationReport& report);

} // namespace alidade
