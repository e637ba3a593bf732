// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/catalog_reader.h"
#include "data/json/json.h"

#include <QByteArray>
#include <QFile>
#include <QTemporaryDir>

#include <string>
#include <vector>

namespace alidade::tests {

/// A folder of catalog documents that goes away with the test.
class CatalogFolder {
public:
    std::string path() const { return directory_.path().toStdString(); }
    std::string file(const std::string& name) const {
        return directory_.filePath(QString::fromStdString(name)).toStdString();
    }
    void write(const std::string& name, const std::string& text) const {
        QFile out(QString::fromStdString(file(name)));
        if (!out.open(QIODevice::WriteOnly) || out.write(QByteArray::fromStdString(text)) < 0)
            qFatal("cannot write %s", name.c_str());
    }
    void write(const std::string& name, const nlohmann::json& json) const { write(name, json.dump()); }

private:
    QTemporaryDir directory_;
};

/// A user document of one kind with these entries.
inline nlohmann::json userDocument(const char* kind, std::initializer_list<nlohmann::json> entries) {
    return {{"alidade", 1}, {"kind", kind}, {"entries", nlohmann::json(nlohmann::json::array_t(entries))}};
}

inline QByteArray lines(const std::vector<data::CatalogProblem>& problems) {
    QByteArray out;
    for (const data::CatalogProblem& problem : problems)
        out += QByteArray::fromStdString(data::text(problem)) + '\n';
    return out;
}

} // namespace alidade::tests
