// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/hover_card.h"
#include "views/live/live_state.h"
#include "views/live/live_time.h"
#include "views/live/node_image.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace alidade::views {

/// Nodes over time: one row per node, color by its own time over the job's median, hatched where not
/// measured; the nodes that stand out are named at the right. A click or Enter chooses the host, arrows move
/// a cell, drag zooms the time of all charts.
///
/// Why own time and not activity or step time: all nodes of a job end a step together, so that step times are
/// equal, and the fast nodes show more waiting than the slow one. Why an image: thousands of nodes times
/// thousands of instants are too many cells to paint one by one; nodeImage() computes the pixels once per
/// result, size and range, and a frame only draws them.
///
/// Invariants: the map shows the same time range as the charts (LiveTime); where nodes or instants outnumber
/// the pixels, the cell farthest from the median is drawn, so that no straggler disappears; no data is never
/// drawn as a value. Threads: GUI thread only; the result is immutable and shared.
class NodeMapView : public QWidget {
    Q_OBJECT
public:
    explicit NodeMapView(LiveTime* time, QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const LiveResult> result);
    /// The slowest node on top instead of the order of names.
    void setByWorst(bool on);
    void setSelectedHost(const QString& host);
    /// A finding that is pointed at: its node and time get an outline.
    void setMark(const QString& host, double start, double end);
    void setMargins(int left, int right);

    /// Whose name is at the right now, from top to bottom.
    QStringList namedHosts() const;
    /// Middle of a cell, for tests.
    QPointF placeOf(const QString& host, double time) const;
    QRect area() const; ///< of the cells
    int leftMargin() const { return left_; }
    int imageBuilds() const { return builds_; } ///< for tests
    /// Width that the names of the hosts need at the left.
    int nameWidth() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void hostChosen(const QString& host);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct NamedRow {
        int row = 0;
        double y = 0; ///< of the middle of the name, pixels
        QString host;
    };
    void orderRows();
    void renewNames();
    void paintCells(QPainter& painter);
    void paintNames(QPainter& painter);
    void paintTimes(QPainter& painter);
    void paintMarks(QPainter& painter);
    int rowAt(double y) const;
    double rowTop(int row) const;
    double xOf(double time) const;
    double timeAt(double x) const;
    int rowOf(const QString& host) const;
    QRect cellRect(int row, double time) const;
    CardContent cardAt(int row, double time) const;
    void moveCell(int rows, int points);
    QString hostAt(int row) const;

    LiveTime* time_;
    std::shared_ptr<const LiveResult> result_;
    std::vector<int> order_;
    std::vector<NamedRow> named_;
    bool byWorst_ = false;
    QString selected_;
    QString markHost_;
    double markStart_ = 0, markEnd_ = 0;
    int left_ = 80, right_ = 100;
    QImage image_;
    int builds_ = 0;
    int cellRow_ = -1;
    double cellTime_ = 0;
    std::optional<QPointF> dragFrom_;
    double dragTo_ = 0;
};

} // namespace alidade::views
