// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/format.h"
#include "views/compare/compare_source.h"
#include "views/kit/plot_base.h"

#include <QList>
#include <QString>

namespace alidade::views {

class CompareScatterArt;

/// One scenario in the picture.
struct CompareDot {
    int scenario = 0; ///< its place
    QString name;
    double x = 0, y = 0;      ///< of the figures of the axes
    double low = 0, high = 0; ///< of y
};

/// Money over time: the run's cost over its days, or a service's price of tokens over the time per token.
struct CompareDots {
    QList<CompareDot> dots;
    int baseline = -1;
    bool fromOrigin = false; ///< a run spends evenly from its start: a line leads to its end
    QString xTitle, yTitle;
    Dimension xDimension = Dimension::seconds, yDimension = Dimension::dollars;
    ScaledUnit xUnit{}, yUnit{}; ///< that the axes count in
};
CompareDots costDots(const CompareAnswer& answer);

/// Draws them, with lines in the dashes of the scenarios and names next to the points.
class CompareScatter : public PlotBase {
    Q_OBJECT

public:
    explicit CompareScatter(QWidget* parent = nullptr);

    void setDots(const CompareDots& dots);
    void setChosen(int scenario);   ///< -1: none
    QPointF placeOf(int dot) const; ///< in pixels of plot()
    TextTable textTable() const;

signals:
    void chosen(int scenario);

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    int dotAt(const QPointF& position) const;
    CompareScatterArt* art_;
};

} // namespace alidade::views
