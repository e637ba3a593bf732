// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/catalog/catalog_editor.h"
#include "views/document/view.h"

#include <QAbstractItemView>
#include <QHash>
#include <QPointer>

class QAction;
class QLineEdit;
class QListWidget;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace alidade::views {

class CatalogFiles;
class CatalogFilter;
class CatalogModel;
class CatalogTable;
class ComparePane;
class ConflictDialog;
class DockTitleBar;
class PriceBook;
class PriceChoiceBar;
class ProvenancePanel;
class RefusalList;

/// What is known of hardware, prices and models, to read and to edit: kinds at the left, one kind as a table
/// (sorted, filtered by column, columns to choose), what was refused below it, two entries side by side if
/// wanted, and at the right where the chosen value comes from.
class CatalogView : public View {
    Q_OBJECT

public:
    /// Its editor stands over the catalog that the document has now.
    explicit CatalogView(Document* document, QWidget* parent = nullptr);
    ~CatalogView() override;

    QString title() const override { return tr("Catalog"); }
    QString iconName() const override { return QStringLiteral("catalog"); }

    void showKind(const QString& kind); ///< "instances", or "price-book"
    void showCell(const CatalogCell& cell);
    CatalogEditor& editor() const { return *editor_; }
    CatalogTable* table() const { return table_; }
    int columnOf(const QString& key) const; ///< of the kind that is shown; -1: none
    CatalogFiles* files() const { return files_; }
    /// For the window's menu, in its order; a null represents a separator.
    const QList<QAction*>& menuActions() const { return menu_; }

protected:
    bool event(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    // Assembly
    QWidget* makeBar();
    QWidget* makeKinds();
    QWidget* makeMiddle();
    void makeActions();
    QAction* makeAction(const char* name, const QString& words, const char* icon,
                        void (CatalogView::*does)());
    void connectTable();

    // State
    void renewKinds();
    void renewState();
    void clearFilters();
    void openKind(data::CatalogKind kind);
    void chooseUsed();
    void showCurrent();
    void say(const QString& sentence);
    CatalogCell currentCell() const;
    QStringList selectedEntries() const;
    QList<CatalogCell> selectedCatalogCells() const;

    // Commands
    void addEntry();
    void duplicateEntry();
    void deleteEntries();
    void resetCells();
    void fillOrDuplicate();
    void paste();
    void toggleCompare(bool on);
    void settleConflicts();
    void goTo(const QModelIndex& index,
              QAbstractItemView::ScrollHint hint = QAbstractItemView::EnsureVisible);
    void goToNew(const QString& entry, bool editId);

    CatalogEditor* editor_;
    CatalogFiles* files_;
    CatalogModel* model_;
    CatalogFilter* filter_;
    QListWidget* kinds_;
    QStackedWidget* pages_; ///< a sheet, or the price book
    DockTitleBar* bar_;
    CatalogTable* table_;
    RefusalList* foot_;
    ComparePane* compare_;
    QSplitter* middle_;
    ProvenancePanel* provenance_;
    PriceBook* book_;
    QLineEdit* words_; ///< filters rows by any column
    PriceChoiceBar* prices_;
    QAction *add_, *duplicate_, *delete_, *reset_, *mine_, *columns_, *compareAction_, *filterAction_,
        *import_, *export_;
    QList<QAction*> menu_;
    QHash<int, QByteArray> headers_; ///< which columns of a kind are shown, and how wide
    QPointer<ConflictDialog> conflicts_;
    bool untouched_ = true; ///< the page has not been shown yet
};

} // namespace alidade::views
