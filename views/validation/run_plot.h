// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/plot_base.h"
#include "views/validation/run_picture.h"

#include <memory>

namespace alidade::views {

class RunArt;
class RunLegend;

/// The scatter of published runs. A click chooses one, a double click opens it, arrows walk from left to
/// right; a click on a class of the legend makes the others stand back.
class RunPlot : public PlotBase {
    Q_OBJECT

public:
    explicit RunPlot(QWidget* parent = nullptr);

    /// \param catalog for the words of the cards; must not be null
    void setPicture(const RunPicture& picture, std::shared_ptr<const Catalog> catalog);
    const RunPicture& picture() const;
    void setChosen(const QString& key); ///< runKey; unknown: none
    void setEmphasis(int place);        ///< class that stands out; -1: none
    int emphasis() const;

    QPointF placeOf(int point) const;    ///< in pixels of plot()
    QRectF legendPlace(int index) const; ///< of a class, in pixels of plot()

signals:
    void chosen(const QString& key);
    void opened(const QString& key);
    void emphasized(int place); ///< a person chose a class of the legend; -1: none any more

protected:
    void keyPressEvent(QKeyEvent* event) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;
    void clicked(const QPointF& position) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    PlotSpot spotOf(int point) const;
    void walk(int steps);

    RunArt* art_;
    RunLegend* legend_;
    std::shared_ptr<const Catalog> catalog_;
};

} // namespace alidade::views
