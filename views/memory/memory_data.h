// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"
#include "views/kit/cell_table.h"
#include "views/kit/hover_card.h"
#include "views/theme/theme.h"

#include <QCoreApplication>
#include <QList>
#include <QString>

namespace alidade::views {

/// Translates what the functions of the memory view say.
struct MemoryText {
    Q_DECLARE_TR_FUNCTIONS(MemoryText)
};

/// A part of the memory: its name in the estimate, and the tone that it is drawn in.
struct MemoryPart {
    QString name;
    MemoryTone tone = MemoryTone::overhead;
    bool operator==(const MemoryPart&) const = default;
};

/// One pipeline stage, or one pool of a disaggregated deployment; all in bytes per GPU.
struct StageMemory {
    int stage = 0;
    QString pool;                    ///< Pool::name; empty: a pipeline stage
    QString name;                    ///< "Stage 3", "Prefill pool", "Each GPU"
    QString mark;                    ///< under its column: "3", "Prefill"
    int layers = 0;                  ///< 0: not known
    double capacity = 0, usable = 0; ///< of a GPU, and without what is kept in reserve
    double nominal = 0;              ///< the maker's figure
    double total = 0, low = 0, high = 0;
    QList<double> parts; ///< in the order of MemoryData::parts
    CardContent card;

    /// Is some kept back, as far as the figures tell?
    bool hasReserve() const;
    QString key() const { return pool.isEmpty() ? QString::number(stage) : pool; }
};

struct MemoryData {
    QList<MemoryPart> parts;
    QList<StageMemory> stages;
    int worst = 0; ///< index of the fullest stage
    /// Totals of a baseline, bytes, one a stage; one alone where its stages are others: of the fullest.
    /// Empty: there is none.
    QList<double> baseline;
    bool fits = true;

    bool stagesCount() const;  ///< the columns are stages of a pipeline, with numbers
    bool limitsDiffer() const; ///< pools on different machines
    double top() const;        ///< bytes; the end of an axis that holds bars, whiskers and limits
};

/// Of an estimate with memory: its stages, or the pools of a disaggregated deployment. The low-high band of
/// the whole is taken to hold for each stage alike.
MemoryData memoryData(const Estimate& estimate);
MemoryTone memoryTone(const QString& partName);
/// What a baseline needs besides this; see MemoryData::baseline.
void setBaseline(MemoryData& data, const Estimate& baseline);
/// "71.0 GB": always in GB, so that stages compare.
QString gigabyteText(double bytes);
/// The same without the unit.
QString gigabyteNumber(double bytes);

struct MemoryTable {
    QList<CellColumn> columns;
    QList<CellRow> rows; ///< of the stages, in their order
};
MemoryTable memoryTable(const MemoryData& data);

/// The result in words.
QString memoryInWords(const MemoryData& data);

} // namespace alidade::views
