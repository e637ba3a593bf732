// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_art.h"
#include "views/validation/run_picture.h"

namespace alidade::views {

class LabelPlacer;

/// What is in the scatter of published runs: the line where predicted equals measured with its bands of
/// 10 and 20 %, the points, and the band of the chosen one.
class RunArt : public PlotArt {
public:
    explicit RunArt(PlotBase& owner);

    void setPicture(const RunPicture& picture) { picture_ = picture; }
    const RunPicture& picture() const { return picture_; }
    void setSelected(int point) { selected_ = point; }
    int selected() const { return selected_; }
    /// All points but those of this class stand back; -1: none does.
    void setEmphasis(int place) { emphasis_ = place; }
    int emphasis() const { return emphasis_; }

    QPointF place(int point) const;             ///< in pixels of the plot; may be outside of what is seen
    int pointAt(const QPointF& position) const; ///< the nearest within reach; -1: none

protected:
    void draw(QCPPainter* painter) override;

private:
    double pointSize() const; ///< in pixels
    void drawBands(QPainter& painter, LabelPlacer& labels) const;
    void drawPoint(QCPPainter& painter, int point) const;
    void drawWhisker(QPainter& painter, int point) const;

    RunPicture picture_;
    int selected_ = -1;
    int emphasis_ = -1;
};

/// Markers with the names and counts of their classes under the plot, in as many lines as they need; part of
/// the picture, also in exports.
class RunLegend : public QCPLayoutElement {
public:
    explicit RunLegend(PlotBase& owner);
    void setClasses(const QList<RunClass>& classes) { classes_ = classes; }
    void setEmphasis(int place) { emphasis_ = place; }
    int classAt(const QPointF& position) const; ///< -1: none
    QRectF placeOf(int index) const;            ///< in pixels of the plot
    void update(UpdatePhase phase) override;

protected:
    void draw(QCPPainter* painter) override;
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }

private:
    QString words(const RunClass& runs) const;
    /// Places of the entries for a width, from the upper left corner, and the height of all.
    std::pair<QList<QRectF>, double> arranged(double width) const;
    PlotBase& owner_;
    QList<RunClass> classes_;
    int emphasis_ = -1;
};

} // namespace alidade::views
