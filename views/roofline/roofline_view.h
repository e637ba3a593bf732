// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"
#include "views/roofline/roofline_data.h"

class QHBoxLayout;

namespace alidade::views {

class RooflinePlot;
class SegmentedButtons;

/// How near each operation comes to what the GPU can do: arithmetic against HBM traffic, with a roof for each
/// number format and a line for each fabric.
class RooflineView : public EstimateView {
    Q_OBJECT
public:
    explicit RooflineView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Roofline"); }
    QString iconName() const override { return QStringLiteral("roofline"); }
    RooflinePlot* plot() const { return plot_; }
    SegmentedButtons* phases() const { return phases_; }

signals:
    /// A person wants to know how a figure comes about; see explainFigure() about the path.
    void explainRequested(const QString& label, const QString& path);

protected:
    QString nothingYet() const override { return tr("No operation to draw yet"); }
    bool canShow(const Estimate& estimate) const override;
    void showEstimate() override;
    void updateSelection() override;
    void chooseRow(const QString& key) override;

private:
    QWidget* makeHead();
    void offerPhases();
    void followStep();
    void showPhase();
    void showClasses();
    void choose(int point);
    void explain(int point);

    RooflinePlot* plot_;
    SegmentedButtons* phases_ = nullptr;
    QHBoxLayout* classes_ = nullptr; ///< tags of the classes that are drawn
    QList<Bound> classesShown_;
    RooflinePhase phase_ = RooflinePhase::forward;
};

} // namespace alidade::views
