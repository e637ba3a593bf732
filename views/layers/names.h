// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/kernels/phase.h"

#include <QCoreApplication>
#include <QString>

#include <string_view>

namespace alidade::views {

/// Translates what the functions of the layers say.
struct LayersText {
    Q_DECLARE_TR_FUNCTIONS(LayersText)
};

/// "transformer" -> "Transformer layer"; a kind without its own name is shown as it is written.
QString layerText(std::string_view kind);
/// What a person calls a layer: its own title, else the name of its kind.
QString layerTitle(const Layer& layer);
/// "all_gather" -> "All-gather"
QString collectiveText(std::string_view op);
/// "tp" -> "tensor parallel"
QString groupText(std::string_view group);
/// "Backward, input"
QString phaseText(Phase phase);

} // namespace alidade::views
