// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/workload/architecture.h"

#include <QString>
#include <QStringList>

#include <stop_token>
#include <string>
#include <variant>

namespace alidade::app {

struct ImportedWorkspace {
    QString file;
};
struct ImportedScenario {
    ScenarioSpec spec;
    QString note{}; ///< of a job: what is still needed, what contradicts; empty: nothing
};
/// It is opened on the Fleet page, and not kept in the library.
struct ImportedFleet {
    QString file; ///< empty: it is a text
    std::string content;
};
struct ImportedModel {
    Architecture model;
};
/// What is kept in the workspace as a document: an imported topology, or a measurement.
struct ImportedDocument {
    bool isTopology = true; ///< else an nccl-tests log
    std::string json, body;
    QString summary;   ///< "512 hosts in 3 layers"
    QString warning{}; ///< what is missing in it; empty: nothing
};
struct RefusedImport {
    QString reason; ///< "FILE:/place: what is wrong; what would be right"
};

/// What a file turned out to be.
struct Imported {
    QString name;   ///< of the file, without folder and suffix
    QString source; ///< of the file, with its suffix
    std::variant<RefusedImport, ImportedWorkspace, ImportedScenario, ImportedFleet, ImportedModel,
                 ImportedDocument>
        what;
};

/// What there is to import, for messages: "a scenario (.json), ...".
QString importableKinds();

/// Reads a file and tells what it is from its content. From any thread; waits for the disk.
Imported importFile(const QString& file, const std::stop_token& stop = {});
/// The same with a text, such as one from the clipboard.
/// \param fileName stands in messages
Imported importText(const std::string& content, const QString& fileName);

} // namespace alidade::app
