// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/names.h"

#include "model/collectives/collective_op.h"
#include "model/topology/group_kind.h"
#include "views/document/text.h"

#include <array>

namespace alidade::views {
namespace {

struct Name {
    std::string_view word;
    const char* shown;
};

constexpr std::array layerNames{Name{"embedding", QT_TRANSLATE_NOOP("LayersText", "Embedding")},
                                Name{"transformer", QT_TRANSLATE_NOOP("LayersText", "Transformer layer")},
                                Name{"dense", QT_TRANSLATE_NOOP("LayersText", "Dense layer")},
                                Name{"moe", QT_TRANSLATE_NOOP("LayersText", "MoE layer")},
                                Name{"mtp", QT_TRANSLATE_NOOP("LayersText", "Multi-token prediction")},
                                Name{"head", QT_TRANSLATE_NOOP("LayersText", "Head and loss")}};
constexpr std::array collectiveNames{
    Name{collectiveName(CollectiveOp::sendReceive), QT_TRANSLATE_NOOP("LayersText", "Send and receive")}};
constexpr std::array groupNames{
    Name{groupWord(GroupKind::tensor), QT_TRANSLATE_NOOP("LayersText", "tensor parallel")},
    Name{groupWord(GroupKind::context), QT_TRANSLATE_NOOP("LayersText", "context parallel")},
    Name{groupWord(GroupKind::expert), QT_TRANSLATE_NOOP("LayersText", "expert parallel")},
    Name{groupWord(GroupKind::expertTensor), QT_TRANSLATE_NOOP("LayersText", "expert tensor parallel")},
    Name{groupWord(GroupKind::data), QT_TRANSLATE_NOOP("LayersText", "data parallel")},
    Name{groupWord(GroupKind::pipeline), QT_TRANSLATE_NOOP("LayersText", "pipeline parallel")}};

/// The name of a word; a word that is not listed gets a capital and its underscores become `joint`.
template <std::size_t Size>
QString nameOf(const std::array<Name, Size>& names, std::string_view word, QChar joint) {
    for (const Name& name : names)
        if (name.word == word)
            return LayersText::tr(name.shown);
    QString shown = text(word).replace(QLatin1Char('_'), joint);
    return shown.isEmpty() ? shown : shown.replace(0, 1, shown[0].toUpper());
}

} // namespace

QString layerText(std::string_view kind) { return nameOf(layerNames, kind, QLatin1Char(' ')); }
QString layerTitle(const Layer& layer) {
    return layer.title.empty() ? layerText(layer.kind) : text(layer.title);
}
QString collectiveText(std::string_view op) { return nameOf(collectiveNames, op, QLatin1Char('-')); }
QString groupText(std::string_view group) { return nameOf(groupNames, group, QLatin1Char(' ')); }

QString phaseText(Phase phase) {
    switch (phase) {
    case Phase::forward:
        return LayersText::tr("Forward");
    case Phase::backwardInput:
        return LayersText::tr("Backward, input");
    case Phase::backwardWeight:
        return LayersText::tr("Backward, weight");
    case Phase::recompute:
        return LayersText::tr("Recompute");
    case Phase::prefill:
        return LayersText::tr("Prefill");
    case Phase::decode:
        return LayersText::tr("Decode");
    }
    Q_UNREACHABLE();
}

} // namespace alidade::views
