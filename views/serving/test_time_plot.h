// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/label_placer.h"
#include "views/kit/plot_base.h"
#include "views/serving/test_time_data.h"

class QCPGraph;
class QCPItemStraightLine;

namespace alidade::views {

class TestTimeLabels;

/// Latency, price or accuracy of an answered question against its samples or its thinking budget: one curve
/// strong and one thin, the scenario as a line with a mark, a target of accuracy as a dashed line. A click or
/// Left and Right choose a point, Enter uses it.
class TestTimePlot : public PlotBase {
    Q_OBJECT
public:
    explicit TestTimePlot(TestTimeMeasure measure, QWidget* parent = nullptr);

    void setData(const TestTimeData& data);
    const TestTimeData& data() const { return data_; }
    void setSelected(int row); ///< -1: none
    int selected() const { return selected_; }

    void setAxisName(bool shown); ///< of the axis below
    /// The words that found a place when it was last drawn.
    const PlacedLabels& labels() const;
    /// In pixels of plot(); null where the row has no value.
    QPointF placeOf(int row) const;
    bool hasPresent() const; ///< the scenario is marked

signals:
    void chosen(int row);
    void used(int row);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;

private:
    void makeCurves();
    void showPresent();
    void showTicks();
    int rowAt(const QPointF& position) const;
    PlotSpot spotOf(int row) const;

    TestTimeMeasure measure_;
    TestTimeData data_;
    int selected_ = -1;
    QCPGraph *strong_ = nullptr, *thin_ = nullptr, *ring_ = nullptr, *presentMark_ = nullptr;
    QCPItemStraightLine *presentLine_ = nullptr, *targetLine_ = nullptr;
    TestTimeLabels* labels_ = nullptr;
};

} // namespace alidade::views
