// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/document/selection.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/layers/layer_rows.h"

#include <QList>
#include <QString>

namespace alidade::views {

/// Something that takes time on a lane: an operation, or a part of a collective.
struct LaneSegment {
    double from = 0, to = 0; ///< s from the start of the layer
    Bound bound = Bound::compute;
    Pass pass = Pass::forward;
    bool hidden = false; ///< of a collective: compute covers it
    Selection selection;
    CardContent card;
};

struct LayerLane {
    QString label; ///< "tensor parallel"; of the compute lane empty
    QString group; ///< "tp"; of the compute lane empty
    QList<LaneSegment> segments;
};

/// A kind of layer, forward and backward of one micro-batch, or in one step of serving: the lane of its
/// operations, and one lane for each group of GPUs that it talks to.
struct LayerLanes {
    QString kind, title, count;
    double seconds = 0, forward = 0; ///< all, and what of it is the forward pass (0: no other)
    double communication = 0, exposed = 0;
    double total = 0; ///< s of all layers of this kind
    QList<LayerLane> lanes;
};

struct CommunicationData {
    QList<LayerLanes> layers;
    double longest = 0; ///< s
    QString per;        ///< "micro-batch", "decode step"
    int lanes() const;
    const LayerLanes* heaviest() const; ///< that takes most time in all its layers; null: there is none
};

CommunicationData communicationData(const StepLayers& step, std::optional<int> stage);

/// "31.1 ms of 59.1 ms is waiting for communication, all of it expert parallel. Compute hides none."
QString communicationInWords(const LayerLanes& layer);
/// The same of the heaviest kind, with its name.
QString communicationInWords(const CommunicationData& data);

/// Each collective in each phase, one a row.
struct CommunicationTable {
    QList<CellColumn> columns;
    QList<CellRow> rows;
    QList<Selection> selections; ///< of each row
};
CommunicationTable communicationTable(const StepLayers& step);

} // namespace alidade::views
