// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/figure_path.h"

#include "model/kernels/phase.h"
#include "views/document/text.h"
#include "views/layers/names.h"
#include "views/layers/step_layers.h"

#include <functional>

namespace alidade::views {

namespace {

/// "training.layers"; empty: the estimate has none of the step.
QString layersPath(const Estimate& estimate, const StepLayers& step) {
    if (estimate.training)
        return QStringLiteral("training.layers");
    if (!step.serving)
        return {};
    return *step.serving == ServingStep::decode ? QStringLiteral("serving.layers")
                                                : QStringLiteral("serving.prefill_layers");
}

template <class Part>
void addParts(const std::vector<Part>& parts, const QString& path, const QString& phase,
              const std::function<QString(const Part&)>& nameOf, QList<ExplainableFigure>& figures) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const QString name = nameOf(parts[i]);
        const QString its = text(phaseName(parts[i].phase));
        if (!name.isEmpty() && (phase.isEmpty() || its == phase))
            figures.append({LayersText::tr("%1, %2").arg(name, phaseText(parts[i].phase).toLower()),
                            QStringLiteral("%1.%2.seconds").arg(path).arg(i)});
    }
}

} // namespace

QList<ExplainableFigure> explainableFigures(const Estimate& estimate, ServingStep shown,
                                            const Selection& selection) {
    QList<ExplainableFigure> figures;
    const StepLayers step = stepLayers(estimate, shown);
    const QString all = layersPath(estimate, step);
    for (std::size_t i = 0; i < step.layers.size() && !all.isEmpty(); ++i) {
        const Layer& layer = step.layers[i];
        if (text(layer.kind) != selection.layer)
            continue;
        const QString path = QStringLiteral("%1.%2").arg(all).arg(i);
        if (!selection.group.isEmpty())
            addParts<Communication>(
                layer.communication, path + QStringLiteral(".communication"), selection.phase,
                [&](const Communication& each) {
                    const bool chosen =
                        text(each.group) == selection.group &&
                        (selection.operation.isEmpty() || text(each.op) == selection.operation);
                    return chosen ? collectiveText(each.op) : QString();
                },
                figures);
        else if (!selection.operation.isEmpty())
            addParts<Operation>(
                layer.ops, path + QStringLiteral(".ops"), selection.phase,
                [&](const Operation& each) {
                    return text(each.name) == selection.operation ? text(each.name) : QString();
                },
                figures);
        else
            figures.append({layerTitle(layer), path + QStringLiteral(".seconds")});
    }
    return figures;
}

} // namespace alidade::views
