// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/live_connections.h"
#include "views/live/connection_dialog.h"

#include <QObject>
#include <QPointer>

namespace alidade::app {

/// The dialog of the connections, with what it asks of servers, the file and the keyring.
class LiveConnect : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this; the dialog belongs to `window`.
    LiveConnect(LiveConnections& connections, QWidget& window);

    /// \param chosen name of the one to begin with; empty: the first, or a new one
    void show(const std::string& chosen);
    views::ConnectionDialog* dialog() const { return dialog_; } ///< null while it is not open

signals:
    void connectTo(const QString& name);
    void renamed(const QString& before, const QString& after);

private:
    void test(const data::Connection& connection, const data::Credentials& typed, const std::string& kept,
              const std::stop_token& stop, std::function<void(const views::ConnectionTest&)> done);
    void save(const data::Connection& connection, const data::Credentials& typed, const QString& before,
              bool andConnect);
    void remove(const QString& name);
    void tellPlace(const data::SecretPlace& place);

    LiveConnections& connections_;
    QWidget& window_;
    QPointer<views::ConnectionDialog> dialog_;
};

} // namespace alidade::app
