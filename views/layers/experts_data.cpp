// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/layers/experts_data.h"

#include "model/explain/normal.h"
#include "views/document/text.h"
#include "views/layers/names.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double roomAbove = 1.18; // for the words of the lines

/// "1.04 ×", as everywhere in this view.
QString times(double factor) { return QLocale::c().toString(factor, 'f', 2) + QStringLiteral(" ×"); }

QString percentOf(double share) { return quantity(share, Dimension::ratio, {.significant = 2}); }

/// What the busiest of `count` gets by chance alone, over the mean.
double chance(double mean, int count) {
    return mean > 0 && count > 1 ? expectedSortedLoad(mean, count, count) / mean : 1;
}

} // namespace

QString tokensText(double count) { return quantity(count, Dimension::number); }

double ExpertLoads::top() const {
    double most = std::max({mean, busiest, padded, capacity.value_or(0.0)});
    for (const double load : loads)
        most = std::max(most, load + std::max(padded - mean, 0.0));
    return most * roomAbove;
}

const ExpertLoad* expertLoadOf(const Estimate& estimate) {
    if (estimate.training && estimate.training->expertLoad)
        return &*estimate.training->expertLoad;
    return estimate.serving && estimate.serving->expertLoad ? &*estimate.serving->expertLoad : nullptr;
}

ExpertLoads expertLoads(const ExpertLoadT<double>& load, ExpertSharing sharing) {
    ExpertLoads out;
    out.sharing = sharing;
    const bool gpus = sharing == ExpertSharing::gpus;
    const int count = gpus ? load.expertRanks : load.experts;
    out.mean = gpus ? load.tokensPerRank : load.tokensPerExpert;
    out.busiest = gpus ? out.mean * load.imbalance : 0;
    out.padded = gpus ? 0 : load.paddedTokensPerExpert;
    if (load.capacityFactor)
        out.capacity = *load.capacityFactor * out.mean;
    for (int i = count; i >= 1; --i)
        out.loads.append(count > 1 ? expectedSortedLoad(out.mean, i, count) : out.mean);
    return out;
}

QString expertsNote(const ExpertLoadT<double>& load) {
    const QString experts =
        LayersText::tr("%1 experts, %2 per token").arg(load.experts).arg(load.expertsPerToken);
    return load.expertRanks > 1 ? LayersText::tr("%1, over %2 GPUs, %3 each")
                                      .arg(experts)
                                      .arg(load.expertRanks)
                                      .arg(load.expertsPerRank)
                                : LayersText::tr("%1, all on each GPU").arg(experts);
}

QString expertsInWords(const ExpertLoadT<double>& load, ExpertSharing sharing) {
    QStringList words;
    if (load.capacityFactor)
        words.append(LayersText::tr("Each expert processes %1 the mean; excess tokens are dropped.")
                         .arg(times(*load.capacityFactor)));
    const int count = sharing == ExpertSharing::gpus ? load.expertRanks : load.experts;
    const double mean = sharing == ExpertSharing::gpus ? load.tokensPerRank : load.tokensPerExpert;
    const double byChance = chance(mean, count);
    if (sharing == ExpertSharing::experts) {
        words.append(LayersText::tr("By chance the busiest of %1 experts gets %2 the mean of %3 tokens.")
                         .arg(count)
                         .arg(times(byChance), tokensText(mean)));
        if (const double padding = load.paddedTokensPerExpert - mean; padding > 0 && !load.capacityFactor)
            words.append(LayersText::tr("Padding adds %1.").arg(percentOf(padding / std::max(mean, 1e-9))));
    } else if (load.capacityFactor) {
        words.append(LayersText::tr("By chance the busiest of %1 GPUs gets %2 the mean.")
                         .arg(count)
                         .arg(times(byChance)));
    } else {
        const QString waits = percentOf(1 - 1 / std::max(load.imbalance, 1.0));
        const bool same = std::abs(load.imbalance - byChance) < 1e-6;
        words.append(
            same ? LayersText::tr(
                       "By chance the busiest of %1 GPUs gets %2 the mean, as in the estimate: the others "
                       "wait %3 of the experts' time.")
                       .arg(count)
                       .arg(times(byChance), waits)
                 : LayersText::tr(
                       "By chance the busiest of %1 GPUs would get %2 the mean. The estimate does not use "
                       "that: it takes Expert imbalance %3, at which the others wait %4 of the experts' "
                       "time.")
                       .arg(count)
                       .arg(times(byChance), times(load.imbalance), waits));
    }
    return words.join(QLatin1Char(' '));
}

CardContent expertCard(const ExpertLoads& loads, int index) {
    const bool gpus = loads.sharing == ExpertSharing::gpus;
    const double load = loads.loads[index];
    const int count = static_cast<int>(loads.loads.size());
    const QString title =
        gpus ? LayersText::tr("GPU %1 of %2 by load") : LayersText::tr("Expert %1 of %2 by load");
    CardContent card{.title = title.arg(index + 1).arg(count), .tag = {}, .rows = {}};
    card.rows.append({LayersText::tr("Expected tokens"), tokensText(load)});
    card.rows.append({LayersText::tr("Of the mean"), times(loads.mean > 0 ? load / loads.mean : 0)});
    if (loads.capacity)
        card.rows.append({LayersText::tr("Capacity"), tokensText(*loads.capacity)});
    else if (gpus && loads.busiest > load)
        card.rows.append({LayersText::tr("Waits for the busiest"), percentOf(1 - load / loads.busiest)});
    if (loads.padded > loads.mean)
        card.rows.append({LayersText::tr("Padding"), tokensText(loads.padded - loads.mean)});
    return card;
}

QList<CellColumn> expertColumns(const ExpertLoads& loads) {
    return {
        {loads.sharing == ExpertSharing::gpus ? LayersText::tr("GPU by load")
                                              : LayersText::tr("Expert by load"),
         true,
         {}},
        {LayersText::tr("Expected tokens"), true, LayersText::tr("Of one layer at a time, uniform routing")},
        {LayersText::tr("Of the mean"), true, {}}};
}

QList<CellRow> expertRows(const ExpertLoads& loads) {
    QList<CellRow> rows;
    for (int i = 0; i < loads.loads.size(); ++i) {
        const double ratio = loads.mean > 0 ? loads.loads[i] / loads.mean : 0;
        rows.append({QString::number(i),
                     {{.text = QString::number(i + 1), .value = i + 1, .bound = {}},
                      {.text = tokensText(loads.loads[i]), .value = loads.loads[i], .bound = {}},
                      {.text = times(ratio), .value = ratio, .bound = {}}}});
    }
    return rows;
}

} // namespace alidade::views
