// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"

namespace alidade::views {

class PhaseMemory;
class StepLanes;
class TextLabel;

/// Reinforcement learning: the timeline of one step, and the memory of each pool through its phases.
class PosttrainingView : public EstimateView {
    Q_OBJECT
public:
    explicit PosttrainingView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("One step"); }
    QString iconName() const override { return QStringLiteral("timeline"); }
    QString helpTopic() const override { return QStringLiteral("reinforcement"); }
    QString sentence() const;
    const StepLanes* lanes() const { return lanes_; }

protected:
    QString nothingYet() const override { return tr("No step to draw yet"); }
    bool canShow(const Estimate& estimate) const override;
    std::pair<QString, QString> nothingIn(const Estimate& estimate) const override;
    void showEstimate() override;
    void chooseRow(const QString&) override {}

private:
    TextLabel* sentence_;
    StepLanes* lanes_;
    PhaseMemory* memory_;
};

} // namespace alidade::views
