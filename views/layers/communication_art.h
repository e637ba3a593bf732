// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_art.h"
#include "views/layers/communication_data.h"

namespace alidade::views {

/// The place of a segment: layer, lane, segment; -1: none.
struct LanePlace {
    int layer = -1, lane = -1, segment = -1;
    bool operator==(const LanePlace&) const = default;
    bool valid() const { return segment >= 0; }
};

/// Lanes of kinds of layers over the time of one micro-batch. Hidden communication is pale, exposed full; the
/// compute lane has an empty track where compute waits for it.
class CommunicationArt : public PlotArt {
public:
    explicit CommunicationArt(PlotBase& owner);

    void setData(const CommunicationData& data) { data_ = data; }
    const CommunicationData& data() const { return data_; }
    void setSelected(const LanePlace& place) { selected_ = place; }
    const LanePlace& selected() const { return selected_; }

    /// Rows of the y axis that all lanes need.
    double rows() const;
    double labelWidth() const;
    QRectF segmentRect(const LanePlace& place) const;
    QRectF laneRect(int layer, int lane) const;
    LanePlace at(const QPointF& position) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    double top(int layer, int lane) const; ///< in rows
    void drawLane(QCPPainter& painter, int layer, int lane) const;
    void drawLabels(QCPPainter& painter, int layer) const;
    void drawPasses(QCPPainter& painter, int layer) const;

    CommunicationData data_;
    LanePlace selected_;
};

} // namespace alidade::views
