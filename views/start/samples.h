// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// A shipped scenario.
struct Sample {
    QString id;
    QString name;
    ScenarioSpec spec;
};

/// All of them, the best known one first. Read once.
const QList<Sample>& samples();

} // namespace alidade::views
