// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "views/document/selection.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"

#include <QCoreApplication>
#include <QList>
#include <QString>

namespace alidade::views {

/// Translates what the functions of the roofline say.
struct RooflineText {
    Q_DECLARE_TR_FUNCTIONS(RooflineText)
};

/// Which operations are drawn.
enum class RooflinePhase { forward, backward, recompute, decode, prefill, all };

/// An operation in one phase.
struct RooflinePoint {
    Selection selection;
    Bound bound = Bound::compute;
    double intensity = 0;      ///< FLOP per byte of HBM; 0: no arithmetic, so it has no place on the axis
    double flopsPerSecond = 0; ///< achieved
    double hbmShare = 0;       ///< of the HBM bandwidth, 0..1
    double seconds = 0;
    double beforeIntensity = 0, beforeFlopsPerSecond = 0; ///< where a baseline has it; 0: nowhere
    QString work;                                         ///< "3.57 TFLOP, 923 MB"
    QString achieved;                                     ///< "698 TFLOP/s, 71 % of BF16"
    CardContent card;
};

/// The dense peak of one number format.
struct PrecisionRoof {
    QString name; ///< "BF16"
    double flopsPerSecond = 0;
    bool present = false; ///< the plan computes in it
};

/// A way that bytes take to a GPU, per GPU and direction. The first one is HBM.
struct FabricRoof {
    QString name; ///< "HBM"
    Bound bound = Bound::hbm;
    double bytesPerSecond = 0;
};

/// Ends of an axis.
struct AxisEnds {
    double low = 1, high = 10;
};

struct RooflineData {
    QList<PrecisionRoof> precisions; ///< lowest first
    QList<FabricRoof> fabrics;       ///< those that are there, HBM first
    double sustained = 0;            ///< FLOP/s that matrix products reach at most; 0: not known
    QList<RooflinePoint> points;
    AxisEnds intensities, rates; ///< the first of whole decades; hold every point and the ridges

    const PrecisionRoof* present() const; ///< null if no peak is known
    double hbm() const;                   ///< bytes/s; 0 if not known
    double ridge() const;                 ///< FLOP/byte where the present peak meets HBM; 0 if not known
    int withoutArithmetic() const;        ///< number of points that have no intensity
};

/// The catalog knows the peaks of the formats that the plan does not use.
RooflineData rooflineData(const Estimate& estimate, const Catalog& catalog, RooflinePhase phase);
/// Tells each point where it is in the picture of a baseline; points are found by what they are.
void setBefore(RooflineData& data, const RooflineData& baseline);
bool hasPhase(const Estimate& estimate, RooflinePhase phase);

/// The point of a selected operation: in the selected phase, else the first one; -1 if there is none.
int pointOf(const RooflineData& data, const Selection& selection);

struct RooflineTable {
    QList<CellColumn> columns;
    QList<CellRow> rows; ///< of the points, in their order
};
RooflineTable rooflineTable(const RooflineData& data);

/// The result in words.
QString rooflineInWords(const RooflineData& data);

} // namespace alidade::views
