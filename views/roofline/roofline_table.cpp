// SPDX-License-Identifier: GPL-3.0-or-later
// What the roofline draws, as a table and in words.
#include "views/document/text.h"
#include "views/layers/names.h"
#include "views/roofline/roofline_data.h"
#include "views/theme/theme_controller.h"

#include <algorithm>

namespace alidade::views {
namespace {

Cell rate(double si, Dimension dimension, const ScaledUnit& unit) {
    return {.text = text(formatParts(si, dimension, {.fixed = unit}).number),
            .value = si / unit.factor,
            .bound = {}};
}

} // namespace

RooflineTable rooflineTable(const RooflineData& data) {
    double fastest = 0;
    double longest = 0;
    for (const RooflinePoint& point : data.points) {
        fastest = std::max(fastest, point.flopsPerSecond);
        longest = std::max(longest, point.seconds);
    }
    const ScaledUnit unit = chooseUnit(Dimension::flopPerSecond, fastest);
    const ScaledUnit time = chooseUnit(Dimension::seconds, longest);
    RooflineTable table;
    table.columns = {
        {RooflineText::tr("Operation"), false, {}},
        {RooflineText::tr("Layer"), false, {}},
        {RooflineText::tr("Limit"), false, {}},
        {RooflineText::tr("FLOP/byte"), true, RooflineText::tr("Arithmetic per byte of HBM")},
        {text(unit.label), true, RooflineText::tr("Achieved by one GPU")},
        {RooflineText::tr("% of HBM"), true, RooflineText::tr("Share of the HBM bandwidth")},
        {text(time.label), true, RooflineText::tr("Time per GPU and layer, of one micro-batch or step")},
        {RooflineText::tr("Achieved"), false, {}},
        {RooflineText::tr("Work"), false, {}}};
    const Cell none{.text = QStringLiteral("–"), .value = {}, .bound = {}};
    for (const RooflinePoint& point : data.points) {
        const auto plain = [](const QString& words) { return Cell{.text = words, .value = {}, .bound = {}}; };
        const Selection& s = point.selection;
        table.rows.append(
            {QStringList{s.layer, s.operation, s.phase}.join(QLatin1Char('/')),
             {plain(point.card.title), plain(layerText(s.layer.toStdString())),
              Cell{.text = theme().classStyle(point.bound).name, .value = {}, .bound = point.bound},
              point.intensity > 0 ? rate(point.intensity, Dimension::flopPerByte, {1, "FLOP/byte"}) : none,
              point.intensity > 0 ? rate(point.flopsPerSecond, Dimension::flopPerSecond, unit) : none,
              rate(point.hbmShare, Dimension::ratio, {0.01, "%"}),
              rate(point.seconds, Dimension::seconds, time), plain(point.achieved), plain(point.work)}});
    }
    return table;
}

QString rooflineInWords(const RooflineData& data) {
    const PrecisionRoof* present = data.present();
    if (!present || data.points.isEmpty())
        return {};
    QStringList classes;
    for (const Bound bound : classOrder)
        if (const auto count = std::ranges::count(data.points, bound, &RooflinePoint::bound))
            classes.append(RooflineText::tr("%1 by %2").arg(count).arg(theme().classStyle(bound).name));
    QString words = RooflineText::tr("%1 operations are bound: %2.")
                        .arg(data.points.size())
                        .arg(classes.join(QStringLiteral(", ")));
    const auto fastest = std::ranges::max_element(data.points, {}, &RooflinePoint::flopsPerSecond);
    if (fastest->flopsPerSecond > 0)
        words += QLatin1Char(' ') +
                 RooflineText::tr("The fastest, %1, reaches %2 of the peak of %3 in %4.")
                     .arg(fastest->card.title, quantity(fastest->flopsPerSecond, Dimension::flopPerSecond),
                          quantity(present->flopsPerSecond, Dimension::flopPerSecond), present->name);
    if (data.ridge() > 0)
        words += QLatin1Char(' ') +
                 RooflineText::tr("The ridge is at %1.").arg(quantity(data.ridge(), Dimension::flopPerByte));
    return words;
}

} // namespace alidade::views
