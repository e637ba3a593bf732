// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/timeline/timeline_data.h"

#include <QPixmap>
#include <QWidget>

#include <memory>

namespace alidade::views {

/// The whole step in small, with a frame around the time that the timeline shows. A press or drag moves the
/// frame, the wheel makes it wider or narrower.
class TimelineOverview : public QWidget {
    Q_OBJECT
public:
    explicit TimelineOverview(QWidget* parent = nullptr);

    void setData(std::shared_ptr<const TimelineData> data);
    void setTimeRange(double from, double to);
    /// Between these the step lies, in pixels of the widget; the same as the lanes below.
    void setMargins(int left, int right);
    QRectF frame() const; ///< in pixels of the widget

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {100, sizeHint().height()}; }

signals:
    /// Somebody wants to see this time, s.
    void timeRangeWanted(double from, double to);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QRectF strip() const;
    void paintStages();
    void moveFrame(double x);
    double timeAt(double x) const;

    std::shared_ptr<const TimelineData> data_;
    QPixmap picture_; ///< of all stages, until data, size or theme change
    double from_ = 0, to_ = 0;
    double grip_ = 0; ///< s, from the middle of the frame to where it was taken
    int left_ = 0, right_ = 0;
};

} // namespace alidade::views
