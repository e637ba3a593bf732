// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"
#include "views/layers/experts_data.h"

namespace alidade::views {

class ExpertsPlot;
class SegmentedButtons;
class TextLabel;

/// How the tokens of a micro-batch spread over the experts and the GPUs that hold them, and what an uneven
/// spread costs.
class ExpertsView : public EstimateView {
    Q_OBJECT
public:
    explicit ExpertsView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Expert load"); }
    QString iconName() const override { return QStringLiteral("gpu"); }
    QString helpTopic() const override { return QStringLiteral("experts"); }
    ExpertsPlot* plot() const { return plot_; }
    SegmentedButtons* sharing() const { return sharing_; }
    QString sentence() const;

protected:
    QString nothingYet() const override { return tr("No experts to show yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void chooseRow(const QString& key) override;

private:
    void showLoads();
    void choose(int index);

    ExpertsPlot* plot_;
    SegmentedButtons* sharing_;
    TextLabel* sentence_;
    bool byExpert_ = false; ///< that a person asked for
};

} // namespace alidade::views
