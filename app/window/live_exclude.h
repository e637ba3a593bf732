// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/scenario/problem.h"
#include "model/scenario/spec.h"

#include <QStringList>

namespace alidade {
struct Catalog;
}

namespace alidade::app {

/// The change of a scenario that leaves hosts out by the names that were measured. An error says why that
/// cannot be: the scenario knows no hosts by name, or not these, or nothing is left.
Result<Fix> excludeFromPlan(const ScenarioSpec& spec, const Catalog& catalog, const QStringList& hosts);

} // namespace alidade::app
