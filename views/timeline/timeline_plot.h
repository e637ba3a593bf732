// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/timeline/timeline_data.h"

#include <memory>

namespace alidade::views {

class TimelineArt;
class TimelineLegend;

/// Stages over time. W and S zoom at the pointer, A and D pan, F shows the chosen block and then all, 0 all;
/// the wheel zooms the time, with Shift the stages; a drag pans. A click chooses a block, Left and Right (or
/// "," and ".") its neighbors on the stage, Up and Down the stages, Return what the block waited for.
class TimelinePlot : public PlotBase {
    Q_OBJECT
public:
    explicit TimelinePlot(QWidget* parent = nullptr);

    void setData(const std::shared_ptr<const TimelineData>& data);
    const TimelineData* data() const;
    /// A line where the schedule of a baseline ends, s, with its words; 0: none.
    void setBaseline(double end, const QString& words);
    double baselineEnd() const;
    /// -1: none. A chosen event outside of what is to be seen is brought there.
    void setSelected(int stage, int event);
    int selectedStage() const;
    int selectedEvent() const;

    /// The time that is to be seen, s.
    std::pair<double, double> timeRange() const;
    void setTimeRange(double from, double to);
    /// Zooms the time about a place, s; a factor below 1 shows less of it.
    void zoomTime(double factor, double about);

    int drawnBlocks() const;
    QRectF lane(int stage) const;
    QRectF blockRect(int event) const;
    int labelStep() const;

signals:
    /// `event` is -1 where a stage is chosen as a whole.
    void chosen(int stage, int event);
    void timeRangeChanged();

protected:
    void applyTheme(const Theme& look) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Hit {
        int stage = -1, event = -1;
    };
    Hit hitAt(const QPointF& position) const;
    bool key(int key);
    bool walk(int key);
    void walkEvents(int steps);
    void walkStages(int steps);
    double longest() const;
    void showFit();
    void keepInside();
    void bringIntoView(int event);
    void renewUnit();
    PlotSpot spotOf(int event) const;
    double pointerTime() const;

    TimelineArt* art_ = nullptr;
    TimelineLegend* legend_ = nullptr;
    std::string unit_;    ///< of the time axis
    bool inside_ = false; ///< keepInside() moves the axes itself
};

} // namespace alidade::views
