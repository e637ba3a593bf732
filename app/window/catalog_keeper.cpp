// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/catalog_keeper.h"

#include "app/window/workspace_session.h"
#include "data/catalog/user_catalog_json.h"
#include "data/workspace/library.h"
#include "data/workspace/workspace_catalog.h"
#include "views/catalog/catalog_editor.h"
#include "views/document/text.h"

#include <QDateTime>

#include <algorithm>

namespace alidade::app {

CatalogKeeper::CatalogKeeper(views::CatalogEditor& editor, WorkspaceSession& session, QObject* parent)
    : QObject(parent)
    , editor_(editor)
    , session_(session) {
    connect(&session, &WorkspaceSession::opened, this, [this](bool isCopy) {
        if (!isCopy)
            load();
    });
    connect(&session, &WorkspaceSession::stateChanged, this, &CatalogKeeper::renewAccess);
    connect(&editor, &views::CatalogEditor::changesAdded, this, &CatalogKeeper::store);
    connect(&editor, &views::CatalogEditor::changesTaken, this, &CatalogKeeper::take);
}

void CatalogKeeper::load() {
    data::StoredChanges stored = data::changesIn(session_.content());
    loading_ = true;
    editor_.setUserCatalog(std::move(stored.user));
    loading_ = false;
    renewAccess();
    if (!stored.faults.empty())
        emit refused(views::text(stored.faults.front()));
}

void CatalogKeeper::renewAccess() {
    const bool locked = session_.isOpen() && !session_.isWritable();
    editor_.setReadOnly(locked ? tr("%1 is open read-only").arg(session_.name()) : QString());
}

void CatalogKeeper::store(const std::vector<data::CatalogChange>& changes) {
    if (loading_ || !session_.isWritable())
        return;
    const data::UtcMs now = QDateTime::currentMSecsSinceEpoch();
    for (const data::CatalogChange& change : changes) {
        const auto kept = session_.writer().commit(
            data::addDocument(session_.content(), data::DocumentKind::catalogChange, data::describe(change),
                              data::changeToJson(change), {}, now));
        if (!kept)
            emit refused(views::text(kept.error()));
    }
}

void CatalogKeeper::take(int count) {
    if (loading_ || !session_.isWritable())
        return;
    const data::UtcMs now = QDateTime::currentMSecsSinceEpoch();
    const auto stored = data::documentsOf(session_.content(), data::DocumentKind::catalogChange);
    const auto taken = std::min(static_cast<std::size_t>(std::max(count, 0)), stored.size());
    data::WorkspaceEdit edit;
    for (std::size_t i = stored.size() - taken; i < stored.size(); ++i)
        edit = data::joined(std::move(edit), data::remove(session_.content(), stored[i]->id, now));
    if (const auto done = session_.writer().commit(edit); !done)
        emit refused(views::text(done.error()));
}

} // namespace alidade::app
