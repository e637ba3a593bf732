// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/user_catalog.h"
#include "data/workspace/entities.h"

#include <QObject>
#include <QString>

#include <vector>

namespace alidade::views {
class CatalogEditor;
}

namespace alidade::app {

class WorkspaceSession;

/// Keeps the person's catalog changes in the workspace: gives the editor those that it holds, writes each
/// edit as it is made, and takes away what is undone. Without a workspace the changes live as long as the
/// window.
class CatalogKeeper : public QObject {
    Q_OBJECT

public:
    /// Both must outlive this.
    CatalogKeeper(views::CatalogEditor& editor, WorkspaceSession& session, QObject* parent = nullptr);

signals:
    /// Changes of the workspace that cannot be read are left out.
    void refused(const QString& reason);

private:
    void load();
    void renewAccess();
    void store(const std::vector<data::CatalogChange>& changes);
    void take(int count);

    views::CatalogEditor& editor_;
    WorkspaceSession& session_;
    bool loading_ = false;
};

} // namespace alidade::app
