// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/shipped.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <QDir>
#include <QFile>
#include <QString>
#include <QStringList>

// Must be outside any namespace. The resources of a static library are linked in only if they are initialized
// explicitly.
static void registerCatalogResources() {
    Q_INIT_RESOURCE(alidade_catalogs);
    Q_INIT_RESOURCE(alidade_validation);
    Q_INIT_RESOURCE(alidade_handoff);
}

namespace alidade::data {
namespace {

QString root() {
    static const bool registered = [] {
        registerCatalogResources();
        return true;
    }();
    Q_UNUSED(registered);
    return QStringLiteral(":/catalogs/");
}

std::vector<std::string> jsonFiles(const QString& folder) {
    std::vector<std::string> out;
    for (const QString& file : QDir(folder).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name))
        out.push_back(file.toStdString());
    return out;
}

std::string textOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace

std::vector<std::string> shippedDocuments(const std::string& folder) {
    return jsonFiles(root() + QString::fromStdString(folder));
}

std::string shippedDocument(const std::string& file) { return textOf(root() + QString::fromStdString(file)); }

std::vector<ShippedScenario> shippedScenarios() {
    const QString folder = root() + QStringLiteral("scenarios/");
    std::vector<ShippedScenario> out;
    for (const std::string& file : jsonFiles(folder)) {
        ShippedScenario scenario;
        scenario.id = file.substr(0, file.size() - std::string_view(".json").size());
        const auto json = parseJson(textOf(folder + QString::fromStdString(file)));
        scenario.name = json && json->is_object() ? json->value("name", scenario.id) : scenario.id;
        out.push_back(std::move(scenario));
    }
    return out;
}

Result<std::string> shippedScenario(const std::string& id) {
    std::vector<std::string> known;
    for (const std::string& file : jsonFiles(root() + QStringLiteral("scenarios/"))) {
        known.push_back(file.substr(0, file.size() - std::string_view(".json").size()));
        if (known.back() == id)
            return textOf(root() + QStringLiteral("scenarios/") + QString::fromStdString(file));
    }
    return Error{"no shipped scenario '" + id + "'" + suggestion(id, known)};
}

} // namespace alidade::data
