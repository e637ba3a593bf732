// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"
#include "views/kit/tag.h"

#include <QDialog>

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

class QListWidget;
class QPushButton;

namespace alidade::views {

class ConnectionForm;
class TextLabel;

/// What a server said when it was asked who it is.
struct ConnectionTest {
    bool connected = false;
    QString text;   ///< "Prometheus 2.42.0, 24,012 series", or the error, a whole sentence
    QString remark; ///< what a person should know besides; may be empty
};

/// The saved connections and the form of one of them. Asks, saves and removes through its owner; never holds
/// a secret that was not typed into it just now.
class ConnectionDialog : public QDialog {
    Q_OBJECT
public:
    /// Asks a server who it is and calls `done` once from the event loop, unless a stop was asked for. Of the
    /// secrets that were not typed those kept under `kept` are taken; empty: there are none.
    using Tester = std::function<void(const data::Connection& connection, const data::Credentials& typed,
                                      const std::string& kept, const std::stop_token& stop,
                                      std::function<void(const ConnectionTest&)> done)>;

    explicit ConnectionDialog(Tester tester, QWidget* parent = nullptr);
    ~ConnectionDialog() override;

    /// \param withSecrets names of those for which secrets are kept
    void setConnections(const std::vector<data::Connection>& connections,
                        const std::set<std::string>& withSecrets, const std::string& chosen);
    /// Where secrets go: "to the system's keyring", or that they stay in memory only, and why.
    void setSecretsNote(BadgeKind kind, const QString& words);
    /// Why the last saving or removing failed; empty: it did not.
    void setMessage(const QString& words);
    ConnectionForm* form() const { return form_; }
    bool isTesting() const { return testing_; }
    QString testText() const;

signals:
    /// \param before name under which it was saved; empty: it is new
    /// \param andConnect to be shown as soon as it is saved
    void saveRequested(const alidade::data::Connection& connection, const alidade::data::Credentials& typed,
                       const QString& before, bool andConnect);
    void removeRequested(const QString& name);

private:
    void showChosen(int row);
    void startNew();
    void test();
    void stopTest();
    void showTest(const ConnectionTest& test);
    void save(bool andConnect);
    void renew();
    /// Name under which the secrets are kept that may go to this address; empty: none.
    std::string keptFor(const data::Connection& connection) const;

    Tester tester_;
    std::vector<data::Connection> connections_;
    std::set<std::string> withSecrets_;
    QListWidget* list_;
    ConnectionForm* form_;
    TextLabel *secrets_, *result_, *message_;
    QPushButton *test_, *save_, *connect_, *remove_;
    std::string before_; ///< name of the one that is edited; empty: a new one
    std::stop_source testing_source_;
    bool testing_ = false;
    int tests_ = 0;
};

} // namespace alidade::views
