// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/prometheus/connection.h"
#include "data/prometheus/credentials/secret_store.h"

#include <QObject>
#include <QString>

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace alidade::app {

/// The saved connections of a person: a file of the settings without secrets, and the secrets in the system's
/// keyring, else in memory. Nothing here waits for a disk or a keyring.
class LiveConnections : public QObject {
    Q_OBJECT

public:
    /// \param file empty: the usual one
    explicit LiveConnections(std::unique_ptr<data::Keyring> keyring = data::systemKeyring(),
                             const QString& file = {}, QObject* parent = nullptr);
    ~LiveConnections() override;

    /// Reads the file; changed() when that is done.
    void load();
    const std::vector<data::Connection>& all() const { return all_; }
    const data::Connection* named(const std::string& name) const; ///< null: there is none
    /// Those that are reached with a secret.
    std::set<std::string> withSecrets() const;

    using Told = std::function<void(const QString& error, const data::SecretPlace& place)>;
    /// \param typed of the secrets; empty members stay as they are kept
    /// \param before its name until now; empty: it is new
    void save(const data::Connection& connection, const data::Credentials& typed, const std::string& before,
              Told then);
    void remove(const std::string& name, Told then);
    /// What is kept; empty ones where nothing is.
    void secrets(const std::string& name,
                 std::function<void(data::Credentials, const data::SecretPlace&)> then);

signals:
    void changed();
    void failed(const QString& reason); ///< the file cannot be read

private:
    /// A change of the list. They are written one after the other, and none before the file was read.
    struct Change {
        std::function<void(std::vector<data::Connection>& list)> edit;
        std::function<void(const QString& error)> then;
    };
    void write(Change change);
    void writeNext();

    data::SecretStore store_;
    std::string file_;
    std::vector<data::Connection> all_;
    std::deque<Change> changes_;
    bool loading_ = false, loaded_ = false, writing_ = false;
};

/// What was typed over what is kept.
data::Credentials merged(const data::Credentials& typed, const data::Credentials& kept);
/// Whether any secret is needed.
bool needsSecrets(const data::Connection& connection);

} // namespace alidade::app
