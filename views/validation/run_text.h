// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"
#include "model/validation/validation_report.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"

#include <QString>

namespace alidade {
struct Catalog;
}

namespace alidade::views {

// Published runs in words.

Dimension dimensionOf(const ValidationRow& row);

/// The error of the time that the row means: of a rate it is that of the inverse, so that one sign says too
/// slow for all.
double errorAsTime(const ValidationRow& row);

/// "5.1", "12", "−0.4": of a fraction, without the unit; "–" if it is not known.
QString percentNumber(double share, bool withSign);
QString errorText(double error); ///< with its sign: "+5.1 %", "−12 %"; "–" if it is not known
QString shareText(double share); ///< "88 %"

QString subjectText(const ValidationRow& row); ///< "Llama 3 8B", "all-reduce 64 MiB"
/// "Llama 3 8B, 8 × H100, FP8"
QString runTitle(const ValidationRow& row, const Catalog& catalog);
/// An amount of the row, in the unit in which its measurement is read best.
QString amountText(const ValidationRow& row, double amount);
/// "5.6 – 6.9 s"; empty without a band.
QString bandText(const ValidationRow& row);
/// Degrees and batch of the plan: "TP 8, PP 16, micro-batch 1"; of serving degrees and load; of a collective
/// its nodes.
QString layoutText(const ValidationRow& row);
/// "Table 1, row 1.7B, 2021-08"
QString placeText(const ValidationRow& row);
QString assumedText(const ValidationRow& row); ///< settings that the source does not give, in words

CardContent runCard(const ValidationRow& row, const Catalog& catalog, bool asTimes = false);

inline constexpr int errorColumn = 4, sizeOfErrorColumn = 5; ///< of runTable()
struct RunTable {
    QList<CellColumn> columns;
    QList<CellRow> rows; ///< by runKey
};
/// The rows with their figures; in one unit where all are of one quantity.
/// \param asTimes errors are those of the step time that each row means
RunTable runTable(const std::vector<const ValidationRow*>& rows, const Catalog& catalog,
                  bool asTimes = false);
/// What was published of memory next to what is predicted.
RunTable outcomeTable(const ValidationReport& report);
RunTable skippedTable(const ValidationReport& report);

} // namespace alidade::views
