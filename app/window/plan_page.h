// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QMainWindow>

#include <optional>

namespace alidade::views {
class Document;
class History;
class HistoryView;
class SummaryView;
class View;
} // namespace alidade::views

namespace alidade::app {

class ViewDock;

/// The plan: the answer on top, around it the scenario and the views as docks that can be moved, stacked,
/// floated and closed. Which of them are open follows the kind of workload.
class PlanPage : public QMainWindow {
    Q_OBJECT

public:
    /// \param history of the open scenario
    PlanPage(views::Document* document, views::History* history, QWidget* parent = nullptr);

    views::SummaryView* summary() const { return summary_; }
    views::HistoryView* history() const { return history_; }
    const QList<ViewDock*>& docks() const { return docks_; }
    ViewDock* dock(const QString& name) const; ///< null if there is none of that name
    /// Opens a dock if it is closed and brings it to the front.
    void raise(const QString& name);
    /// The view with the keyboard focus; null: none.
    views::View* focusedView() const;

    QByteArray saveLayout() const;
    /// False for a layout of another version, or none: then the default one stands.
    bool restoreLayout(const QByteArray& layout);
    void restoreDefaultLayout();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void childEvent(QChildEvent* event) override;

private:
    ViewDock* add(const QString& name, views::View* view);
    void placeDefault(bool wide, bool serving);
    bool isWide() const;
    void followKind();
    bool looksLikeServing() const;

    views::Document* document_;
    views::SummaryView* summary_;
    views::HistoryView* history_;
    QList<ViewDock*> docks_;
    QList<ViewDock*> floatedAway_;   ///< floating docks hidden together with the page
    bool isDefault_ = true;          ///< nobody moved a dock: the layout follows the width of the window
    bool placing_ = false;           ///< docks move because of placeDefault
    std::optional<bool> placedWide_; ///< how placeDefault was last asked to place
    bool serving_ = false;           ///< kind of workload that the docks are for
};

} // namespace alidade::app
