// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "model/units/format.h"
#include "views/document/selection.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/layers/step_layers.h"

#include <QList>
#include <QString>

#include <optional>

namespace alidade::views {

/// How a part of a bar stands to the pass that it belongs to.
enum class Pass { forward, recompute, backward };
Pass passOf(Phase phase);

/// A part of a row's bar; the parts of an operation are in the order of the passes, those of a layer in the
/// order of the classes.
struct TimePart {
    Bound bound = Bound::compute;
    Pass pass = Pass::forward;
    double seconds = 0;
};

/// A line of the layer table: a kind of layer, an operation with all its phases, or the collectives of one
/// kind.
struct LayerRow {
    QString key; ///< "transformer/QKV projection/"
    Selection selection;
    QString name;   ///< "QKV projection", "All-gather, 2 + 4"
    QString count;  ///< of a layer: "× 126, 8 on stage 1"
    QString ofStep; ///< of all layers of a kind in serving, as a share of the step: "93 %"
    QString noBar;  ///< of what is not a layer: why it has no bar on their scale
    Bound bound = Bound::compute;
    std::optional<double> flops, bytes, intensity; ///< of the forward pass
    std::optional<double> roof;                    ///< share of the roof that bounds the forward pass, 0..1
    double seconds = 0;                            ///< all passes; of collectives what is exposed
    std::optional<double> before; ///< seconds in the baseline; empty: it has no such row, or there is none
    QList<TimePart> parts;
    CardContent card;
};

struct LayerGroup {
    LayerRow head;
    QList<LayerRow> rows;
};

struct ColumnUnit : ScaledUnit {
    std::optional<int> decimals; ///< of all figures; empty: three digits each
};

struct LayerTable {
    QList<LayerGroup> groups;
    ScaledUnit time; ///< of its column, as the next
    ColumnUnit flops, bytes;
    double longest = 0;   ///< s, the longest bar of a layer
    QString per;          ///< "micro-batch", "decode step"
    bool serving = false; ///< there is but one pass
    int heaviest = -1;    ///< the group that takes most time in all its layers
    /// Standard deviation of ln(time / time in the baseline), below which a difference says nothing; empty:
    /// there is no baseline.
    std::optional<double> differenceLogSd;
};

/// Tells each row what it takes in the baseline, whose rows are found by their keys.
void setBefore(LayerTable& table, const LayerTable& baseline, double logSd);

/// "× 126, 8 on stage 1": how many layers of this kind there are, and where.
QString layerCount(const Layer& layer, const StepLayers& step, std::optional<int> stage);

/// \param stage the chosen pipeline stage, which the counts of layers tell about
LayerTable layerTable(const StepLayers& step, std::optional<int> stage);

/// Every operation and collective in every phase, one a row.
struct PhaseTable {
    QList<CellColumn> columns;
    QList<CellRow> rows;
    QList<Selection> selections; ///< of each row
};
PhaseTable phaseTable(const StepLayers& step);

/// The result in words: what a transformer layer takes, and what that time is bound by.
QString layersInWords(const LayerTable& table);

} // namespace alidade::views
