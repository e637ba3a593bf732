// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/json/reader.h"
#include "model/validation/published.h"

#include <string_view>
#include <vector>

namespace alidade::data {

/// Reads an array of published measurements; what kind a row is, is seen from its keys. All that is wrong is
/// added to `faults`; rows with a fault are left out. An id may occur only once.
PublishedRows readPublished(std::string_view text, std::vector<JsonFault>& faults);

/// The measurements that the program comes with.
PublishedRows shippedPublished();

// One row each; nullopt if there was a fault in it.
std::optional<PublishedTraining> readTrainingRow(ObjectReader& row);
std::optional<PublishedCollective> readCollectiveRow(ObjectReader& row);
std::optional<PublishedServing> readServingRow(ObjectReader& row);
std::optional<PublishedReinforcement> readReinforcementRow(ObjectReader& row);
std::optional<PublishedTraining> readFinetuneRow(ObjectReader& row);
std::optional<PublishedRun> readReliabilityRow(ObjectReader& row);
std::optional<PublishedRun> readStorageRow(ObjectReader& row);
std::optional<PublishedRun> readEnergyRow(ObjectReader& row);

} // namespace alidade::data
