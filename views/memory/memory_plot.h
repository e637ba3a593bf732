// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/memory/memory_data.h"

class QCPBars;

namespace alidade::views {

class MemoryArt;
class MemoryLegend;

/// Stacked memory of each pipeline stage against what its GPUs have. Hover tells about a stage, a click
/// chooses it, Left and Right walk the stages, Up and Down the parts of the chosen one (with Shift they pan).
class MemoryPlot : public PlotBase {
    Q_OBJECT
public:
    explicit MemoryPlot(QWidget* parent = nullptr);

    void setData(const MemoryData& data);
    const MemoryData& data() const;
    /// Indices into data(); -1: none.
    void setSelected(int stage, int part);
    int selectedStage() const;
    int selectedPart() const;
    /// In pixels of plot().
    QRectF partRect(int stage, int part) const;
    QRectF column(int stage) const;
    int labelStep() const;
    /// The words in the picture and their places, as drawn last: of the parts of a single stage, and of the
    /// limits and of what is too much.
    QList<std::pair<QString, QRectF>> partNames() const;
    QList<std::pair<QString, QRectF>> limitWords() const;

signals:
    /// `part` is -1 where a stage is chosen as a whole.
    void chosen(int stage, int part);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;

private:
    struct Hit {
        int stage = -1, part = -1;
    };
    Hit hitAt(const QPointF& position) const;
    void makeBars();
    void walkStages(int steps);
    void walkParts(int steps);
    PlotSpot spotOf(const Hit& hit) const;

    QList<QCPBars*> bars_; ///< one a part, stacked
    MemoryArt* art_;
    MemoryLegend* legend_;
};

} // namespace alidade::views
