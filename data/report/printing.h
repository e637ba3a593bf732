// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// "67.4 – 82.8 days": both in the unit that suits the larger.
std::string printedRange(double low, double high, Dimension dimension);

/// "+0.31 s", "−12.2 %": a difference with its sign.
std::string printedDifference(double value, Dimension dimension);

/// How a cell begins: "hbm_bandwidth" -> "HBM bandwidth", "core attention" -> "Core attention".
std::string spokenName(std::string_view identifier);

/// With a capital first letter.
std::string capitalized(std::string text);

std::string spokenPhase(Phase phase);

Cell textCell(std::string text, Emphasis emphasis = Emphasis::none);
Cell boundCell(Bound bound);
/// A cell that carries its own unit.
Cell valueCell(double value, Dimension dimension, Emphasis emphasis = Emphasis::none);
/// "–", quiet: not known or not applicable.
Cell noCell();

/// A number that orders are placed by: all its digits, to a hundredth.
Cell exactCell(double value, Emphasis emphasis = Emphasis::none);
/// Money to order by: five digits.
Cell moneyCell(double dollars, Dimension dimension, Emphasis emphasis = Emphasis::none);

/// A row of a table of figures: name, value, remark.
void addFigure(Table& table, std::string name, double value, Dimension dimension, std::string remark = {});

Column textColumn(std::string title);
Column quantityColumn(std::string title, Dimension dimension);
Column mixedColumn(std::string title);

/// Prints a column of differences in one unit, that of its largest value, each with its sign and its unit.
void unifyDifferences(Table& table, std::size_t column);

/// Prints every quantity column in one unit, that of its largest value, and puts the unit into the title.
/// Money and ratios keep their sign in the cell, where a reader expects it.
/// \param deciding the rows whose values choose the unit; empty: all
void unifyUnits(Table& table, const std::vector<bool>& deciding = {});

} // namespace alidade::data
