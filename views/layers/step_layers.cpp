// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/step_layers.h"

#include "views/layers/names.h"

namespace alidade::views {

bool hasStep(const Serving& serving, ServingStep step) {
    return !(step == ServingStep::decode ? serving.layers : serving.prefillLayers).empty();
}

StepLayers stepLayers(const Estimate& estimate, ServingStep step) {
    if (estimate.training)
        return {estimate.training->layers, estimate.training->stages, std::nullopt};
    if (!estimate.serving)
        return {};
    const Serving& serving = *estimate.serving;
    if (!hasStep(serving, step))
        step = step == ServingStep::decode ? ServingStep::prefill : ServingStep::decode;
    if (step == ServingStep::decode)
        return {serving.layers, {}, step, serving.breakdown};
    return {serving.prefillLayers, {}, step, serving.prefillBreakdown};
}

QString workUnit(const StepLayers& step) {
    if (!step.serving)
        return LayersText::tr("micro-batch");
    return *step.serving == ServingStep::decode ? LayersText::tr("decode step")
                                                : LayersText::tr("prefill step");
}

} // namespace alidade::views
