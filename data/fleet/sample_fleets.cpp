// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"
#include "data/fleet/fleet_file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <QDir>
#include <QFile>

namespace alidade::data {

namespace {

QString folder() {
    shippedDocuments(); // registers the resources
    return QStringLiteral(":/catalogs/fleets/");
}

} // namespace

std::vector<std::string> sampleFleetIds() {
    std::vector<std::string> out;
    for (const QString& name : QDir(folder()).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        out.push_back(name.chopped(5).toStdString());
    return out;
}

std::vector<SampleFleet> sampleFleets() {
    std::vector<SampleFleet> out;
    for (const std::string& id : sampleFleetIds()) {
        const Result<std::string> text = sampleFleet(id);
        const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(Error{id});
        if (json && json->contains("fleet"))
            out.push_back({id, (*json)["fleet"].value("name", id)});
    }
    return out;
}

Result<std::string> sampleFleet(const std::string& id) {
    const std::vector<std::string> known = sampleFleetIds();
    for (const std::string& each : known) {
        if (each == id) {
            QFile file(folder() + QString::fromStdString(id) + QStringLiteral(".json"));
            if (file.open(QIODevice::ReadOnly))
                return file.readAll().toStdString();
        }
    }
    return Error{"no shipped fleet '" + id + "'" + suggestion(id, known)};
}

} // namespace alidade::data
