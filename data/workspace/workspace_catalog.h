// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/user_catalog.h"
#include "data/workspace/entities.h"
#include "model/base/result.h"
#include "model/topology/topology.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

/// The catalog changes that a workspace keeps, in their order.
struct StoredChanges {
    UserCatalog user;
    std::vector<std::string> faults; ///< of changes that cannot be read and are left out
};
StoredChanges changesIn(const WorkspaceContent& content);

/// A topology that a workspace keeps, under its name there. The error names the nearest one, or says what is
/// wrong in it.
Result<Topology> topologyIn(const WorkspaceContent& content, std::string_view name);
bool hasTopology(const WorkspaceContent& content, std::string_view name);

} // namespace alidade::data
