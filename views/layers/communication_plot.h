// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/layers/communication_art.h"

namespace alidade::views {

/// Compute and communication of each kind of layer side by side. A click or Left and Right choose an
/// operation or a collective, Up and Down go from lane to lane.
class CommunicationPlot : public PlotBase {
    Q_OBJECT
public:
    explicit CommunicationPlot(QWidget* parent = nullptr);

    void setData(const CommunicationData& data);
    const CommunicationData& data() const { return art_->data(); }
    /// The same lanes, told for another stage; what is chosen stays.
    void setCounts(const CommunicationData& data);
    /// The first segment of this selection; none if it is not here.
    void setSelected(const Selection& selection);
    const LanePlace& selected() const { return art_->selected(); }
    QRectF segmentRect(const LanePlace& place) const { return art_->segmentRect(place); }

signals:
    void chosen(const alidade::views::Selection& selection);

protected:
    void applyTheme(const Theme& look) override;
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fitLabels();
    void choose(const LanePlace& place);
    void walk(int lanes, int segments);
    PlotSpot spotOf(const LanePlace& place) const;
    const LaneSegment& segment(const LanePlace& place) const;

    CommunicationArt* art_ = nullptr;
};

} // namespace alidade::views
