// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/sweep.h"
#include "model/scenario/edit.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// A choice of a list: what a person reads, and the path that it represents.
struct NamedPath {
    QString label, path;
};

/// What can be swept in a scenario: fields first, in the order of the editor, then numbers of the catalog and
/// constants of the calibration. \param numbersOnly without choices, which have no order
QList<NamedPath> sweptVariables(const Scenario& scenario, const Catalog& catalog, bool numbersOnly = false);
/// The figures that the scenario has.
QList<NamedPath> figuresOf(const Scenario& scenario);
/// What a scenario of this kind is usually asked about.
QString usualVariable(const Scenario& scenario, int place); ///< 0: across, 1: up
QString usualFigure(const Scenario& scenario, int place);   ///< 0: of the line, 1: of the grid, 2: of money

QString labelOf(const Variable& variable); ///< "Global batch"
/// A value as a person reads it: "2,048", "3.35 TB/s", "Norms, GLU product".
QString valueInWords(const Variable& variable, const FieldValue& value);
/// "Global batch 2,048, Sequence 8,192"
QString pointInWords(const Sweep& sweep, const SweepPoint& point);

/// What to set to make the scenario this point. Empty: it changes a number that no field has.
Edit editOf(const Sweep& sweep, const SweepPoint& point, const ScenarioSpec& spec);
/// The same for one value.
Edit editOf(const Variable& variable, const FieldValue& value, const ScenarioSpec& spec);

} // namespace alidade::views
