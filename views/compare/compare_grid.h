// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/compare/compare_source.h"
#include "views/kit/table_text.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace alidade::views {

/// Translates what the functions of the Compare page say.
struct CompareText {
    Q_DECLARE_TR_FUNCTIONS(CompareText)
};

/// What is in the table for one scenario in one row.
struct ComparisonCell {
    QString text;
    QString change; ///< from the baseline: "−29.0 %", "baseline"
    std::optional<double> value{};
    bool best = false;   ///< marked as the best of its row
    bool strong = false; ///< in weight 500
    Role ink = Role::text;
    Role changeInk = Role::text2;
    QString toolTip{};
};

struct ComparisonRow {
    enum class Kind { group, field, figure, reason, total };
    Kind kind = Kind::figure;
    QString key;    ///< path of the field or figure; of a reason its name
    QString label;  ///< "Cost of the run"
    QString note{}; ///< of a group, in small next to its label
    std::optional<Bound> bound{};
    bool moreIsBetter = false;
    QList<ComparisonCell> cells{}; ///< one a scenario; of a group none
};

/// "1  p5, as planned", cut where it is too long for a picture.
QString shortTitle(const CompareAnswer& answer, std::size_t scenario);

/// The table of a comparison.
struct CompareGrid {
    QStringList titles; ///< "1  p5, as planned"
    QList<ComparisonRow> rows;
    int baseline = 0;
};

/// \param everything all fields and figures; else the fields that differ and the figures that plans are
/// usually judged by
CompareGrid compareGrid(const CompareAnswer& answer, bool everything);

/// For people: what is shown, with the changes. Without the rows of groups.
TextTable shownTable(const CompareGrid& grid, bool transposed);
/// For programs: figures in SI units under the names that the JSON output gives them.
TextTable plainTable(const CompareGrid& grid, bool transposed);

} // namespace alidade::views
