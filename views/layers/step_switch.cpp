// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/step_switch.h"

#include "views/document/document.h"
#include "views/layers/step_layers.h"

namespace alidade::views {

StepSwitch::StepSwitch(Document& document, QWidget* parent)
    : SegmentedButtons(parent)
    , document_(document) {
    setAccessibleName(tr("Serving step"));
    setOptions(QStringList{tr("Decode"), tr("Prefill")});
    connect(this, &SegmentedButtons::currentEdited, &document, [&document](int index) {
        document.setServingStep(index == 0 ? ServingStep::decode : ServingStep::prefill);
    });
    hide();
}

void StepSwitch::setEstimate(const Estimate& estimate) {
    setVisible(estimate.serving.has_value());
    if (!estimate.serving)
        return;
    const auto reason = [&](ServingStep step) {
        return hasStep(*estimate.serving, step) ? QString() : tr("This phase runs in another pool");
    };
    setOptions({{tr("Decode"), reason(ServingStep::decode)}, {tr("Prefill"), reason(ServingStep::prefill)}});
    const StepLayers shown = stepLayers(estimate, document_.servingStep());
    setCurrentIndex(shown.serving == ServingStep::prefill ? 1 : 0);
}

} // namespace alidade::views
