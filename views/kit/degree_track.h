// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QWidget>

namespace alidade::views {

/// The track of a DegreeField: a line, one tick for each legal value at equal distances, and a knob. For the
/// mouse only; the spin box next to it is for the keyboard.
class DegreeTrack : public QWidget {
    Q_OBJECT
public:
    explicit DegreeTrack(QWidget* parent = nullptr);
    void setLegalValues(const QList<int>& ascending);
    void setValue(int value);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    /// Where the knob of the legal value at `index` stands.
    QPointF tick(qsizetype index) const;

signals:
    void chosen(int value);
    void wheeled(int steps);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    void choose(double x);
    QList<int> legal_;
    int value_ = 1;
};

} // namespace alidade::views
