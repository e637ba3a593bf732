// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/scenario/scenario_list.h"
#include "views/document/view.h"
#include "views/library/library.h"

#include <QMessageBox>
#include <QPointer>

#include <cstdint>
#include <functional>
#include <vector>

class QLineEdit;
class QStackedWidget;

namespace alidade::views {

class CellTable;
class DataTableView;
class DockTitleBar;
class EmptyState;
class FolderTree;
class LibraryModel;
class LibraryOrder;
class TextLabel;

/// The library of the workspace: folders at the left; the scenarios of one of them as a table with tags,
/// machine and the answer that a real estimate gave; and what was imported next to them.
class LibraryView : public View {
    Q_OBJECT

public:
    LibraryView(Document* document, Library* library, QWidget* parent = nullptr);

    QString title() const override { return tr("Library"); }
    QString iconName() const override { return QStringLiteral("library"); }

    /// The scenario that is open: marked, and chosen when the page is next shown.
    void setOpenScenario(data::WorkspaceId scenario);
    /// Chooses scenarios, in the place where they are.
    void showScenarios(const WorkspaceIds& scenarios);
    WorkspaceIds chosen() const; ///< scenarios, or documents where those are shown
    /// Where a new scenario goes: the folder that is shown.
    data::WorkspaceId targetFolder() const;

    DataTableView* table() const { return table_; }
    /// What was imported, or the trash, where that is shown.
    CellTable* documents() const { return documents_; }
    QAction* restoreAction() const { return restore_; }
    QAction* emptyTrashAction() const { return emptyTrash_; }
    /// The question before what is used, or all of the trash, is deleted; null: none is open.
    QMessageBox* question() const { return question_; }
    FolderTree* folders() const { return folders_; }
    QLineEdit* searchField() const { return search_; }
    LibraryModel* model() const { return model_; }
    QString message() const; ///< why the last change was refused; empty: it was not

signals:
    void openScenario(alidade::data::WorkspaceId scenario);
    void openSample(const QString& id);
    void startNew();
    void importFiles();
    void paste();
    /// To a file of one's own.
    void exportScenario(const QString& name, const QByteArray& json);
    void useTopology(const QString& name);
    /// The chosen scenarios are to be side by side.
    void compareRequested(const std::vector<alidade::data::ListedScenario>& scenarios);
    /// Something was deleted here. \param change for Library::takeBack()
    void removed(const QString& what, std::uint64_t change, bool isTopology);

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeLeft();
    QWidget* makeRight();
    void makeActions();
    QAction* addTableAction(const QString& words, const QKeySequence& keys, const char* icon,
                            void (LibraryView::*run)());
    void show_();
    void renew();
    void renewDocuments();
    void renewTrash();
    void fitColumns();
    void keepInView(data::WorkspaceId scenario);
    void renewActions();
    void say(const QString& reason);

    void openCurrent();
    void renameCurrent();
    void duplicateChosen();
    void compareChosen();
    void pinCurrent();
    std::vector<data::ListedScenario> chosenScenarios() const;
    void removeChosen();
    void exportCurrent();
    void copyJson();
    void useCurrent();
    void restoreChosen();
    void askEmptyTrash();
    void removeNow(const WorkspaceIds& ids);
    void ask(const QString& sentence, const QString& detail, const QString& verb, std::function<void()> then);
    QStringList usersOf(const WorkspaceIds& documents) const;
    WorkspaceIds duplicateSamples();
    bool showsDocuments() const;
    int currentRow() const; ///< of the model; -1: none

    Library* library_;
    FolderTree* folders_;
    DockTitleBar* bar_;
    QLineEdit* search_;
    QStackedWidget* stack_;
    DataTableView* table_;
    LibraryModel* model_;
    LibraryOrder* order_;
    CellTable* documents_;
    EmptyState* empty_;
    TextLabel* message_;
    QAction *open_ = nullptr, *rename_ = nullptr, *duplicate_ = nullptr, *remove_ = nullptr,
            *export_ = nullptr, *copyJson_ = nullptr, *newFolder_ = nullptr, *use_ = nullptr,
            *restore_ = nullptr, *emptyTrash_ = nullptr, *compare_ = nullptr, *pin_ = nullptr;
    QPointer<QMessageBox> question_;
    data::WorkspaceId openScenario_ = 0;
    bool fitting_ = false;   ///< columns get their widths by themselves now
    bool hasWidths_ = false; ///< a person has given them others
};

/// What is dragged: a label with a few words. \param ratio device pixels of a logical one
QPixmap scenarioDragPicture(const QString& words, double ratio);

} // namespace alidade::views
