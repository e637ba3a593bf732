// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/scenario_files.h"

#include "data/calibration/profile_writer.h"
#include "data/catalog/profile_json.h"
#include "data/json/file.h"
#include "data/scenario/scenario_json.h"
#include "data/topology/topology_json.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <optional>

namespace alidade::app {

namespace {

/// A name from a scenario, which may be a path, as one of a file.
std::string withoutFolder(const std::string& name) {
    return QFileInfo(QString::fromStdString(name)).fileName().toStdString();
}

/// \returns what went wrong
QString writeBeside(const QDir& folder, const ScenarioFiles::Beside& file) {
    const QString path = folder.filePath(file.name);
    if (QFileInfo::exists(path)) {
        if (!file.isProfile)
            return {};
        const Result<std::string> old = data::readFile(path.toStdString());
        if (!old || !data::readProfileText(*old))
            return QCoreApplication::translate("alidade::app::ScenarioFiles",
                                               "%1 has the calibration's file name but is not a calibration")
                .arg(path);
        if (*old == file.content.toStdString())
            return {};
    }
    const QString fault = data::writeFile(path, file.content);
    return fault.isEmpty() ? fault : path + QStringLiteral(": ") + fault;
}

} // namespace

ScenarioFiles scenarioFiles(ScenarioSpec spec, const Catalog* catalog) {
    ScenarioFiles out;
    const auto add = [&out](std::string& name, const std::string& content, bool isProfile) {
        name = withoutFolder(name);
        out.beside.push_back({QString::fromStdString(name), QByteArray::fromStdString(content), isProfile});
    };
    if (std::optional<std::string>& name = spec.cluster.topology; name && catalog != nullptr)
        if (const Topology* topology = catalog->topology(*name))
            add(*name, data::writeTopology(*topology), false);
    if (std::optional<std::string>& name = spec.calibration; name && *name != "default" && catalog != nullptr)
        if (const Profile* profile = catalog->profile(*name))
            add(*name, data::writeProfile(*profile, data::ProfileOrigin{}), true);
    out.scenario = QByteArray::fromStdString(data::writeScenario(spec));
    return out;
}

QString writeScenarioFiles(const QString& fileName, const ScenarioFiles& files,
                           const data::WriteOptions& options) {
    const QDir folder = QFileInfo(fileName).absoluteDir();
    for (const ScenarioFiles::Beside& each : files.beside)
        if (const QString fault = writeBeside(folder, each); !fault.isEmpty())
            return fault;
    return data::writeFile(fileName, files.scenario, options);
}

} // namespace alidade::app
