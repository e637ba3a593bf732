// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/paint.h"
#include "views/kit/tag.h"

#include <QAbstractButton>
#include <QList>
#include <QString>

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

/// A sample scenario with its real estimate: name, machine and plan, the answer in words, where the time
/// goes, and the figures that one asks for first.
class SampleCard : public QAbstractButton {
    Q_OBJECT

public:
    explicit SampleCard(const QString& name, QWidget* parent = nullptr);

    /// \param estimate null: `error` says why there is none
    void setEstimate(const Estimate* estimate, const QString& error);
    QString verdict() const { return verdict_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Figure {
        QString label, value;
    };

    void showFit(const Estimate& estimate);
    void showServing(const Estimate& estimate);
    void showFailure(const Estimate& estimate);
    void paintFigures(QPainter& painter, QRectF area) const;

    QString machine_, verdict_;
    BadgeKind kind_ = BadgeKind::neutral;
    QList<BarSegment> segments_;
    QList<Figure> figures_;
};

} // namespace alidade::views
