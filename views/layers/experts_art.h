// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_art.h"
#include "views/layers/experts_data.h"

namespace alidade::views {

/// Bars of the loads with what is wasted above them, and lines with their words.
class ExpertsArt : public PlotArt {
public:
    explicit ExpertsArt(PlotBase& owner);

    void setData(const ExpertLoads& loads) { loads_ = loads; }
    const ExpertLoads& data() const { return loads_; }
    void setSelected(int index) { selected_ = index; }
    int selected() const { return selected_; }
    QRectF barRect(int index) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    struct Line {
        double tokens;
        QString words;
        Role ink;
        bool dashed;
    };
    QList<Line> lines() const;
    void drawBar(QCPPainter& painter, int index) const;
    void drawLines(QCPPainter& painter) const;

    ExpertLoads loads_;
    int selected_ = -1;
};

} // namespace alidade::views
