// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/file/write_file.h"
#include "model/catalog/catalog.h"
#include "model/scenario/spec.h"

#include <QByteArray>
#include <QString>

#include <vector>

namespace alidade::app {

/// A scenario as files: its own, and those that it names.
struct ScenarioFiles {
    struct Beside {
        QString name; ///< without a folder
        QByteArray content;
        bool isProfile = false;
    };
    QByteArray scenario;
    std::vector<Beside> beside; ///< topology and calibration, in the folder of the scenario's file
};

/// The files of a scenario whose topology and calibration the catalog, if any, carries; what it names
/// otherwise is a file already. A name that is a path is written as that of a file.
ScenarioFiles scenarioFiles(ScenarioSpec spec, const Catalog* catalog);

/// Writes them, the scenario last, so that it never names a file that is missing. A file of another kind that
/// has the name of a profile is not replaced, and a topology that is there stays. Waits for the disk.
/// \returns what went wrong; empty: nothing
QString writeScenarioFiles(const QString& fileName, const ScenarioFiles& files,
                           const data::WriteOptions& options = {});

} // namespace alidade::app
