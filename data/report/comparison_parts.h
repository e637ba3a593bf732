// SPDX-License-Identifier: GPL-3.0-or-later
// Private to data/report: what the comparisons of training runs and of services have in common.
#pragma once

#include "data/report/sections.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// Whether the scenarios differ in one of these fields, or in the model itself.
/// \param paths of the field table
/// \returns "model (A and B) and sequence length (8,192 and 2,048)"; empty: they do not
std::string differencesIn(std::span<const Compared> all, std::span<const std::string_view> paths);

/// A column of the table of differences.
struct ComparedFigure {
    const char* title = "";
    /// In SI units; nullopt: the scenario has none, or it does not compare.
    std::optional<double> (*value)(const Estimate&) = nullptr;
};

/// How far the figures of each scenario are from those of the first one, as shares; absent where the first
/// has none of them, or there is nothing to compare.
std::optional<Table> differenceTable(std::span<const Compared> all, std::span<const ComparedFigure> figures,
                                     std::string id);

/// The fields that differ, a few scenarios in each table; absent where none does.
std::optional<ReportSection> differingFieldSection(std::span<const Compared> all, std::string id);

} // namespace alidade::data
