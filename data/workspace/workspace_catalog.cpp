// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/workspace_catalog.h"

#include "data/catalog/user_catalog_json.h"
#include "data/json/reader.h"
#include "data/topology/import.h"
#include "data/workspace/library.h"

#include <algorithm>

namespace alidade::data {

namespace {

const StoredDocument* topologyDocument(const WorkspaceContent& content, std::string_view name) {
    const auto all = documentsOf(content, DocumentKind::topology);
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const StoredDocument* each) { return each->name == name; });
    return found == all.end() ? nullptr : *found;
}

} // namespace

StoredChanges changesIn(const WorkspaceContent& content) {
    StoredChanges out;
    for (const StoredDocument* document : documentsOf(content, DocumentKind::catalogChange))
        if (Result<CatalogChange> change = changeFromJson(document->json))
            out.user.changes.push_back(*std::move(change));
        else
            out.faults.push_back("change of the catalog '" + document->name + "': " + change.error());
    return out;
}

bool hasTopology(const WorkspaceContent& content, std::string_view name) {
    return topologyDocument(content, name) != nullptr;
}

Result<Topology> topologyIn(const WorkspaceContent& content, std::string_view name) {
    const StoredDocument* document = topologyDocument(content, name);
    if (document == nullptr) {
        std::vector<std::string> known;
        for (const StoredDocument* each : documentsOf(content, DocumentKind::topology))
            known.push_back(each->name);
        return Error{"there is no topology '" + std::string(name) + "'" + suggestion(name, known)};
    }
    TopologyImport read = importTopology({{document->name, document->json}});
    if (!read.topology)
        return Error{read.faults.empty() ? document->name + ": is not a topology; import it again"
                                         : read.faults.front()};
    read.topology->name = name;
    return *std::move(read.topology);
}

} // namespace alidade::data
