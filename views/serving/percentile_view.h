// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/baseline_detail.h"
#include "views/document/estimate_view.h"

class QStackedWidget;

namespace alidade::views {

class DetailSource;
class PercentilePlot;
class TextLabel;

/// How the latencies of requests are distributed, with the usual percentiles and the targets. The requests
/// are simulated on a worker, and only while this view is to be seen.
class PercentileView : public EstimateView {
    Q_OBJECT
public:
    explicit PercentileView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Percentiles"); }
    QString iconName() const override { return QStringLiteral("serving"); }
    QString helpTopic() const override { return QStringLiteral("percentiles"); }
    PercentilePlot* plot() const { return plot_; }
    QString sentence() const;
    /// The requests of the newest estimate are being simulated.
    bool isSimulating() const { return simulating_; }

protected:
    QString nothingYet() const override { return tr("No request to simulate yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void showDifference() override { before_->renew(); }
    void chooseRow(const QString&) override {}

private:
    void take(const std::shared_ptr<const Estimate>& estimate, const QString& error);

    void showBaseline();

    DetailSource* source_;
    BaselineDetail* before_;
    QStackedWidget* pages_; ///< the picture, or why there is none
    EmptyState* none_;
    BusyOverlay* simulatingOverlay_ = nullptr;
    PercentilePlot* plot_;
    TextLabel* sentence_;
    bool simulating_ = false;
};

} // namespace alidade::views
