// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"
#include "views/kit/label_placer.h"
#include "views/kit/plot_art.h"

#include <optional>

namespace alidade::views {

/// What a SweepPlot shows.
class SweepArt : public PlotArt {
public:
    struct Mark {
        double x = 0;
        std::optional<double> value, low, high; ///< absent: it does not run, or has no such figure
        bool runs = false, fits = false;
        std::array<double, allBounds.size()> shares{};
    };
    struct Kink {
        double x = 0;
        QString title, detail; ///< "compute overtakes", "the bubble"
    };

    SweepArt(PlotBase& owner, bool ribbon)
        : PlotArt(owner)
        , ribbon_(ribbon) {}

    QList<Mark> marks;
    QList<Kink> kinks;
    std::optional<Mark> present;
    std::optional<double> target;
    QString targetText, unfitText;
    int chosen = -1;

    /// Share of the height that the ribbon takes, from below.
    double ribbonShare() const { return ribbon_ ? 0.2 : 0; }
    QPointF place(const Mark& mark) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    QRectF ribbonRect() const;
    double edgeAfter(qsizetype i) const; ///< pixels between a mark and the next
    void drawUnfit(QCPPainter* painter, LabelPlacer& labels) const;
    void drawBand(QCPPainter* painter) const;
    void drawLine(QCPPainter* painter, LabelPlacer& labels) const;
    void drawMarks(QCPPainter* painter) const;
    void drawKinks(QCPPainter* painter, LabelPlacer& labels) const;
    void drawRibbon(QCPPainter* painter) const;
    void drawTags(QCPPainter* painter, const QRectF& ribbon) const;

    bool ribbon_;
};

} // namespace alidade::views
