// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"

#include <QList>

namespace alidade::views {

class CommunicationPlot;
class TextLabel;
struct Selection;

/// Communication of each kind of layer next to its compute: what compute hides, and what is exposed.
class CommunicationView : public EstimateView {
    Q_OBJECT
public:
    explicit CommunicationView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Communication"); }
    QString iconName() const override { return QStringLiteral("topology"); }
    QString helpTopic() const override { return QStringLiteral("communication"); }
    CommunicationPlot* plot() const { return plot_; }
    QString sentence() const;

protected:
    QString nothingYet() const override { return tr("No communication to show yet"); }
    bool canShow(const Estimate& estimate) const override;
    void showEstimate() override;
    void updateSelection() override;
    void chooseRow(const QString& key) override;

private:
    void renewLanes();
    void select(const Selection& chosen);

    CommunicationPlot* plot_;
    TextLabel* sentence_;
    TextLabel* layer_; ///< that the sentence is about
    QList<Selection> tableSelections_;
};

} // namespace alidade::views
