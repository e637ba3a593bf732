// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/baseline_detail.h"
#include "views/document/estimate_view.h"
#include "views/timeline/timeline_data.h"

#include <memory>

namespace alidade::views {

class TextLabel;
class DetailSource;
class TimelineFoot;
class TimelineOverview;
class TimelinePlot;

/// What each pipeline stage does when, played from the schedule of the plan; and by how much that differs
/// from the closed form that the estimate uses. The schedule is played on a worker, and only while this view
/// is to be seen.
class TimelineView : public EstimateView {
    Q_OBJECT
public:
    explicit TimelineView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Timeline"); }
    QString iconName() const override { return QStringLiteral("timeline"); }
    TimelinePlot* plot() const { return plot_; }
    TimelineOverview* overview() const { return overview_; }
    TimelineFoot* foot() const { return foot_; }
    QString sentence() const; ///< the drawn schedule against the estimate
    /// The schedule of the newest estimate is being played.
    bool isPlaying() const { return playing_; }

protected:
    QString nothingYet() const override { return tr("No schedule to draw yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void showDifference() override { before_->renew(); }
    void updateSelection() override;
    void chooseRow(const QString& key) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makePicture();
    void take(const std::shared_ptr<const TimelineData>& data, const QString& error);
    void choose(int stage, int event);
    void fillTable();
    void showRange();
    void showFoot();

    void showBaseline();

    DetailSource* source_;
    BaselineDetail* before_;
    TimelinePlot* plot_;
    TimelineOverview* overview_;
    TimelineFoot* foot_;
    TextLabel* sentence_;
    TextLabel* waiting_;
    QStackedWidget* pages_; ///< the picture, or why there is none
    EmptyState* none_;
    BusyOverlay* playingOverlay_;
    std::shared_ptr<const TimelineData> data_;
    bool playing_ = false;
    bool choosing_ = false; ///< the document's selection follows a block that was chosen here
};

} // namespace alidade::views
