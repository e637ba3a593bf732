// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"
#include "model/workload/architecture.h"

#include <QString>
#include <QStringList>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace alidade {
struct Catalog;
}

namespace alidade::data {
struct JobReading;
}

namespace alidade::app {

struct ImportedWorkspace {
    QString file;
};
struct ImportedScenario {
    ScenarioSpec spec;
    QString note{}; ///< of a job: what is still needed, what contradicts; empty: nothing
    std::shared_ptr<data::JobReading> job{}; ///< that it was made from; null: it was a scenario
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
    QString summary;    ///< "512 hosts in 3 layers"
    QString warning{};  ///< what is missing in it; empty: nothing
    bool ofJob = false; ///< the hosts of a running job, whose scenario is placed in it
};
struct RefusedImport {
    QString reason; ///< "FILE:/place: what is wrong; how to fix it"
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

/// What jobs are read with.
struct ImportContext {
    std::shared_ptr<const Catalog> catalog; ///< never null
    std::string userCatalog;                ///< a folder with versions of tools; empty: none
    /// Names of the topologies that scenarios may name, and their documents, in the order of preference.
    std::vector<std::pair<std::string, std::string>> topologies;
};

/// Reads a file and tells what it is from its content. From any thread; waits for the disk.
Imported importFile(const QString& file, const ImportContext& context, const std::stop_token& stop = {});
/// The same with a text, such as one from the clipboard.
/// \param fileName is shown in messages
Imported importText(const std::string& content, const QString& fileName, const ImportContext& context);

/// Places running jobs: in a topology that is imported with them or in one of the context, or else in a new
/// one of their hosts, which is appended.
void placeJobs(std::vector<Imported>& all, const ImportContext& context);

} // namespace alidade::app
