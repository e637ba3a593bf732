// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_connect.h"

#include "app/window/live_server.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <QDateTime>
#include <QFutureWatcher>

namespace alidade::app {

using data::Connection;
using data::Credentials;
using data::SecretPlace;
using views::BadgeKind;
using views::ConnectionDialog;
using views::ConnectionTest;
using views::text;

LiveConnect::LiveConnect(LiveConnections& connections, QWidget& window)
    : QObject(&window)
    , connections_(connections)
    , window_(window) {}

void LiveConnect::show(const std::string& chosen) {
    if (!dialog_) {
        dialog_ = new ConnectionDialog(
            [this](const Connection& connection, const Credentials& typed, const std::string& kept,
                   const std::stop_token& stop, std::function<void(const ConnectionTest&)> done) {
                test(connection, typed, kept, stop, std::move(done));
            },
            &window_);
        dialog_->setAttribute(Qt::WA_DeleteOnClose);
        dialog_->setSecretsNote(
            BadgeKind::neutral,
            tr("Secrets go to the system's keyring; without one they stay in memory until Alidade ends. "
               "They are in no file, workspace or report."));
        connect(dialog_, &ConnectionDialog::saveRequested, this, &LiveConnect::save);
        connect(dialog_, &ConnectionDialog::removeRequested, this, &LiveConnect::remove);
    }
    const std::string first =
        chosen.empty() && !connections_.all().empty() ? connections_.all().front().name : chosen;
    dialog_->setConnections(connections_.all(), connections_.withSecrets(), first);
    dialog_->open();
}

void LiveConnect::test(const Connection& connection, const Credentials& typed, const std::string& kept,
                       const std::stop_token& stop, std::function<void(const ConnectionTest&)> done) {
    const auto ask = [this, connection, stop, done = std::move(done)](const Credentials& credentials,
                                                                      const QString& remark) {
        auto* watcher = new QFutureWatcher<ConnectionTest>(this);
        connect(watcher, &QFutureWatcherBase::finished, this, [watcher, stop, done, remark] {
            watcher->deleteLater();
            if (stop.stop_requested())
                return;
            ConnectionTest answer = watcher->result();
            if (answer.remark.isEmpty())
                answer.remark = remark;
            done(answer);
        });
        const double now = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1e3;
        watcher->setFuture(views::runOn(views::Work::waiting, [connection, credentials, now, stop] {
            return testConnection(connection, credentials, now, stop);
        }));
    };
    if (kept.empty()) {
        ask(typed, {});
        return;
    }
    connections_.secrets(kept, [ask, typed](const Credentials& stored, const SecretPlace& place) {
        ask(merged(typed, stored),
            place.place == SecretPlace::Place::nowhere ? text(place.message) : QString());
    });
}

void LiveConnect::save(const Connection& connection, const Credentials& typed, const QString& before,
                       bool andConnect) {
    connections_.save(
        connection, typed, before.toStdString(),
        [this, name = connection.name, before, andConnect](const QString& error, const SecretPlace& place) {
            if (!error.isEmpty()) {
                if (dialog_)
                    dialog_->setMessage(error);
                return;
            }
            if (!before.isEmpty() && before.toStdString() != name)
                emit renamed(before, text(name));
            if (dialog_) {
                dialog_->setConnections(connections_.all(), connections_.withSecrets(), name);
                tellPlace(place);
            }
            if (andConnect) {
                if (dialog_)
                    dialog_->accept();
                emit connectTo(text(name));
            }
        });
}

void LiveConnect::remove(const QString& name) {
    connections_.remove(name.toStdString(), [this](const QString& error, const SecretPlace&) {
        if (!dialog_)
            return;
        if (error.isEmpty())
            dialog_->setConnections(connections_.all(), connections_.withSecrets(), {});
        else
            dialog_->setMessage(error);
    });
}

void LiveConnect::tellPlace(const SecretPlace& place) {
    if (place.place == SecretPlace::Place::keyring)
        dialog_->setSecretsNote(BadgeKind::neutral, tr("The secrets are in the system's keyring."));
    else
        dialog_->setSecretsNote(BadgeKind::warn,
                                place.message.empty()
                                    ? tr("The secrets stay in memory only, until Alidade ends.")
                                    : text(place.message));
}

} // namespace alidade::app
