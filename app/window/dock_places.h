// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>

class QMainWindow;

namespace alidade::app {

class StackTitles;
class ViewDock;

/// Docks that fill the page or float for a while, and the layout that each of them goes back to: Qt by itself
/// shares out the space anew, and the rows get other heights.
class DockPlaces : public QObject {
    Q_OBJECT

public:
    /// \param page whose docks and central widget make room
    /// \param docks of the page
    /// \param version of its layouts
    /// \param titles of the docks, which need room in them or next to their tabs
    DockPlaces(QMainWindow& page, const QList<ViewDock*>& docks, StackTitles& titles, int version);

    ViewDock* maximized() const { return maximized_; } ///< null: none
    /// Fills the page with the dock, which must not float; all others that are in the page are hidden.
    void maximize(ViewDock& dock);
    /// Everything is again where it was.
    void restore();
    /// Takes the dock out as a separate window.
    /// \param isDefault the layout is unchanged that it is taken out of
    void undock(ViewDock& dock, bool isDefault);
    /// To where it was taken from, if nothing has been moved since; else to where Qt puts it. Says whether
    /// that is the unchanged layout.
    bool dockAgain(ViewDock& dock);
    /// The docks were placed anew: there is nothing to go back to.
    void forget();
    /// Docks were moved: what floats goes back to where Qt puts it.
    void forgetFloating();

    /// As QMainWindow::saveState(), without what is maximized.
    QByteArray layout() const;

private:
    void showMaximized(ViewDock* dock);
    void take(const QByteArray& layout);

    struct Floating {
        ViewDock* dock;
        QByteArray layout;
        bool isDefault;
    };

    QMainWindow& page_;
    const QList<ViewDock*>& docks_;
    StackTitles& titles_;
    int version_;
    ViewDock* maximized_ = nullptr;
    QByteArray before_;        ///< layout without what is maximized
    QList<Floating> floating_; ///< the last to float is the last
};

} // namespace alidade::app
