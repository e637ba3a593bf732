// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/baseline_detail.h"
#include "views/document/estimate_view.h"
#include "views/serving/load_data.h"

class QBoxLayout;
class QPushButton;
class QStackedWidget;

namespace alidade::views {

class DetailSource;
class LoadPlot;
class SegmentedButtons;
class TextLabel;

/// Latencies against load, and the load of the scenario on them. A chosen point of the curves can be made the
/// scenario's load. The curve is computed on a worker, and only while this view is to be seen.
class LoadView : public EstimateView {
    Q_OBJECT
public:
    explicit LoadView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Latency and load"); }
    QString iconName() const override { return QStringLiteral("serving"); }
    QString helpTopic() const override { return QStringLiteral("load"); }
    LoadPlot* plot(Latency latency) const { return latency == Latency::ttft ? ttft_ : itl_; }
    SegmentedButtons* measures() const { return measures_; }
    QPushButton* useButton() const { return use_; }
    QString sentence() const;
    /// The curve of the newest estimate is being computed.
    bool isComputing() const { return computing_; }

protected:
    QString nothingYet() const override { return tr("No load to draw yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void showDifference() override { before_->renew(); }
    void chooseRow(const QString& key) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeFoot();
    void connectPlots();
    void take(const std::shared_ptr<const Estimate>& estimate, const QString& error);
    void showCurve();
    void choose(int point);
    void use(int point);
    LoadUnit setUnit() const;
    void arrange();

    void showBaseline();

    DetailSource* source_;
    BaselineDetail* before_;
    QStackedWidget* pages_; ///< the picture, or why there is none
    EmptyState* none_;
    BusyOverlay* computingOverlay_ = nullptr;
    LoadPlot *ttft_, *itl_;
    QBoxLayout* plots_ = nullptr;
    TextLabel *sentence_, *offer_;
    SegmentedButtons* measures_;
    QPushButton* use_;
    QWidget* foot_ = nullptr;
    std::optional<LoadMeasure> measure_; ///< that a person asked for
    std::shared_ptr<const Estimate> curve_;
    bool computing_ = false;
};

} // namespace alidade::views
