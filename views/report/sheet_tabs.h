// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/workbook.h"

#include <QTabWidget>

#include <vector>

namespace alidade::views {

/// The sheets of a workbook, each a table with the letters and numbers of a spreadsheet around its cells.
/// Cells show what a spreadsheet shows; a formula is in the tooltip.
class SheetTabs : public QTabWidget {
    Q_OBJECT

public:
    explicit SheetTabs(QWidget* parent = nullptr);

    /// The sheet with the name of the one before stays in sight.
    void setSheets(std::vector<data::Sheet> sheets);
};

} // namespace alidade::views
