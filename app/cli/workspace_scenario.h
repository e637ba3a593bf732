// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/session.h"
#include "data/workspace/entities.h"

#include <memory>
#include <optional>
#include <string>

namespace alidade::cli {

/// `WORKSPACE.alidade#name` taken apart; the name may be a path, `Folder/name`.
struct WorkspaceReference {
    std::string file, name;
};

/// Nothing if the argument has no `.alidade#`, or is itself a file.
std::optional<WorkspaceReference> workspaceReference(const std::string& argument);

/// Opens the workspace for reading, without its lock, and takes the scenario out. A name that is not there is
/// a Failure with the nearest one.
OpenedScenario openWorkspaceScenario(const std::string& argument, const WorkspaceReference& reference);

/// Why a workspace alone is not a scenario, with one that it has.
[[noreturn]] void refuseWorkspaceWithoutName(const std::string& file);

/// A catalog with the changes of the scenario's workspace and the topology that the scenario names, if it is
/// there. What has no effect is a warning.
/// \param shippedAlone without the changes
std::shared_ptr<const Catalog> workspaceCatalog(const std::shared_ptr<const Catalog>& shipped,
                                                const OpenedScenario& scenario, bool shippedAlone);

/// A calibration profile that the scenario's workspace keeps under a name.
std::optional<Profile> workspaceProfile(const OpenedScenario& scenario, const std::string& name);

} // namespace alidade::cli
