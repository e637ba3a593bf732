// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace alidade::data {

/// Names a folder, a scenario or a document within one workspace: positive, never given to another one.
using WorkspaceId = std::int64_t;

/// Milliseconds since 1970 in UTC; 0: never.
using UtcMs = std::int64_t;

// What a workspace keeps, as values. Something deleted stays, with the time in `deletedMs`, until it is
// purged.

struct Folder {
    WorkspaceId id = 0;
    WorkspaceId parent = 0;    ///< 0: the top
    std::int64_t position = 0; ///< order among its siblings, ascending; equal ones by name
    std::string name;
    UtcMs createdMs = 0, changedMs = 0, deletedMs = 0;
    bool operator==(const Folder&) const = default;
};

struct StoredScenario {
    WorkspaceId id = 0;
    WorkspaceId folder = 0; ///< 0: the top
    std::int64_t position = 0;
    std::string name;
    std::vector<std::string> tags; ///< sorted, each once, no comma
    std::string model;             ///< id of the model or name of the architecture, for lists and search
    std::string machine;           ///< "64 x p5en.48xlarge", for lists and search
    std::string json;              ///< as writeScenario writes it
    std::int64_t version = 0;      ///< number of the newest entry of its history; counts from 1
    UtcMs createdMs = 0, changedMs = 0, deletedMs = 0;
    bool operator==(const StoredScenario&) const = default;
};

/// One committed edit of a scenario.
struct ScenarioVersion {
    WorkspaceId scenario = 0;
    std::int64_t number = 0; ///< counts from 1 within the scenario, without gaps until old ones are pruned
    UtcMs timeMs = 0;
    std::string text; ///< what was done: "Tensor 4 to 8"
    std::string name; ///< given by a person; such a version is never pruned. Empty: none
    std::string json; ///< the scenario after the edit
    bool operator==(const ScenarioVersion&) const = default;
};

enum class DocumentKind : std::uint8_t {
    catalogChange, ///< json: one change of the user catalog
    profile,       ///< json: a calibration profile
    topology,      ///< json: an imported topology
    measurement,   ///< json: the rows of an nccl-tests log; body: the log
    snapshot,      ///< json: what was measured, where and when; body: the series
};

/// Everything else that has a kind, a name and content.
struct StoredDocument {
    WorkspaceId id = 0;
    DocumentKind kind = DocumentKind::catalogChange;
    std::int64_t position = 0; ///< order within its kind, ascending; equal ones by id
    std::string name;
    std::string json;
    std::int64_t bodyBytes = 0; ///< of the body, which is read when it is asked for; 0: there is none
    UtcMs createdMs = 0, changedMs = 0, deletedMs = 0;
    bool operator==(const StoredDocument&) const = default;
};

/// Names of settings that more than one place uses.
namespace setting {
inline constexpr const char* windowLayout = "window_layout";
inline constexpr const char* catalogVersion =
    "catalog_version"; ///< shipped catalog that the changes were made over
inline constexpr const char* openScenario = "open_scenario"; ///< id, in decimal digits
/// What the window had open, also where that is not a scenario of the workspace: "KIND:REST".
inline constexpr const char* openDocument = "open_document";
inline constexpr const char* baselines = "baselines";   ///< states to set plans against: the same format
inline constexpr const char* comparison = "comparison"; ///< scenarios side by side: see scenario_list.h
inline constexpr const char* fleet = "fleet";           ///< of the Fleet page, with its unsaved edits
} // namespace setting

/// A workspace without what is read when it is asked for: histories and bodies.
struct WorkspaceContent {
    std::map<WorkspaceId, Folder> folders;
    std::map<WorkspaceId, StoredScenario> scenarios;
    std::map<WorkspaceId, StoredDocument> documents;
    std::map<std::string, std::string> settings; ///< bytes
    WorkspaceId lastId = 0;                      ///< the largest that was ever seen
    bool operator==(const WorkspaceContent&) const = default;
};

} // namespace alidade::data
