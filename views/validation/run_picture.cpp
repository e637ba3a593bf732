// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/validation/run_picture.h"

#include "model/validation/error_figures.h"
#include "model/validation/summaries.h"
#include "views/document/text.h"
#include "views/validation/run_text.h"

#include <QCoreApplication>
#include <qcustomplot.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade::views {

namespace {

struct RunPictureTexts {
    Q_DECLARE_TR_FUNCTIONS(RunPicture)
};

constexpr qsizetype mostClasses = 7;    // with their own marker
constexpr double manyDecades = 1e4;     // from here on each tick has its own unit
constexpr double leastErrorShown = 0.3; // of the axis of errors, up and down
constexpr double mostErrorShown = 1.0;  // what is further off is at the edge
constexpr double spread = 0.06; // of the logarithm of the GPU count, so that equal counts do not cover

/// Always the same for the same row, in -1..1.
double jitter(const ValidationRow& row) {
    std::uint32_t hash = 2166136261U; // FNV-1a
    for (const char c : row.id)
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    return static_cast<double>(hash % 2001) / 1000 - 1;
}

void placeAgainst(RunPicture& picture) {
    double low = INFINITY, high = 0;
    for (RunPoint& point : picture.points) {
        point.x = placeOnAxis(picture, point, point.row->measured);
        point.y = placeOnAxis(picture, point, point.row->predicted);
        low = std::min({low, point.x, point.y});
        high = std::max({high, point.x, point.y});
    }
    if (!(low > 0) || !(high >= low))
        return;
    picture.unitInTicks = high > manyDecades * low && !picture.manyUnits;
    if (!picture.manyUnits)
        picture.unit = chooseUnit(picture.dimension, std::sqrt(low * high));
    picture.xLow = picture.yLow = low / 1.25;
    picture.xHigh = picture.yHigh = high * 1.25;
    const QString unit = picture.manyUnits     ? RunPictureTexts::tr(" speed, × the median of its unit")
                         : picture.unitInTicks ? QString()
                                               : QStringLiteral(", ") + text(picture.unit.label);
    picture.xTitle = RunPictureTexts::tr("Measured") + unit;
    picture.yTitle = RunPictureTexts::tr("Predicted") + unit;
}

void placeErrors(RunPicture& picture) {
    double low = INFINITY, high = 0, size = leastErrorShown;
    for (RunPoint& point : picture.points) {
        const double gpus = std::max(1, point.row->gpus);
        low = std::min(low, gpus);
        high = std::max(high, gpus);
        point.x = gpus * std::pow(10.0, spread * jitter(*point.row));
        point.y = placeOnAxis(picture, point, point.row->predicted);
        size = std::max(size, std::min(std::abs(point.y), mostErrorShown));
    }
    for (RunPoint& point : picture.points)
        point.y = std::clamp(point.y, -size, size);
    picture.xLow = (high > 0 ? low : 1) / 1.6;
    picture.xHigh = std::max(high, 2.0) * 1.6;
    picture.yLow = -1.06 * size;
    picture.yHigh = 1.06 * size;
    picture.xTitle = RunPictureTexts::tr("GPUs");
    picture.yTitle = picture.manyUnits ? RunPictureTexts::tr("Step time, predicted / measured − 1")
                                       : RunPictureTexts::tr("Predicted / measured − 1");
}

} // namespace

QList<RunClass> runClasses(const std::vector<const ValidationRow*>& rows, RunField field,
                           const Catalog& catalog) {
    QHash<QString, int> counts;
    for (const ValidationRow* row : rows)
        ++counts[runFieldKey(*row, field)];
    QList<RunClass> classes;
    for (auto each = counts.begin(); each != counts.end(); ++each)
        classes.append({each.key(), runFieldLabel(field, each.key(), catalog), each.value()});
    std::ranges::sort(classes, [](const RunClass& a, const RunClass& b) {
        return a.count != b.count ? a.count > b.count : a.label < b.label;
    });
    if (classes.size() > mostClasses + 1) {
        classes.resize(mostClasses);
        classes.append({otherRuns, RunPictureTexts::tr("Other"), 0});
    }
    if (field == RunField::gpus)
        std::ranges::sort(classes, {}, &RunClass::key);
    return classes;
}

QCPScatterStyle runMarker(int place, double size, const Theme& look) {
    using Style = QCPScatterStyle;
    // Hue says what limits a step; classes of runs differ by marker, and by tones that have no such meaning.
    const QList<QColor> ramp = look.sequentialStops();
    struct Mark {
        Style::ScatterShape shape;
        QColor ink;
        bool filled;
    };
    const std::array<Mark, 8> marks{{{Style::ssDisc, look.color(Role::accent), true},
                                     {Style::ssSquare, ramp[4], true},
                                     {Style::ssTriangle, look.memoryColor(MemoryTone::passing1), true},
                                     {Style::ssDiamond, look.color(Role::text), true},
                                     {Style::ssTriangleInverted, look.memoryColor(MemoryTone::held2), true},
                                     {Style::ssCircle, look.color(Role::text), false},
                                     {Style::ssCross, look.color(Role::accent), false},
                                     {Style::ssPlus, look.color(Role::text3), false}}};
    const Mark& mark = marks[static_cast<std::size_t>(place) % marks.size()];
    return mark.filled ? Style(mark.shape, QPen(mark.ink, 1), mark.ink, size)
                       : Style(mark.shape, QPen(mark.ink, 1.5), Qt::NoBrush, size);
}

QHash<QString, double> speedMedians(const ValidationReport& report) {
    QHash<QString, std::vector<std::pair<double, double>>> amounts;
    for (const ValidationRow& row : report.rows)
        if (isSpeed(row))
            amounts[text(row.quantity)].emplace_back(row.measured, 1.0);
    QHash<QString, double> medians;
    for (auto each = amounts.begin(); each != amounts.end(); ++each)
        medians[each.key()] = weightedQuantile(each.value(), 0.5);
    return medians;
}

double placeOnAxis(const RunPicture& picture, const RunPoint& point, double amount) {
    if (picture.kind == RunPictureKind::against)
        return point.inverse ? point.reference / amount : amount / point.reference;
    ValidationRow row = *point.row;
    row.predicted = amount;
    row.error = amount / row.measured - 1;
    return picture.manyUnits ? asTime(row).error : row.error;
}

RunPicture runPicture(std::shared_ptr<const ValidationReport> report,
                      const std::vector<const ValidationRow*>& rows, QList<RunClass> classes, RunField field,
                      RunPictureKind kind, const QHash<QString, double>& medians) {
    RunPicture picture;
    picture.report = std::move(report);
    picture.kind = kind;
    picture.manyUnits = !medians.isEmpty();
    if (!rows.empty() && !picture.manyUnits)
        picture.dimension = dimensionOf(*rows[0]);
    QHash<QString, int> places;
    for (int i = 0; i < classes.size(); ++i) {
        places[classes[i].key] = i;
        classes[i].count = 0;
    }
    for (const ValidationRow* row : rows) {
        const int place = places.value(runFieldKey(*row, field), places.value(otherRuns, 0));
        ++classes[place].count;
        picture.points.append({.row = row,
                               .reference = medians.value(text(row->quantity), 1.0),
                               .inverse = picture.manyUnits && dimensionOf(*row) == Dimension::seconds,
                               .place = place});
    }
    picture.classes = std::move(classes);
    if (kind == RunPictureKind::against)
        placeAgainst(picture);
    else
        placeErrors(picture);
    return picture;
}

} // namespace alidade::views
