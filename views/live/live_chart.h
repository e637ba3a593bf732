// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/calibration/live_calibration.h"
#include "model/observation/plan_actual.h"
#include "views/kit/plot_base.h"
#include "views/live/live_text.h"
#include "views/live/live_time.h"

#include <memory>
#include <vector>

class QCPGraph;
class QCPItemLine;
class QCPItemRect;
class QCPItemStraightLine;
class QCPItemText;

namespace alidade::views {

/// One figure over the common time: what was measured in ink with its gaps, the plan dashed with its band
/// behind, faults as tints, left-out time hatched. Shares time range and crosshair with the other charts:
/// drag zooms all of them, the wheel too, a double click shows all of the time, Left and Right move the
/// crosshair, + and - zoom. Paints anew only for what changed.
class LiveChart : public PlotBase {
    Q_OBJECT
public:
    enum class Kind { headline, small };
    LiveChart(LiveTime* time, Kind kind, QWidget* parent = nullptr);

    /// Where nothing changed, nothing is painted.
    /// \param unitFor in SI, the largest value of the charts that share a unit with this one
    void setLine(const ChartLine& line, const TimeGrid& grid, double unitFor = 0);
    void setFaults(const std::vector<FaultSpan>& faults);
    void setExcluded(const std::vector<ExcludedWindow>& windows);
    /// A line that is no longer renewed is dashed from then on; `since` in Unix s, nullopt: it is renewed.
    void setStale(std::optional<double> since);
    /// Distance from the edges of the widget to the data, so that charts and map are aligned.
    void setMargins(int left, int right);

    /// The same figure of another time, drawn faintly from where this one begins; no values: none.
    void setReference(const std::vector<double>& values, const TimeGrid& grid, const QString& name);

    const std::string& id() const { return line_.id; }
    const ChartLine& line() const { return line_; }
    /// Measured value at this time; NaN in a gap.
    double valueAt(double time) const;
    /// How often it was painted in whole, for tests.
    int replots() const { return replots_; }
    /// Names that stand over the tints now, from left to right, with their places in pixels of plot().
    std::vector<std::pair<QString, QRect>> faultLabels() const;
    double crosshairX() const; ///< pixels of plot(); NaN: there is none

signals:
    void leaveOutRequested(double start, double end); ///< Unix s
    void useAgainRequested();
    void prometheusRequested(const QString& expression, double start, double end);
    void grafanaRequested(double start, double end);

protected:
    void fillMenu(QMenu* menu) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void applyTheme(const Theme& look) override;
    std::optional<PlotSpot> spotAt(const QPointF& position) const override;

private:
    void makeParts();
    void showRange();
    void showValues();
    void showEnds();
    void showFaults();
    void placeNames();
    void showCursor();
    void showReference();
    double referenceAt(double time) const;
    void dressMargins(const Theme& look);
    void fitLayout();
    void spaceTicks();
    QString valueText(double value) const;
    double timeAt(double x) const;
    CardContent cardAt(double time) const;

    LiveTime* time_;
    Kind kind_;
    ChartLine line_;
    TimeGrid grid_;
    std::vector<FaultSpan> faults_;
    std::vector<ExcludedWindow> excluded_;
    std::optional<double> stale_;
    Dimension dimension_ = Dimension::number;
    ScaledUnit unit_;
    double unitFor_ = 0;
    int left_ = 0, right_ = 0;
    int replots_ = 0;
    QRect laidOut_; ///< place of the data in plot() that names and ticks suit
    QCPGraph* measured_ = nullptr;
    QCPItemRect* band_ = nullptr;
    QCPItemStraightLine* planLine_ = nullptr;
    QCPItemText *now_ = nullptr, *plan_ = nullptr, *range_ = nullptr, *readout_ = nullptr;
    QCPItemStraightLine* cursor_ = nullptr;
    QCPItemRect* zoomBand_ = nullptr;
    QCPItemStraightLine* staleEnd_ = nullptr;
    std::vector<QCPItemRect*> tints_, hatches_;
    std::vector<QCPItemText*> names_;
    std::optional<QPointF> dragFrom_;
    std::vector<double> reference_;
    TimeGrid referenceGrid_;
    QString referenceName_;
    QCPGraph* referenceLine_ = nullptr;
};

} // namespace alidade::views
