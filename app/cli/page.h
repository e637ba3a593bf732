// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/terminal.h"
#include "data/report/report.h"

#include <string>

namespace alidade::cli {

/// A report as text for a terminal: the answer, the key figures, then all sections with their tables; of the
/// plots the bars of a step, because the tables hold what the others show.
/// \param scenario with everything filled in; shown in the words of --set
std::string pageOf(const data::Report& report, const ScenarioSpec& scenario, const Terminal& terminal);

/// A table with aligned columns, its text columns wrapped so that no line is wider than the terminal. In a
/// column "Source" stand numbers; the sources are listed once below the table.
std::string tableText(data::Table table, const Terminal& terminal);

/// A heading with an empty line before it.
std::string headingText(const std::string& title, const Terminal& terminal);

/// Text broken into lines of the terminal's width, indented.
std::string paragraphText(std::string_view text, const Terminal& terminal, Style style = Style::plain);

} // namespace alidade::cli
