// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"

#include <QList>
#include <QString>

#include <optional>

namespace alidade::views {

/// What shares the routed tokens of a micro-batch.
enum class ExpertSharing { gpus, experts };

/// Expected loads under uniform routing, the busiest first, and what the estimate makes of them; all in
/// routed tokens of one layer and micro-batch.
struct ExpertLoads {
    ExpertSharing sharing = ExpertSharing::gpus;
    QList<double> loads;
    double mean = 0;
    double busiest = 0;               ///< that the estimate uses
    double padded = 0;                ///< per expert: mean with the padding of its GEMMs; else 0
    std::optional<double> capacity{}; ///< what a GPU or an expert computes whatever arrives

    double top() const; ///< end of an axis that holds all of it
};

/// Of the training step or of a decode step; null without experts.
const ExpertLoad* expertLoadOf(const Estimate& estimate);
ExpertLoads expertLoads(const ExpertLoadT<double>& load, ExpertSharing sharing);
/// "256 experts, 8 a token, over 64 GPUs"
QString expertsNote(const ExpertLoadT<double>& load);
/// What an uneven spread costs, in words.
QString expertsInWords(const ExpertLoadT<double>& load, ExpertSharing sharing);
/// "8,192"
QString tokensText(double count);
CardContent expertCard(const ExpertLoads& loads, int index);

QList<CellColumn> expertColumns(const ExpertLoads& loads);
QList<CellRow> expertRows(const ExpertLoads& loads);

} // namespace alidade::views
