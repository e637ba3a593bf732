// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/workspace/edit.h"
#include "model/base/result.h"
#include "model/scenario/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

// The library: what a person does with scenarios and folders, as edits. Nothing here changes anything; an id
// that is not there is a mistake of the caller and gives an empty edit. `now` is the time of the edit.

/// A new scenario at the end of a folder. Its name is the spec's, else `name`, with a number behind it where
/// the folder has that name already; the first entry of its history says `text`.
WorkspaceEdit addScenario(const WorkspaceContent& content, WorkspaceId folder, const ScenarioSpec& spec,
                          std::string_view name, std::string_view text, UtcMs now);
/// The id that addScenario, addFolder and addDocument give to what they add.
WorkspaceId addedId(const WorkspaceEdit& edit);

/// A committed edit of the spec, with an entry of its history. The scenario keeps its name unless the spec
/// has another.
WorkspaceEdit changeScenario(const WorkspaceContent& content, WorkspaceId scenario, const ScenarioSpec& spec,
                             std::string_view text, UtcMs now);
/// Names the newest version (Ctrl+S).
WorkspaceEdit nameVersion(const WorkspaceContent& content, WorkspaceId scenario, std::string_view name);

WorkspaceEdit renameScenario(const WorkspaceContent& content, WorkspaceId scenario, std::string_view name,
                             UtcMs now);
WorkspaceEdit setTags(const WorkspaceContent& content, WorkspaceId scenario, std::vector<std::string> tags,
                      UtcMs now);
/// A copy behind the original, without its history.
WorkspaceEdit duplicateScenario(const WorkspaceContent& content, WorkspaceId scenario, UtcMs now);
/// Moves to `position` (0: first) among the scenarios of a folder.
WorkspaceEdit moveScenario(const WorkspaceContent& content, WorkspaceId scenario, WorkspaceId folder,
                           std::size_t position, UtcMs now);

WorkspaceEdit addFolder(const WorkspaceContent& content, WorkspaceId parent, std::string_view name,
                        UtcMs now);
WorkspaceEdit renameFolder(const WorkspaceContent& content, WorkspaceId folder, std::string_view name,
                           UtcMs now);
/// An empty edit where `parent` lies in the folder itself.
WorkspaceEdit moveFolder(const WorkspaceContent& content, WorkspaceId folder, WorkspaceId parent,
                         std::size_t position, UtcMs now);

/// Marks a scenario, a document, or a folder with all that is in it, as deleted.
WorkspaceEdit remove(const WorkspaceContent& content, WorkspaceId id, UtcMs now);
/// Takes a deletion back, with that of the folders in which it lies.
WorkspaceEdit restore(const WorkspaceContent& content, WorkspaceId id, UtcMs now);
/// Takes everything away for good that was deleted before a time.
WorkspaceEdit purgeDeleted(const WorkspaceContent& content, UtcMs before);

WorkspaceEdit addDocument(const WorkspaceContent& content, DocumentKind kind, std::string_view name,
                          std::string json, std::string body, UtcMs now);
WorkspaceEdit changeDocument(const WorkspaceContent& content, WorkspaceId document, std::string_view name,
                             std::string json, UtcMs now);

// Reading. What is deleted is not there.

std::vector<const Folder*> foldersIn(const WorkspaceContent& content, WorkspaceId parent); ///< in their order
std::vector<const StoredScenario*> scenariosIn(const WorkspaceContent& content, WorkspaceId folder);
std::vector<const StoredDocument*> documentsOf(const WorkspaceContent& content, DocumentKind kind);
std::vector<std::string> tagsInUse(const WorkspaceContent& content); ///< sorted
/// "Folder/Inner" of a folder; empty for the top.
std::string folderPath(const WorkspaceContent& content, WorkspaceId folder);

/// Scenarios that match every word of the text, in name, tag, model, machine or folder, case aside; "tag:x"
/// and "model:x" look only there. Those whose name begins with the text come first, then by time of change,
/// newest first.
std::vector<const StoredScenario*> findScenarios(const WorkspaceContent& content, std::string_view text);

/// The scenario that a person calls `name` or `Folder/name`; the error names the nearest one, or says that
/// two have the name and how to tell them apart.
Result<const StoredScenario*> scenarioNamed(const WorkspaceContent& content, std::string_view name);

/// The spec of a stored scenario.
Result<ScenarioSpec> specOf(const StoredScenario& scenario);

} // namespace alidade::data
