// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"

namespace alidade::views {

class MemoryPlot;

/// What the GPUs of each pipeline stage, or of each pool of a disaggregated deployment, hold, against what
/// they have.
class MemoryView : public EstimateView {
    Q_OBJECT
public:
    explicit MemoryView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Memory"); }
    QString iconName() const override { return QStringLiteral("memory"); }
    MemoryPlot* plot() const { return plot_; }

protected:
    QString nothingYet() const override { return tr("No memory to show yet"); }
    bool canShow(const Estimate& estimate) const override;
    void showEstimate() override;
    void updateSelection() override;
    void chooseRow(const QString& key) override;

private:
    void choose(int stage, int part);
    MemoryPlot* plot_;
};

} // namespace alidade::views
