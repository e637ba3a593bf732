// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/catalog/user_catalog_import.h"
#include "views/catalog/catalog_editor.h"

#include <QDialog>
#include <QObject>

class QTreeWidget;

namespace alidade::views {

/// Import and export of the person's catalog as a file. Reading and writing run on a thread.
class CatalogFiles : public QObject {
    Q_OBJECT

public:
    /// \param window owns the dialogs
    CatalogFiles(CatalogEditor* editor, QWidget* window);

    void askImport();
    void askExport();
    /// Reads a file; what it would change is shown, and comes in as one undo step once that is accepted.
    void importFile(const QString& fileName);
    void exportTo(const QString& fileName);

signals:
    /// What was done, or why nothing was: a sentence.
    void said(const QString& sentence);

private:
    void show(const data::UserCatalog& imported, const QString& fileName);

    CatalogEditor* editor_;
    QWidget* window_;
};

/// What an import would change, each of which can be left out.
class ImportDialog : public QDialog {
    Q_OBJECT

public:
    ImportDialog(const std::vector<data::ImportStep>& steps, const QString& fileName, QWidget* parent);

    /// Indices of the imported changes that were unticked.
    std::vector<std::size_t> leftOut() const;

private:
    std::vector<data::ImportStep> steps_;
    QTreeWidget* list_;
};

} // namespace alidade::views
