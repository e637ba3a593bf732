// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/paint.h"

#include <QWidget>

namespace alidade::views {

/// Where the time goes: one bar of bottleneck classes over the whole width, and a legend row that wraps.
/// Segments are sorted into the order of the classes. Left and Right walk along them, Enter and a click
/// choose one.
class StepBar : public QWidget {
    Q_OBJECT
public:
    explicit StepBar(QWidget* parent = nullptr);

    void setSegments(QList<BarSegment> segments);
    /// Those of a baseline are in a thin bar above, at the same scale; empty: there is none. `words` are at
    /// its end: "7.01 s, as planned".
    void setBaseline(const QList<BarSegment>& segments, const QString& words = {});
    bool hasBaseline() const { return !baseline_.isEmpty(); }
    /// As drawn: in the order of the classes. Indices in signals point into this list.
    const QList<BarSegment>& segments() const { return segments_; }
    /// Height of the bar in logical pixels at 10 pt, default 30; below 20 no labels are written into it.
    static constexpr int usualHeight = 30; ///< logical pixels at 10 pt
    /// The legend has one line; where that is too short the classes that take least are left out of it.
    void setOneLine(bool on);
    void setBarHeight(int designPixels);
    void setLegendVisible(bool visible);
    /// The segment with an ink outline; -1 for none.
    void setCurrent(int index);
    int current() const { return current_; }
    /// Where a segment of the bar lies; null if its value is nothing.
    QRectF segmentRect(int index) const;
    QRectF baselineRect() const; ///< of the whole bar above; null without one

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void segmentHovered(int index); ///< -1 when the pointer leaves
    void segmentClicked(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;

private:
    QList<double> legendWidths() const;
    void keepInOneLine(QList<double>& widths, double room) const;
    QList<QRectF> legendRects(double width) const;
    void paintLabel(QPainter& painter, const QRectF& rect, const BarSegment& segment) const;
    void paintBaseline(QPainter& painter) const;
    void paintLegend(QPainter& painter) const;
    int indexAt(const QPointF& point) const;
    void hover(int index);
    void step(int direction);
    QRectF barRect() const;
    double top() const; ///< what is above the bar takes so much
    double scale() const;

    QList<BarSegment> segments_, baseline_;
    mutable QList<double> widths_; ///< of the legend's items; empty: to be measured
    QString baselineWords_;
    int barHeight_ = usualHeight;
    bool oneLine_ = false;
    bool legend_ = true;
    int current_ = -1;
    int hovered_ = -1;
};

} // namespace alidade::views
