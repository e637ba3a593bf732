// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_art.h"
#include "views/timeline/timeline_blocks.h"
#include "views/timeline/timeline_colors.h"

#include <memory>

namespace alidade::views {

/// Lanes of the stages over the time that the axes show: waiting shaded, work by kind and chunk, the chosen
/// block with what it needs and what it feeds. Draws what is to be seen and nothing else.
class TimelineArt : public PlotArt {
public:
    explicit TimelineArt(PlotBase& owner);

    void setData(std::shared_ptr<const TimelineData> data);
    const TimelineData* data() const { return data_.get(); }
    /// -1: none.
    void setSelected(int stage, int event) {
        stage_ = stage;
        event_ = event;
    }
    void setBaseline(double end, const QString& words) {
        baselineEnd_ = end;
        baselineWords_ = words;
    }
    double baselineEnd() const { return baselineEnd_; }
    int selectedStage() const { return stage_; }
    int selectedEvent() const { return event_; }
    void applyTheme();

    /// Blocks in the last picture, single and merged.
    int drawnBlocks() const { return drawnBlocks_; }
    /// The lane of a stage over the whole width, in pixels of the plot.
    QRectF lane(int stage) const;
    /// Where an event is, also outside of what is to be seen.
    QRectF blockRect(int event) const;
    /// Numbers of stages are shown for every n-th one, so that they do not meet.
    int labelStep() const;

protected:
    void draw(QCPPainter* painter) override;

private:
    void drawLane(QCPPainter& painter, int stage);
    void drawBlock(QCPPainter& painter, const LaneBlock& block, const QRectF& lane);
    void drawNumber(QCPPainter& painter, const QRectF& rect, const TimelineEvent& event, const QColor& fill);
    void drawLinks(QCPPainter& painter) const;
    void drawBaseline(QCPPainter& painter) const;
    void drawStageNumbers(QCPPainter& painter) const;
    /// The part of a lane that an event of this kind and track takes.
    QRectF within(const QRectF& lane, int event) const;

    std::shared_ptr<const TimelineData> data_;
    TimelineColors colors_;
    int stage_ = -1;
    int event_ = -1;
    int drawnBlocks_ = 0;
    double baselineEnd_ = 0; ///< s; 0: none
    QString baselineWords_;
};

} // namespace alidade::views
