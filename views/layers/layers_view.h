// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/estimate_view.h"

#include <QList>
#include <QModelIndex>

class QAction;
class QSortFilterProxyModel;

namespace alidade::views {

class DataTreeView;
class LayerBarDelegate;
class LayersModel;
struct Selection;

/// Where the time of a micro-batch, or of a step of serving, goes: kinds of layers by bottleneck class, and
/// below each its operations and collectives with work, intensity, share of the roof and time.
class LayersView : public EstimateView {
    Q_OBJECT
public:
    explicit LayersView(Document* document, QWidget* parent = nullptr);

    QString title() const override { return tr("Layers"); }
    QString iconName() const override { return QStringLiteral("layers"); }
    DataTreeView* tree() const { return tree_; }

signals:
    /// A person wants to know how a figure comes about; see explainFigure() about the path.
    void explainRequested(const QString& label, const QString& path);

protected:
    QString nothingYet() const override { return tr("No layer to show yet"); }
    bool canShow(const Estimate& estimate) const override;
    void showEstimate() override;
    void updateSelection() override;
    void chooseRow(const QString& key) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeTree();
    void fitColumns();
    QModelIndexList rows() const; ///< of the model, groups before what is in them
    void renewRows();
    void chooseIndex(const QModelIndex& index);
    void hover(const QPoint& position);
    void renewExplainActions();
    void select(const Selection& chosen);

    LayersModel* model_;
    QSortFilterProxyModel* order_;
    DataTreeView* tree_;
    LayerBarDelegate* bars_;
    QList<QAction*> explain_;         ///< of the current row, one for each phase
    QList<Selection> dataSelections_; ///< of the rows of the data table
    bool following_ = false;          ///< the tree is made to follow the document's selection
};

} // namespace alidade::views
