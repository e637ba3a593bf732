// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace alidade::views {

class BusyOverlay;
class CellTable;
class DockTitleBar;
class ErrorState;
class PlotBase;

/// A part of the Explore page: title, a row of what is asked, and the picture, which the table behind it or
/// an error takes the place of.
class ExplorePanel : public QWidget {
    Q_OBJECT

public:
    ExplorePanel(const QString& iconName, const QString& title, QWidget* parent = nullptr);

    DockTitleBar* bar() const { return bar_; }
    QHBoxLayout* controls() const { return controls_; }
    CellTable* table() const { return table_; }
    BusyOverlay* overlay() const { return busy_; }
    QToolButton* dataButton() const { return data_; }
    /// A separate page; the first one is shown.
    void addPage(QWidget* page);
    void showPage(QWidget* page);
    /// A picture whose table is shown by Ctrl+D and exported as CSV.
    void connectPlot(PlotBase* plot);
    /// Empty: there is none, and the page or the table is shown.
    void setError(const QString& what, const QString& why);
    bool hasError() const;
    bool isDataShown() const;
    void setDataShown(bool shown);
    /// While work is under way the old content fades, and can be stopped.
    void setBusy(bool busy, const QString& what);

signals:
    void stopRequested();

private:
    void renew();
    DockTitleBar* bar_;
    QHBoxLayout* controls_;
    QStackedWidget* pages_;
    CellTable* table_;
    ErrorState* error_;
    BusyOverlay* busy_;
    QToolButton* data_;
    QWidget* page_ = nullptr;
    bool failed_ = false;
};

} // namespace alidade::views
