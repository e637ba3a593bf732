// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explain/traced.h"
#include "views/kit/hover_card.h"

#include <QString>
#include <QUrl>

#include <optional>

namespace alidade {
struct Catalog;
struct ScenarioSpec;
} // namespace alidade

namespace alidade::views {

/// Where a term of an explanation comes from, as a link: "catalog:gpus/h100-sxm/tdp_w",
/// "field:plan.schedule", "validation:" for constants that are fitted to published runs. Invalid: nowhere
/// that can be gone to.
/// \param scenario as resolved, which says the machine and the model
QUrl placeOfTerm(const ExplainedTerm& term, const ScenarioSpec& scenario, const Catalog& catalog);

/// The name of a term or input for a person: "HBM bandwidth", "GEMM memory time", "Stage time 2".
QString termWords(const std::string& name);

/// "catalog", "yours": where a value comes from.
QString kindWords(SourceKind kind);

/// "3.35 TB/s", four digits.
QString termValue(const ExplainedTerm& term);

/// "GPU time + optimizer time", and the same with figures in place of the names; empty for an input.
QString formulaInWords(const Explanation& explanation);
QString formulaInFigures(const Explanation& explanation);

/// Formula, formula with figures, inputs and source in short, for a hover card.
CardContent explanationCard(const QString& label, const Explanation& explanation);

} // namespace alidade::views
