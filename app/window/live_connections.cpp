// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/live_connections.h"

#include "data/prometheus/connection_json.h"
#include "views/document/text.h"
#include "views/document/workers.h"

#include <algorithm>
#include <utility>

namespace alidade::app {

using data::Authentication;
using data::Connection;
using data::Credentials;
using data::SecretPlace;
using views::text;

namespace {

bool isEmpty(const Credentials& of) {
    return of.password.empty() && of.token.empty() && of.accessKey.empty() && of.secretKey.empty() &&
           of.sessionToken.empty() && of.headers.empty();
}

} // namespace

Credentials merged(const Credentials& typed, const Credentials& kept) {
    Credentials out = kept;
    if (!typed.password.empty())
        out.password = typed.password;
    if (!typed.token.empty())
        out.token = typed.token;
    if (!typed.accessKey.empty() || !typed.secretKey.empty()) { // keys belong together
        out.accessKey = typed.accessKey;
        out.secretKey = typed.secretKey;
        out.sessionToken = typed.sessionToken;
    }
    for (const auto& [name, value] : typed.headers) {
        const auto same = std::ranges::find(out.headers, name, &std::pair<std::string, std::string>::first);
        if (same == out.headers.end())
            out.headers.emplace_back(name, value);
        else
            same->second = value;
    }
    return out;
}

bool needsSecrets(const Connection& connection) {
    return connection.authentication == Authentication::basic ||
           connection.authentication == Authentication::bearer || !connection.headers.empty();
}

LiveConnections::LiveConnections(std::unique_ptr<data::Keyring> keyring, const QString& file, QObject* parent)
    : QObject(parent)
    , store_(std::move(keyring))
    , file_(file.isEmpty() ? data::connectionFile() : file.toStdString()) {}

LiveConnections::~LiveConnections() = default;

void LiveConnections::load() {
    if (std::exchange(loading_, true))
        return;
    using Loaded = Result<std::vector<Connection>>;
    views::runFor(
        this, views::Work::waiting, [file = file_] { return data::loadConnections(file); },
        [this](const Loaded& loaded) {
            loaded_ = true;
            if (loaded)
                all_ = *loaded;
            else
                emit failed(text(loaded.error()));
            emit changed();
            writeNext();
        });
}

const Connection* LiveConnections::named(const std::string& name) const {
    const auto found = std::ranges::find(all_, name, &Connection::name);
    return found == all_.end() ? nullptr : &*found;
}

std::set<std::string> LiveConnections::withSecrets() const {
    std::set<std::string> out;
    for (const Connection& each : all_)
        if (needsSecrets(each) || each.authentication == Authentication::sigv4)
            out.insert(each.name);
    return out;
}

void LiveConnections::write(Change change) {
    changes_.push_back(std::move(change));
    if (loaded_)
        writeNext();
    else
        load();
}

void LiveConnections::writeNext() {
    if (changes_.empty() || std::exchange(writing_, true))
        return;
    std::vector<Connection> next = all_;
    changes_.front().edit(next);
    std::ranges::sort(next, {}, &Connection::name);
    views::runFor(
        this, views::Work::waiting, [next, file = file_] { return data::saveConnections(next, file); },
        [this, next](const std::string& fault) {
            const Change done = std::move(changes_.front());
            changes_.pop_front();
            writing_ = false;
            const QString error = text(fault);
            if (error.isEmpty()) {
                all_ = next;
                emit changed();
            }
            done.then(error);
            writeNext();
        });
}

/// The secrets first: a connection that is saved can be asked at once.
void LiveConnections::save(const Connection& connection, const Credentials& typed, const std::string& before,
                           Told then) {
    const auto list = [this, connection, before, then](const SecretPlace& place) {
        write({.edit =
                   [connection, before](std::vector<Connection>& all) {
                       std::erase_if(all, [&](const Connection& each) {
                           return each.name == connection.name || (!before.empty() && each.name == before);
                       });
                       all.push_back(connection);
                   },
               .then = [then, place](const QString& error) { then(error, place); }});
    };
    const bool isRenamed = !before.empty() && before != connection.name;
    if (isEmpty(typed) && !isRenamed) {
        list({SecretPlace::Place::keyring, {}});
        return;
    }
    const std::string from = before.empty() ? connection.name : before;
    store_.read(from, [this, connection, typed, before, isRenamed, list](const Credentials& kept,
                                                                         const SecretPlace&) {
        const Credentials all = before.empty() ? typed : merged(typed, kept);
        if (isRenamed)
            store_.remove(before, [](const SecretPlace&) {});
        if (isEmpty(all))
            list({SecretPlace::Place::keyring, {}});
        else
            store_.write(connection.name, all, list);
    });
}

void LiveConnections::remove(const std::string& name, Told then) {
    store_.remove(name, [](const SecretPlace&) {});
    write({.edit =
               [name](std::vector<Connection>& all) {
                   std::erase_if(all, [&](const Connection& each) { return each.name == name; });
               },
           .then = [then = std::move(then)](const QString& error) { then(error, {}); }});
}

void LiveConnections::secrets(const std::string& name,
                              std::function<void(Credentials, const SecretPlace&)> then) {
    store_.read(name, [then = std::move(then)](Credentials credentials, const SecretPlace& place) {
        then(std::move(credentials), place);
    });
}

} // namespace alidade::app
