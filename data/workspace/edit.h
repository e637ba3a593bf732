// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/entities.h"
#include "model/base/result.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace alidade::data {

// One edit is a list of changes that are made together or not at all, in memory (apply) and in the file
// (Workspace::apply). A "put" adds, or replaces what has the same id.

struct PutFolder {
    Folder folder;
};
struct PutScenario {
    StoredScenario scenario;
};
/// Adds to the history of a scenario; its number is the scenario's `version`.
struct AddVersion {
    ScenarioVersion version;
};
/// Names a version, or takes its name away.
struct NameVersion {
    WorkspaceId scenario = 0;
    std::int64_t number = 0;
    std::string name;
};
struct PutDocument {
    StoredDocument document;
    std::optional<std::string> body; ///< absent: the body stays as it is
};
struct PutSetting {
    std::string key;
    std::optional<std::string> value; ///< absent: the setting goes
};
/// Takes a deleted folder, scenario (with its history) or document away for good. What is in a folder goes
/// first.
struct Purge {
    WorkspaceId id = 0;
};

using WorkspaceChange =
    std::variant<PutFolder, PutScenario, AddVersion, NameVersion, PutDocument, PutSetting, Purge>;

struct WorkspaceEdit {
    std::vector<WorkspaceChange> changes;
};

/// Makes the edit in memory. On an error (an unknown folder, a folder inside itself, a purge of what is not
/// deleted, a version out of order, a text that is not UTF-8) nothing has changed.
/// \returns the edit that takes it back: former values are put, what is new is marked as deleted. Versions
/// and purges are not taken back.
Result<WorkspaceEdit> apply(WorkspaceContent& content, const WorkspaceEdit& edit);

/// The first moves, then the second.
WorkspaceEdit joined(WorkspaceEdit first, WorkspaceEdit second);

} // namespace alidade::data
