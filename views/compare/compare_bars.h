// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/compare/compare_source.h"
#include "views/kit/cell_table.h"
#include "views/kit/plot_base.h"

#include <QList>
#include <QString>

#include <optional>

namespace alidade::views {

class CompareBarsArt;

/// One part of a bar: a class of time, or a part of the memory.
struct ComparePart {
    QString name;
    std::optional<Bound> bound{}; ///< else `tone` counts
    MemoryTone tone = MemoryTone::overhead;
    double value = 0; ///< s, or bytes
};

/// The bar of one scenario.
struct CompareBar {
    QString name;
    QList<ComparePart> parts;
    QString end, endNote{}; ///< behind the bar, and below that
    Role noteInk = Role::text2;
    double capacity = 0, usable = 0; ///< of memory; 0: no limit
    double low = 0, high = 0;        ///< whisker; equal: none
    double total() const;
};

/// Bars of all scenarios on one axis, below each other.
struct CompareBars {
    QString title; ///< "Step time"
    QList<CompareBar> bars;
    int baseline = -1;
    Dimension dimension = Dimension::seconds;
    bool lineAtBaseline = false; ///< over the whole picture, at the baseline's end
};

/// The time of a step by class; of services, of a decode step.
CompareBars stepBars(const CompareAnswer& answer);
/// The memory of the fullest GPU.
CompareBars memoryBars(const CompareAnswer& answer);

/// Draws them. A click or Up and Down choose a scenario.
class CompareBarsPlot : public PlotBase {
    Q_OBJECT

public:
    explicit CompareBarsPlot(const QString& fileName, QWidget* parent = nullptr);

    void setBars(const CompareBars& bars);
    void setChosen(int scenario);       ///< -1: none
    QRectF barRect(int scenario) const; ///< in pixels of plot()
    TextTable textTable() const;

signals:
    void chosen(int scenario);

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitMargins();
    CompareBarsArt* art_;
};

} // namespace alidade::views
