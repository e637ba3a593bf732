// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

#include <span>
#include <string>

namespace alidade::data {

// Tables of layers and of the parts of a step, of training and of serving.

/// One row a layer: how many, its time, its bottleneck.
Table layerSummaryTable(std::span<const Layer> layers, std::string id, std::string note);

/// The parts of a step and their sum.
Table breakdownTable(const std::vector<ShareT<double>>& parts, double step, std::string id,
                     std::string title);

/// Operations and collectives of each layer; the ids of the tables are the prefix and the kind of the layer.
void addLayerTables(ReportSection& section, std::span<const Layer> layers, const std::string& prefix);

} // namespace alidade::data
