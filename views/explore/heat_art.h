// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/units/quantity.h"
#include "views/kit/plot_art.h"

#include <optional>

namespace alidade::views {

/// What a HeatPlot shows. Cells are at whole numbers: the first row is the lowest.
class HeatArt : public PlotArt {
public:
    struct Cell {
        std::optional<double> value;
        bool known = false; ///< false: not estimated yet
        bool runs = false, fits = false;
        bool reaches = false; ///< the goal
    };

    explicit HeatArt(PlotBase& owner)
        : PlotArt(owner) {}

    int columns = 0, rows = 0;
    QList<Cell> cells; ///< row by row
    bool moreIsBetter = true;
    Dimension dimension = Dimension::number;
    QString title; ///< of the scale
    int present = -1, chosen = -1;
    bool goal = false;

    QRectF rectOf(int cell) const;
    const Cell* at(int column, int row) const; ///< nullptr: outside
    double scaleWidth() const;

protected:
    void draw(QCPPainter* painter) override;

private:
    void range(double& low, double& high) const;
    QColor colorOf(double value, double low, double high) const;
    void drawCells(QCPPainter* painter, double low, double high) const;
    void drawEdges(QCPPainter* painter, bool Cell::* what, const QPen& pen) const;
    void drawNumbers(QCPPainter* painter, double low, double high) const;
    void drawScale(QCPPainter* painter, double low, double high) const;
};

} // namespace alidade::views
