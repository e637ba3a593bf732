// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

#include <string>

namespace alidade::data {

/// All tables of a report in one RFC 4180 file (UTF-8, CRLF): each line begins with the scenario and the id
/// of its table, the first line of a table names its columns, and all lines have the same number of fields.
/// Numbers are in SI units, which the column's name carries. A text that a spreadsheet would take for a
/// formula is led by an apostrophe.
std::string reportCsv(const Report& report);

/// The report as data: numbers in SI units alongside the text as printed; the scenarios themselves under
/// "scenario".
std::string reportJson(const Report& report);

/// The report as an Excel workbook: a sheet for the answer, the order with formulas, its cash flow, and one
/// for each section with tables. Text is never a formula. The same report gives the same bytes. Needs a
/// folder for temporary files.
Result<std::string> reportXlsx(const Report& report);

} // namespace alidade::data
