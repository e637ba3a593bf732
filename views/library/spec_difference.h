// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// A field that two scenarios differ in.
struct FieldDifference {
    QString label;     ///< "Tensor"
    QString path;      ///< "plan.tensor_parallel"
    QString then, now; ///< with their units; empty: not written
    QString change{};  ///< of a number: "+50 %"; empty: there is nothing to tell
};

/// In the order of the field table, without the name. A model that is written out counts as one field.
QList<FieldDifference> differencesOf(const ScenarioSpec& then, const ScenarioSpec& now);

} // namespace alidade::views
