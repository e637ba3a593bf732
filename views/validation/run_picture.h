// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/format.h"
#include "views/theme/theme.h"
#include "views/validation/run_filter.h"

#include <memory>
#include <vector>

class QCPScatterStyle;

namespace alidade::views {

/// A class of runs with its own color and marker.
struct RunClass {
    QString key, label; ///< the class of all without a marker of their own has the key `otherRuns`
    int count = 0;      ///< of the rows in the picture
};
inline const QString otherRuns = QStringLiteral("other");

/// The classes of a field among these rows, those of most rows first, the rest as one. The rows should not be
/// filtered, so that a class keeps its look while filters change.
QList<RunClass> runClasses(const std::vector<const ValidationRow*>& rows, RunField field,
                           const Catalog& catalog);

/// Marker of the n-th class.
QCPScatterStyle runMarker(int place, double size, const Theme& look);

enum class RunPictureKind {
    against, ///< predicted over measured, both logarithmic in one unit
    errors,  ///< predicted / measured − 1 over the number of GPUs
};

struct RunPoint {
    const ValidationRow* row = nullptr;
    double x = 0, y = 0;
    double reference = 1; ///< what amounts are drawn as a multiple of
    bool inverse = false; ///< drawn as reference / amount
    int place = 0;        ///< in `classes`
};

/// What the scatter draws. It keeps the report that its points refer to.
struct RunPicture {
    std::shared_ptr<const ValidationReport> report;
    RunPictureKind kind = RunPictureKind::against;
    QList<RunPoint> points;
    QList<RunClass> classes;
    double xLow = 1, xHigh = 10, yLow = 1, yHigh = 10;
    QString xTitle, yTitle;
    Dimension dimension = Dimension::number; ///< of measured and predicted
    ScaledUnit unit{1, ""};                  ///< of both axes
    bool manyUnits = false;
    bool unitInTicks = false; ///< the values span too much for one unit
};

/// The median measurement of each quantity that is a speed, so that speeds in several units have a place on
/// one pair of axes.
QHash<QString, double> speedMedians(const ValidationReport& report);

/// \param rows of `report`
/// \param medians speedMedians() for rows of several units: each is then drawn as a speed relative to the
/// median of its unit, and its error is that of the step time; empty for rows of one unit
RunPicture runPicture(std::shared_ptr<const ValidationReport> report,
                      const std::vector<const ValidationRow*>& rows, QList<RunClass> classes, RunField field,
                      RunPictureKind kind, const QHash<QString, double>& medians = {});

/// Where an amount of the point's row is on the axis of predictions.
double placeOnAxis(const RunPicture& picture, const RunPoint& point, double amount);

} // namespace alidade::views
