// SPDX-License-Identifier: GPL-3.0-or-later
#include "counting_engine.h"
#include "data/workspace/workspace_writer.h"
#include "drive.h"
#include "gallery.h"
#include "sample_document.h"
#include "views/document/text.h"
#include "views/kit/cell_table.h"
#include "views/library/folder_tree.h"
#include "views/library/library_model.h"
#include "views/library/library_view.h"
#include "views/library/spec_difference.h"
#include "views/theme/theme_controller.h"

#include <QApplication>
#include <QClipboard>
#include <QDrag>
#include <QHeaderView>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidgetItemIterator>
#include <QUndoStack>

#include <algorithm>

namespace tst_library {

using namespace alidade;
using namespace alidade::views;

namespace {

/// The library's page over its own workspace.
struct Shelf {
    QTemporaryDir folder;
    data::WorkspaceWriter writer;
    Library library{writer};
    test::CountedModel model;
    Document document{test::shippedCatalog(), model.engine()};
    std::unique_ptr<LibraryView> view;

    Shelf() {
        bool open = false;
        data::WorkspaceOptions options;
        options.access = data::WorkspaceOptions::Access::create;
        writer.open(folder.filePath(QStringLiteral("Plans.alidade")).toStdString(), options,
                    [&open](const auto& fault) { open = !fault; });
        [&] { QTRY_VERIFY_WITH_TIMEOUT(open, 20'000); }();
        view = std::make_unique<LibraryView>(&document, &library);
        present(*view, {1280, 700});
    }
    data::WorkspaceId add(const char* name, data::WorkspaceId in = 0,
                          const char* sample = "llama-3.1-8b-1xp5.4xlarge") {
        ScenarioSpec spec = test::sampleSpec(sample);
        spec.name = name;
        const WorkspaceIds ids = library.add({Library::NewScenario{spec, QString(), QStringLiteral("made")}},
                                             in, QStringLiteral("add"));
        return ids.empty() ? 0 : ids.front();
    }
    QStringList names() const {
        QStringList out;
        for (int row = 0; row < view->table()->model()->rowCount(); ++row)
            out.append(view->table()->model()->index(row, LibraryModel::name).data().toString());
        out.sort();
        return out;
    }
    /// Where a scenario lies; -1: it is not there.
    data::WorkspaceId folderOf(data::WorkspaceId id) const {
        const data::StoredScenario* there = library.scenario(id);
        return there != nullptr ? there->folder : -1;
    }
    QTreeWidgetItem* item(const QString& words) const {
        for (QTreeWidgetItemIterator each(view->folders()); *each != nullptr; ++each)
            if ((*each)->text(0) == words)
                return *each;
        return nullptr;
    }
    void choosePlace(const QString& words) { view->folders()->setCurrentItem(item(words)); }
    void chooseRow(data::WorkspaceId id) {
        view->showScenarios({id});
        view->table()->setFocus();
        QCOMPARE(view->chosen(), WorkspaceIds{id});
    }
    /// Drops what is dragged from a view on a line of the tree, as the drag itself would.
    void drop(QMimeData* mime, const QString& on) {
        FolderTree& tree = *view->folders();
        QWidget* port = tree.viewport();
        const QPoint place = tree.visualItemRect(item(on)).center();
        QDragEnterEvent enter(place, Qt::MoveAction, mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(port, &enter);
        QDragMoveEvent move(place, Qt::MoveAction, mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(port, &move);
        accepted = move.isAccepted();
        if (accepted) {
            QDropEvent drop(QPointF(place), Qt::MoveAction, mime, Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(port, &drop);
        }
        delete mime;
        settle();
    }
    QMimeData* draggedRows() const {
        return view->table()->model()->mimeData(view->table()->selectionModel()->selectedIndexes());
    }
    /// What is typed into the editor of a cell.
    void typeInto(QAbstractItemView* in, const QString& words) {
        QLineEdit* editor = nullptr; // one that was closed before may still be there
        for (auto* each : in->viewport()->findChildren<QLineEdit*>())
            if (each->isVisible())
                editor = each;
        QVERIFY(editor != nullptr);
        editor->selectAll();
        QTest::keyClicks(editor, words);
        QTest::keyClick(editor, Qt::Key_Return);
        const auto isOpen = [in] {
            const auto fields = in->viewport()->findChildren<QLineEdit*>();
            return std::ranges::any_of(fields, [](const QLineEdit* each) { return each->isVisible(); });
        };
        QTRY_VERIFY(!isOpen()); // in a real window an editor closes in its own time
    }
    bool accepted = false;
};

} // namespace

/// What a person does on the library's page, with the real widgets.
class TestLibraryView : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { ThemeController::instance().install(); }
    void draggingToAFolderMoves();
    void draggingAFolderIntoAnother();
    void samplesTakeNothing();
    void namesAndTagsAreEditedInTheirCells();
    void foldersAreMadeAndRenamed();
    void renamingTwiceKeepsWhatIsTyped();
    void searchFindsNamesTagsAndModels();
    void deletingAndUndo();
    void aFolderGoesWithAllThatIsInIt();
    void keysOfTheTable();
    void oneChangeIsTakenBackAmongOthers();
    void samplesAreDuplicated();
    void trashIsListedRestoredAndEmptied();
    void usedTopologyIsAskedFor();
    void renamedRowStaysInView();
    void namesGetTheRoomThereIs();
    void draggedLabelIsSmall();
    void differencesHaveUnitsAndAChange();
};

void TestLibraryView::draggingToAFolderMoves() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha"), b = shelf.add("Beta");
    const data::WorkspaceId folder = shelf.library.addFolder(0, QStringLiteral("Tenders"));
    QCOMPARE(shelf.names(), (QStringList{QStringLiteral("Alpha"), QStringLiteral("Beta")}));
    shelf.chooseRow(a);
    shelf.drop(shelf.draggedRows(), QStringLiteral("Tenders"));
    QVERIFY(shelf.accepted);
    QCOMPARE(shelf.folderOf(a), folder);
    QCOMPARE(shelf.folderOf(b), 0);
    shelf.choosePlace(QStringLiteral("Tenders"));
    QCOMPARE(shelf.names(), QStringList{QStringLiteral("Alpha")});
    QCOMPARE(shelf.view->targetFolder(), folder);
    QCOMPARE(shelf.item(QStringLiteral("Tenders"))->text(1), QStringLiteral("1"));
    // And out of it again, onto the line of all scenarios.
    shelf.chooseRow(a);
    shelf.drop(shelf.draggedRows(), QStringLiteral("All scenarios"));
    QCOMPARE(shelf.folderOf(a), 0);
    shelf.library.undoStack()->undo();
    QCOMPARE(shelf.folderOf(a), folder);
    shelf.library.undoStack()->undo();
    QCOMPARE(shelf.folderOf(a), 0);
}

void TestLibraryView::draggingAFolderIntoAnother() {
    Shelf shelf;
    const data::WorkspaceId outer = shelf.library.addFolder(0, QStringLiteral("Outer"));
    const data::WorkspaceId inner = shelf.library.addFolder(0, QStringLiteral("Inner"));
    const auto dragged = [&](const QString& words) {
        return shelf.view->folders()->model()->mimeData({shelf.view->folders()->model()->index(
            shelf.view->folders()->indexOfTopLevelItem(shelf.item(words)), 0)});
    };
    shelf.drop(dragged(QStringLiteral("Inner")), QStringLiteral("Outer"));
    QCOMPARE(shelf.library.folder(inner)->parent, outer);
    QVERIFY(shelf.item(QStringLiteral("Inner"))->parent() == shelf.item(QStringLiteral("Outer")));
    // A folder cannot lie in itself; the reason is said.
    shelf.drop(dragged(QStringLiteral("Outer")), QStringLiteral("Inner"));
    QCOMPARE(shelf.library.folder(outer)->parent, 0);
    QVERIFY(!shelf.view->message().isEmpty());
}

void TestLibraryView::samplesTakeNothing() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha");
    shelf.chooseRow(a);
    shelf.drop(shelf.draggedRows(), QStringLiteral("Samples"));
    QVERIFY(!shelf.accepted);
    QCOMPARE(shelf.folderOf(a), 0);
    shelf.choosePlace(QStringLiteral("Samples"));
    QVERIFY(shelf.names().size() > 5);
}

void TestLibraryView::namesAndTagsAreEditedInTheirCells() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha");
    shelf.add("Beta");
    shelf.chooseRow(a);
    QTest::keyClick(shelf.view->table(), Qt::Key_F2);
    shelf.typeInto(shelf.view->table(), QStringLiteral("Gamma"));
    QCOMPARE(shelf.library.scenario(a)->name, "Gamma");
    // A name that is taken is refused, and the reason is said.
    shelf.chooseRow(a);
    QTest::keyClick(shelf.view->table(), Qt::Key_F2);
    shelf.typeInto(shelf.view->table(), QStringLiteral("Beta"));
    QCOMPARE(shelf.library.scenario(a)->name, "Gamma");
    QVERIFY(shelf.view->message().contains(QStringLiteral("Beta")));

    shelf.chooseRow(a);
    const QModelIndex row = shelf.view->table()->currentIndex();
    shelf.view->table()->setCurrentIndex(row.siblingAtColumn(LibraryModel::tags));
    QTest::keyClick(shelf.view->table(), Qt::Key_F2);
    shelf.typeInto(shelf.view->table(), QStringLiteral("tender; draft, tender"));
    QCOMPARE(tagsOf(*shelf.library.scenario(a)),
             (QStringList{QStringLiteral("draft"), QStringLiteral("tender")}));
    shelf.library.undoStack()->undo();
    QVERIFY(shelf.library.scenario(a)->tags.empty());
}

void TestLibraryView::foldersAreMadeAndRenamed() {
    Shelf shelf;
    shelf.view->folders()->newFolder();
    shelf.typeInto(shelf.view->folders(), QStringLiteral("Bids"));
    const auto nameOfFolder = [&] {
        const auto there = data::foldersIn(shelf.library.content(), 0);
        return there.size() == 1 ? there.front()->name : std::string();
    };
    QTRY_COMPARE(nameOfFolder(), "Bids"); // and with that the tree has been made anew
    QVERIFY(shelf.item(QStringLiteral("Bids")) != nullptr);
    shelf.choosePlace(QStringLiteral("Bids"));
    shelf.view->folders()->setFocus();
    shelf.view->folders()->renameCurrent();
    shelf.typeInto(shelf.view->folders(), QStringLiteral("Offers"));
    QTRY_COMPARE(nameOfFolder(), "Offers");
    QVERIFY(shelf.item(QStringLiteral("Offers")) != nullptr);
    QVERIFY(shelf.item(QStringLiteral("Bids")) == nullptr);
    QCOMPARE(data::foldersIn(shelf.library.content(), 0).size(), std::size_t(1));
}

/// The menu's Rename and New Folder while the name of a folder is being typed: what is typed is kept, and Qt
/// has nothing to warn of.
void TestLibraryView::renamingTwiceKeepsWhatIsTyped() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("edit|commitData")));
    Shelf shelf;
    FolderTree& tree = *shelf.view->folders();
    const data::WorkspaceId bids = shelf.library.addFolder(0, QStringLiteral("Bids"));
    const auto nameOfBids = [&] {
        for (const data::Folder* each : data::foldersIn(shelf.library.content(), 0))
            if (each->id == bids)
                return each->name;
        return std::string();
    };
    shelf.choosePlace(QStringLiteral("Bids"));
    tree.renameCurrent();
    auto* editor = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(editor != nullptr && tree.isAncestorOf(editor));
    QTest::keyClicks(editor, QStringLiteral("Offers"));
    tree.renameCurrent(); // the same cell again
    tree.newFolder();
    QTRY_COMPARE(nameOfBids(), "Offers");
    QTRY_COMPARE(data::foldersIn(shelf.library.content(), bids).size(), std::size_t(1));
    shelf.typeInto(&tree, QStringLiteral("Drafts"));
    const auto nameOfNew = [&] { return data::foldersIn(shelf.library.content(), bids).front()->name; };
    QTRY_COMPARE(nameOfNew(), "Drafts");
}

void TestLibraryView::searchFindsNamesTagsAndModels() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha");
    const data::WorkspaceId folder = shelf.library.addFolder(0, QStringLiteral("Tenders"));
    shelf.add("Beta", folder, "llama-3.1-70b-64xp5.48xlarge");
    shelf.library.setTags({a}, {QStringLiteral("draft")});
    const auto search = [&](const QString& words, const QStringList& found) {
        shelf.view->searchField()->setText(words);
        QTRY_COMPARE(shelf.names(), found);
    };
    search(QStringLiteral("alp"), {QStringLiteral("Alpha")});
    search(QStringLiteral("model:llama-3.1-70b"), {QStringLiteral("Beta")});
    search(QStringLiteral("tag:draft"), {QStringLiteral("Alpha")});
    search(QStringLiteral("tenders"), {QStringLiteral("Beta")});
    search(QStringLiteral("nothing of that kind"), {});
    // Escape in the field ends the search and goes back to the table.
    QTest::keyClick(shelf.view->searchField(), Qt::Key_Escape);
    QVERIFY(shelf.view->searchField()->text().isEmpty());
    QTRY_COMPARE(shelf.names(), (QStringList{QStringLiteral("Alpha"), QStringLiteral("Beta")}));
}

void TestLibraryView::deletingAndUndo() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha"), b = shelf.add("Beta");
    shelf.add("Gamma");
    shelf.view->showScenarios({a, b});
    QCOMPARE(shelf.view->chosen().size(), std::size_t(2));
    shelf.view->table()->setFocus();
    QTest::keyClick(shelf.view->table(), Qt::Key_Delete);
    QCOMPARE(shelf.names(), QStringList{QStringLiteral("Gamma")});
    QVERIFY(shelf.library.scenario(a) == nullptr);
    shelf.library.undoStack()->undo();
    QCOMPARE(shelf.names().size(), 3);
    QCOMPARE(shelf.library.scenario(a)->name, "Alpha");
    shelf.library.undoStack()->redo();
    QCOMPARE(shelf.names(), QStringList{QStringLiteral("Gamma")});
}

void TestLibraryView::aFolderGoesWithAllThatIsInIt() {
    Shelf shelf;
    const data::WorkspaceId folder = shelf.library.addFolder(0, QStringLiteral("Tenders"));
    const data::WorkspaceId a = shelf.add("Alpha", folder);
    shelf.choosePlace(QStringLiteral("Tenders"));
    shelf.view->folders()->setFocus();
    QTest::keyClick(shelf.view->folders(), Qt::Key_Delete);
    QVERIFY(shelf.item(QStringLiteral("Tenders")) == nullptr);
    QVERIFY(shelf.library.scenario(a) == nullptr);
    QCOMPARE(shelf.view->folders()->place().kind, LibraryPlace::Kind::all);
    shelf.library.undoStack()->undo();
    QVERIFY(shelf.item(QStringLiteral("Tenders")) != nullptr);
    QCOMPARE(shelf.folderOf(a), folder);
}

void TestLibraryView::keysOfTheTable() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha");
    QSignalSpy opened(shelf.view.get(), &LibraryView::openScenario);
    shelf.chooseRow(a);
    shelf.view->table()->setFocus();
    QTest::keyClick(shelf.view->table(), Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened.front().front().toLongLong(), a);
    QTest::keyClick(shelf.view->table(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(shelf.names(), (QStringList{QStringLiteral("Alpha"), QStringLiteral("Alpha 2")}));
    shelf.chooseRow(a);
    QTest::keyClick(shelf.view->table(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("llama-3.1-8b")));
    QTest::keyClick(shelf.view->table(), Qt::Key_F, Qt::ControlModifier);
    QTRY_VERIFY(shelf.view->searchField()->hasFocus());
}

/// What a notice offers to undo is that change, whatever was done since.
void TestLibraryView::oneChangeIsTakenBackAmongOthers() {
    Shelf shelf;
    const data::WorkspaceId a = shelf.add("Alpha");
    shelf.library.remove({a});
    const std::uint64_t removal = shelf.library.lastChange();
    shelf.add("Beta");
    QVERIFY(shelf.library.takeBack(removal));
    QCOMPARE(shelf.names(), (QStringList{QStringLiteral("Alpha"), QStringLiteral("Beta")}));
    QVERIFY2(!shelf.library.takeBack(removal), "once");
    shelf.library.undoStack()->undo(); // it was a step itself
    QCOMPARE(shelf.names(), QStringList{QStringLiteral("Beta")});
    // The last one is simply undone, and can be done again.
    shelf.add("Gamma");
    const std::uint64_t adding = shelf.library.lastChange();
    QVERIFY(shelf.library.takeBack(adding));
    QCOMPARE(shelf.names(), QStringList{QStringLiteral("Beta")});
    QVERIFY2(!shelf.library.takeBack(adding), "it is undone");
    QVERIFY(shelf.library.undoStack()->canRedo());
    QVERIFY(!shelf.library.takeBack(12'345));
}

void TestLibraryView::samplesAreDuplicated() {
    Shelf shelf;
    shelf.choosePlace(QStringLiteral("Samples"));
    const int samples = shelf.view->table()->model()->rowCount();
    shelf.view->table()->setFocus();
    shelf.view->table()->selectRow(0);
    const QString name = shelf.view->table()->currentIndex().siblingAtColumn(0).data().toString();
    QSignalSpy openedSample(shelf.view.get(), &LibraryView::openSample);
    QTest::keyClick(shelf.view->table(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(openedSample.size(), 0);
    const WorkspaceIds copies = shelf.view->chosen();
    QCOMPARE(copies.size(), std::size_t(1)); // and it is to be seen
    const data::StoredScenario* copy = shelf.library.scenario(copies.front());
    QVERIFY(copy != nullptr);
    QCOMPARE(text(copy->name), name);
    QVERIFY(data::specOf(*copy));
    QSignalSpy opened(shelf.view.get(), &LibraryView::openScenario);
    QTest::keyClick(shelf.view->table(), Qt::Key_Return);
    QCOMPARE(opened.size(), 1);
    QCOMPARE(opened.front().front().toLongLong(), copies.front());
    shelf.choosePlace(QStringLiteral("Samples"));
    QCOMPARE(shelf.view->table()->model()->rowCount(), samples);
}

void TestLibraryView::trashIsListedRestoredAndEmptied() {
    Shelf shelf;
    const data::WorkspaceId folder = shelf.library.addFolder(0, QStringLiteral("Tenders"));
    const data::WorkspaceId inside = shelf.add("Inside", folder), a = shelf.add("Alpha");
    QVERIFY2(shelf.item(QStringLiteral("Trash")) == nullptr, "nothing was deleted yet");
    shelf.library.remove({a});
    shelf.library.remove({folder});
    QCOMPARE(shelf.library.trash().size(), std::size_t(2)); // what lies in the folder goes with it
    shelf.choosePlace(QStringLiteral("Trash"));
    CellTable* list = shelf.view->documents();
    QVERIFY(list->isVisible());
    QCOMPARE(list->model()->rowCount(), 2);
    list->setFocus();
    for (int row = 0; row < 2; ++row)
        if (list->model()->index(row, 0).data().toString() == QStringLiteral("Tenders"))
            list->selectRow(row);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(shelf.folderOf(inside), folder);
    QCOMPARE(list->model()->rowCount(), 1);
    shelf.library.undoStack()->undo();
    QCOMPARE(list->model()->rowCount(), 2);
    shelf.library.undoStack()->redo();

    shelf.view->emptyTrashAction()->trigger();
    QTRY_VERIFY(shelf.view->question() != nullptr);
    QTest::mouseClick(shelf.view->question()->button(QMessageBox::Cancel), Qt::LeftButton);
    QTRY_VERIFY(shelf.view->question() == nullptr);
    QCOMPARE(shelf.library.trash().size(), std::size_t(1));
    shelf.view->emptyTrashAction()->trigger();
    QTRY_VERIFY(shelf.view->question() != nullptr);
    for (QAbstractButton* button : shelf.view->question()->buttons())
        if (shelf.view->question()->buttonRole(button) == QMessageBox::DestructiveRole) {
            QTest::mouseClick(button, Qt::LeftButton);
            break;
        }
    QVERIFY(shelf.library.trash().empty());
    QVERIFY(!shelf.library.content().scenarios.contains(a));
    QVERIFY(shelf.library.scenario(inside) != nullptr);
    QVERIFY(!shelf.library.undoStack()->canUndo());
    QVERIFY(shelf.item(QStringLiteral("Trash")) == nullptr);
}

void TestLibraryView::usedTopologyIsAskedFor() {
    Shelf shelf;
    const WorkspaceIds added = shelf.library.add(
        {Library::NewDocument{data::DocumentKind::topology, QStringLiteral("used"), "{}", "{}"},
         Library::NewDocument{data::DocumentKind::topology, QStringLiteral("free"), "{}", "{}"}},
        QStringLiteral("import"));
    ScenarioSpec spec = test::sampleSpec("llama-3.1-8b-1xp5.4xlarge");
    spec.name = "Placed";
    spec.cluster.topology = "used";
    shelf.library.add({Library::NewScenario{spec, QString(), QStringLiteral("made")}}, 0,
                      QStringLiteral("add"));
    QCOMPARE(shelf.library.topologyUsers("used"), QStringList{QStringLiteral("Placed")});
    QVERIFY(shelf.library.topologyUsers("free").isEmpty());
    shelf.choosePlace(QStringLiteral("Topologies"));
    CellTable* list = shelf.view->documents();
    list->setFocus();
    const auto choose = [&](const QString& name) {
        for (int row = 0; row < list->model()->rowCount(); ++row)
            if (list->model()->index(row, 0).data().toString() == name)
                list->selectRow(row);
    };
    choose(QStringLiteral("free"));
    QTest::keyClick(list, Qt::Key_Delete);
    QVERIFY(shelf.view->question() == nullptr);
    QVERIFY(shelf.library.document(added[1]) == nullptr);
    choose(QStringLiteral("used"));
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_VERIFY(shelf.view->question() != nullptr);
    QVERIFY(shelf.view->question()->informativeText().contains(QStringLiteral("Placed")));
    QVERIFY(shelf.library.document(added[0]) != nullptr);
    QTest::keyClick(shelf.view->question(), Qt::Key_Escape);
    QTRY_VERIFY(shelf.view->question() == nullptr);
    QVERIFY(shelf.library.document(added[0]) != nullptr);
}

void TestLibraryView::renamedRowStaysInView() {
    Shelf shelf;
    data::WorkspaceId last = 0;
    for (int i = 0; i < 60; ++i)
        last = shelf.add(qPrintable(QStringLiteral("Plan %1").arg(i, 2, 10, QLatin1Char('0'))));
    shelf.view->table()->sortByColumn(LibraryModel::name, Qt::AscendingOrder);
    shelf.chooseRow(last);
    QTest::keyClick(shelf.view->table(), Qt::Key_F2);
    shelf.typeInto(shelf.view->table(), QStringLiteral("A first one"));
    const auto place = [&] {
        const auto* order = static_cast<const QAbstractProxyModel*>(shelf.view->table()->model());
        return shelf.view->table()->visualRect(
            order->mapFromSource(shelf.view->model()->index(shelf.view->model()->rowOf(last), 0)));
    };
    QTRY_VERIFY(shelf.view->table()->viewport()->rect().contains(place().center()));
    QCOMPARE(shelf.view->chosen(), WorkspaceIds{last});
}

void TestLibraryView::namesGetTheRoomThereIs() {
    Shelf shelf;
    shelf.add("Alpha");
    const auto width = [&](int column) { return shelf.view->table()->columnWidth(column); };
    const auto all = [&] {
        int sum = 0;
        for (int i = 0; i < LibraryModel::columnCountOfModel; ++i)
            sum += shelf.view->table()->isColumnHidden(i) ? 0 : width(i);
        return sum;
    };
    shelf.view->resize(1800, 700);
    QTRY_COMPARE(all(), shelf.view->table()->viewport()->width());
    const int wide = width(LibraryModel::name);
    shelf.view->resize(1300, 700);
    QTRY_VERIFY(width(LibraryModel::name) < wide);
    QVERIFY(width(LibraryModel::name) >= width(LibraryModel::workload));
    // Widths that a person has given stay.
    shelf.view->table()->horizontalHeader()->resizeSection(LibraryModel::name, 333);
    shelf.view->resize(1700, 700);
    settle();
    QCOMPARE(width(LibraryModel::name), 333);
}

void TestLibraryView::draggedLabelIsSmall() {
    const QSizeF size = scenarioDragPicture(QString(200, QLatin1Char('x')), 2).deviceIndependentSize();
    QVERIFY2(size.width() < 320 && size.height() < 60, qPrintable(QString::number(size.width())));
}

void TestLibraryView::differencesHaveUnitsAndAChange() {
    const ScenarioSpec then = test::sampleSpec("llama-3.1-405b-2048xp5.48xlarge");
    ScenarioSpec now = then;
    now.workload.sequenceLength = *then.workload.sequenceLength * 2;
    const QList<FieldDifference> all = differencesOf(then, now);
    QCOMPARE(all.size(), 1);
    QVERIFY2(all.first().now.contains(QLatin1Char(',')) && all.first().now.contains(QStringLiteral("tokens")),
             qPrintable(all.first().now));
    QCOMPARE(all.first().change, QStringLiteral("+100 %"));
}

QTEST_MAIN(TestLibraryView)

} // namespace tst_library

#include "tst_library.moc"
