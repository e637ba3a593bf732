// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/document/selection.h"

#include <QString>

#include <optional>
#include <span>

namespace alidade::views {

/// The layers of what takes the time: of a training step, or of a decode or prefill step of serving. Points
/// into the estimate.
struct StepLayers {
    std::span<const Layer> layers;
    std::span<const Stage> stages;      ///< of the pipeline; of serving none
    std::optional<ServingStep> serving; ///< the step that they are of; empty: training
    std::span<const ShareT<double>> breakdown =
        {}; ///< of a serving step, all layers and what is next to them
};

/// Where serving has no such step (the other phase runs elsewhere), those of the other one.
StepLayers stepLayers(const Estimate& estimate, ServingStep step);
bool hasStep(const Serving& serving, ServingStep step);

/// What a layer's figures are per, besides GPU and layer: "micro-batch", "decode step".
QString workUnit(const StepLayers& step);

} // namespace alidade::views
