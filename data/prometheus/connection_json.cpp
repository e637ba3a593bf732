// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/prometheus/connection_json.h"

#include "data/file/write_file.h"
#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"
#include "data/json/writer.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace alidade::data {

namespace {

const std::vector<std::string>& authenticationWords() {
    static const std::vector<std::string> words{"none", "basic", "bearer", "sigv4"};
    return words;
}

Connection readOne(ObjectReader& reader) {
    Connection out;
    reader.require({"name", "url"});
    out.name = reader.text("name").value_or("");
    out.url = reader.text("url").value_or("");
    out.authentication =
        static_cast<Authentication>(reader.choice("authentication", authenticationWords()).value_or(0));
    out.user = reader.text("user").value_or("");
    out.region = reader.text("region").value_or("");
    out.caFile = reader.text("ca_file").value_or("");
    out.headers = reader.texts("headers");
    out.awsProfile = reader.text("aws_profile").value_or("");
    out.grafana = reader.text("grafana_url").value_or("");
    for (const std::string_view secret :
         {"password", "token", "access_key", "secret_key", "session_token", "credentials"}) {
        if (reader.has(secret)) {
            reader.allow(secret);
            reader.fault(
                secret, "a secret is not kept in this file; remove it here and save it in the program, which "
                        "keeps it in the system's keyring");
        }
    }
    reader.finish();
    return out;
}

std::string sentence(const std::string& file, const std::vector<JsonFault>& faults) {
    return text(file, faults.front());
}

} // namespace

ConnectionReading readConnections(std::string_view document) {
    ConnectionReading out;
    const Result<nlohmann::json> json = parseJson(document, {.bytes = 1U << 20});
    if (!json) {
        addFault(out.faults, {"", json.error()});
        return out;
    }
    ObjectReader root(*json, "", out.faults);
    root.require({"alidade", "connections"});
    root.integer("alidade", 1, 1);
    for (ObjectReader& each : root.objects("connections")) {
        const std::size_t before = faultCount(out.faults);
        Connection connection = readOne(each);
        if (faultCount(out.faults) == before) {
            const bool twice =
                std::any_of(out.connections.begin(), out.connections.end(),
                            [&](const Connection& other) { return other.name == connection.name; });
            const std::string wrong = connection.name.empty() ? "a connection needs a name"
                                      : twice ? "there is another connection of this name; give each its own"
                                              : faultOf(connection);
            if (!wrong.empty())
                each.fault("", wrong);
        }
        out.connections.push_back(std::move(connection));
    }
    root.finish();
    if (!out.faults.empty())
        out.connections.clear();
    return out;
}

std::string writeConnections(const std::vector<Connection>& connections) {
    JsonWriter writer;
    writer.beginObject("");
    writer.integer("alidade", 1);
    writer.beginArray("connections");
    const auto unlessEmpty = [&writer](std::string_view key, const std::string& value) {
        if (!value.empty())
            writer.text(key, value);
    };
    for (const Connection& each : connections) {
        writer.beginObject("");
        writer.text("name", each.name);
        writer.text("url", each.url);
        writer.text("authentication", authenticationWords()[static_cast<std::size_t>(each.authentication)]);
        unlessEmpty("user", each.user);
        unlessEmpty("region", each.region);
        unlessEmpty("ca_file", each.caFile);
        if (!each.headers.empty()) {
            writer.beginArray("headers");
            for (const std::string& name : each.headers)
                writer.text("", name);
            writer.endArray();
        }
        unlessEmpty("aws_profile", each.awsProfile);
        unlessEmpty("grafana_url", each.grafana);
        writer.endObject();
    }
    writer.endArray();
    writer.endObject();
    return writer.take();
}

std::string connectionFile() {
    // Not AppConfigLocation: the command line has no application whose name that would be.
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    return QDir(folder).filePath(QStringLiteral("alidade/connections.json")).toStdString();
}

Result<std::vector<Connection>> loadConnections(const std::string& file) {
    if (!QFileInfo::exists(QString::fromStdString(file)))
        return std::vector<Connection>();
    const Result<std::string> content = readFile(file, 1U << 20);
    if (!content)
        return Error{file + ": " + content.error()};
    ConnectionReading reading = readConnections(*content);
    if (!reading.faults.empty())
        return Error{sentence(file, reading.faults)};
    return std::move(reading.connections);
}

std::string saveConnections(const std::vector<Connection>& connections, const std::string& file) {
    for (const Connection& each : connections)
        if (const std::string fault = each.name.empty() ? "a connection needs a name" : faultOf(each);
            !fault.empty())
            return (each.name.empty() ? file : "connection '" + each.name + "'") + ": " + fault;
    const std::string document = writeConnections(connections);
    if (const ConnectionReading again = readConnections(document); !again.faults.empty())
        return sentence(file, again.faults);
    if (const auto there = loadConnections(file); !there)
        return there.error() +
               " (nothing was saved, so that this file is not lost; correct it or move it away)";
    const QString name = QString::fromStdString(file);
    QDir().mkpath(QFileInfo(name).absolutePath());
    const std::string fault = writeFile(file, document, {.readers = WriteOptions::Readers::ownerOnly});
    return fault.empty() ? fault : file + ": " + fault;
}

Result<Connection> namedConnection(const std::string& name, const std::string& file) {
    auto all = loadConnections(file);
    if (!all)
        return Error{all.error()};
    std::vector<std::string> names;
    for (const Connection& each : *all) {
        if (each.name == name)
            return each;
        names.push_back(each.name);
    }
    if (names.empty())
        return Error{"no connection is saved in " + file +
                     "; save one in the window, or give the server's URL"};
    return Error{"there is no saved connection '" + name + "'" + suggestion(name, names)};
}

} // namespace alidade::data
