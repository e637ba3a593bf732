// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/explore/explore_source.h"
#include "views/kit/plot_base.h"

namespace alidade::views {

class TornadoArt;

/// What each input does to a figure: a bar from its low to its high end, the widest on top. A click, or the
/// arrow keys and Enter, ask for the curve of the input.
class TornadoPlot : public PlotBase {
    Q_OBJECT

public:
    explicit TornadoPlot(QWidget* parent = nullptr);

    void setAnswer(const std::shared_ptr<const SensitivityAnswer>& answer);
    int barCount() const; ///< that are shown
    QPointF placeOf(int bar) const;

signals:
    void sweepRequested(const QString& path);

protected:
    void clicked(const QPointF& position) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void renew();
    int barAt(const QPointF& position) const;
    PlotSpot spotOf(int bar) const;

    std::shared_ptr<const SensitivityAnswer> answer_;
    TornadoArt* art_;
};

} // namespace alidade::views
