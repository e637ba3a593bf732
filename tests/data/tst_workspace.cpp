// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_workspace.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace tst_workspace {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;
using Kind = WorkspaceFault::Kind;

/// The file: what goes in comes out, who may write, what is refused.
class TestWorkspace : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_.emplace(); }

    void everythingIsThereAgain() {
        std::string before;
        WorkspaceContent content;
        {
            auto opening = opened(file());
            fillSample(opening);
            before = everything(*opening.workspace);
            content = opening.content;
            QVERIFY(!opening.workspace->isReadOnly());
        }
        auto again = opened(file());
        QVERIFY(again.content == content);
        QCOMPARE(everything(*again.workspace), before);
        QVERIFY(before.find("team 5") != std::string::npos);
        QVERIFY(!again.workspace->verify());
        QVERIFY(again.notice.empty());
    }

    void memoryAndFileAgreeAfterUndo() {
        auto opening = opened(file());
        fillSample(opening);
        const WorkspaceContent before = opening.content;
        const WorkspaceId folder = before.folders.begin()->first;
        const WorkspaceEdit edit = remove(opening.content, folder, 5);
        const auto undo = apply(opening.content, edit);
        QVERIFY(bool(undo));
        QVERIFY(!opening.workspace->apply(edit));
        QVERIFY(foldersIn(opening.content, 0).empty());
        QVERIFY(opening.workspace->content().value == opening.content);
        commit(opening, *undo);
        QVERIFY(opening.content == before);
        QVERIFY(opening.workspace->content().value == before);
    }

    void historyIsPrunedButNamedVersionsStay() {
        auto opening = opened(file(), {.versionsKept = 5});
        const WorkspaceEdit added = addScenario(opening.content, 0, numberedSpec(0), "Plan", "New", 1000);
        commit(opening, added);
        const WorkspaceId id = addedId(added);
        for (int number = 1; number <= 20; ++number) {
            commit(opening, changeScenario(opening.content, id, numberedSpec(number), "Edit", 1000 + number));
            if (number == 2 || number == 9)
                commit(opening, nameVersion(opening.content, id, "Named"));
        }
        const auto versions = opening.workspace->versions(id);
        QVERIFY(bool(versions));
        std::vector<std::int64_t> numbers;
        for (const ScenarioVersion& version : *versions.value)
            numbers.push_back(version.number);
        QCOMPARE(numbers, (std::vector<std::int64_t>{3, 10, 17, 18, 19, 20, 21}));
        QCOMPARE(versions.value->back().json, opening.content.scenarios.at(id).json);
        QVERIFY(!opening.workspace->verify());

        // Without its name an old version goes with the next edit.
        commit(opening, {{NameVersion{id, 3, ""}}});
        commit(opening, changeScenario(opening.content, id, numberedSpec(30), "Edit", 2000));
        QCOMPARE(opening.workspace->versions(id).value->front().number, 10);
    }

    void purgeTakesHistoryAndBodyAlong() {
        auto opening = opened(file());
        fillSample(opening);
        const WorkspaceId measurement = documentsOf(opening.content, DocumentKind::measurement).front()->id;
        commit(opening, remove(opening.content, measurement, 10));
        commit(opening, remove(opening.content, opening.content.folders.begin()->first, 20));
        commit(opening, purgeDeleted(opening.content, 1'760'000'000'000));
        QVERIFY(opening.content.folders.empty());
        QCOMPARE(opening.content.scenarios.size(), 1u);
        QVERIFY(!opening.content.documents.contains(measurement));
        QVERIFY(!opening.workspace->verify());
        QVERIFY(opening.workspace->content().value == opening.content);
    }

    void contradictionsAreRefusedAndChangeNothing() {
        auto opening = opened(file());
        fillSample(opening);
        WorkspaceContent content = opening.content;
        const Folder outer = *foldersIn(content, 0).front();
        Folder inItself = outer;
        inItself.parent = foldersIn(content, outer.id).front()->id;
        StoredScenario lost = *scenariosIn(content, outer.id).front();
        lost.folder = 4711;
        StoredScenario broken = *scenariosIn(content, outer.id).front();
        broken.name = std::string(1, '\xff');
        const std::vector<WorkspaceEdit> wrong{
            {{PutSetting{"a", "b"}, PutFolder{inItself}}},
            {{PutSetting{"zoom", std::nullopt}, PutScenario{lost}}},
            {{PutScenario{broken}}},
            {{Purge{outer.id}}},
            {{NameVersion{lost.id, 99, "x"}}},
            {{AddVersion{
                {.scenario = lost.id, .number = 1, .timeMs = 1, .text = "x", .name = {}, .json = "{}"}}}},
        };
        for (const WorkspaceEdit& edit : wrong) {
            const auto undo = apply(content, edit);
            QVERIFY(!undo);
            QVERIFY2(undo.error().find("; ") != std::string::npos, undo.error().c_str());
            QVERIFY(content == opening.content);
        }
    }

    void secondWindowIsToldAndReadsOnly() {
        auto first = opened(file());
        fillSample(first);
        auto second = opened(file());
        QVERIFY(second.workspace->isReadOnly());
        QVERIFY2(second.notice.find("another window (process ") != std::string::npos, second.notice.c_str());
        QVERIFY(second.content == first.content);
        const auto fault = second.workspace->apply({{PutSetting{"a", "b"}}});
        QVERIFY(fault.has_value());
        QCOMPARE(fault->kind, Kind::readOnly);

        // The first one goes on, the second one can look again, and takes over once the first has closed.
        commit(first, {{PutSetting{"a", "c"}}});
        QCOMPARE(second.workspace->content().value->settings.at("a"), "c");
        second.workspace.reset();
        first.workspace.reset();
        QVERIFY(!opened(file()).workspace->isReadOnly());
        QCOMPARE(names(), QStringList{QStringLiteral("w.alidade")});
    }

    void lockThatACrashHasLeftIsTakenOver() {
        opened(file()).workspace.reset();
        writeBytes(path(".w.alidade.lock"), "process 1 on elsewhere\n");
        const auto opening = opened(file());
        QVERIFY(!opening.workspace->isReadOnly());
        QVERIFY(opening.notice.empty());
    }

    void lockHoldsThroughALink() {
        auto first = opened(file());
        QVERIFY(QFile::link(QString::fromStdString(file()), QString::fromStdString(path("link.alidade"))));
        auto second = opened(path("link.alidade"));
        QVERIFY(second.workspace->isReadOnly());
        QCOMPARE(second.workspace->file(), first.workspace->file());
    }

    void readingTakesNoLockAndMakesNoFile() {
        QCOMPARE(Workspace::open(file(), {.access = WorkspaceOptions::Access::read}).fault->kind,
                 Kind::missing);
        QVERIFY(names().isEmpty());
        auto writer = opened(file());
        fillSample(writer);
        auto reader = opened(file(), {.access = WorkspaceOptions::Access::read});
        QVERIFY(reader.notice.empty());
        commit(writer, {{PutSetting{"a", "b"}}});
        QVERIFY(reader.workspace->content().value == writer.content);
    }

    void movedOrReplacedFileIsNotWrittenTo() {
        auto opening = opened(file());
        fillSample(opening);
        const QString name = QString::fromStdString(file());
        const QString away = QString::fromStdString(path("away"));
        QVERIFY(QFile::rename(name, away));
        const WorkspaceEdit edit{{PutSetting{"a", "b"}}};
        auto fault = opening.workspace->apply(edit);
        QVERIFY(fault.has_value());
        QCOMPARE(fault->kind, Kind::replaced);
        QVERIFY(
            !opened(path("away"), {.access = WorkspaceOptions::Access::read}).content.settings.contains("a"));

        // Another file in its place.
        writeBytes(path("other"), readBytes(path("away")));
        {
            auto other = opened(path("other"));
            commit(other, {{PutSetting{"other", "1"}}});
        }
        QVERIFY(QFile::rename(QString::fromStdString(path("other")), name));
        fault = opening.workspace->apply(edit);
        QVERIFY(fault.has_value());
        QCOMPARE(fault->kind, Kind::replaced);
        QVERIFY(fault->message.starts_with(file() + ": "));
        QVERIFY(QFile::remove(name));
        fault = opening.workspace->apply(edit);
        QVERIFY(fault.has_value());

        // Put back, the same edit goes through.
        QVERIFY(QFile::rename(away, name));
        commit(opening, edit);
        opening.workspace.reset();
        QCOMPARE(opened(file()).content.settings.at("a"), "b");
    }

    void copyIsWholeAndReplacesNothing() {
        auto opening = opened(file());
        fillSample(opening);
        QVERIFY(!opening.workspace->copyTo(path("copy.alidade")));
        auto copy = opened(path("copy.alidade"));
        QCOMPARE(everything(*copy.workspace), everything(*opening.workspace));
        const auto fault = opening.workspace->copyTo(path("copy.alidade"));
        QVERIFY(fault.has_value());
        QVERIFY(fault->message.find("already") != std::string::npos);
        commit(opening, {{PutSetting{"still", "works"}}});
    }

    void whatIsNoWorkspaceIsLeftAlone_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("text") << QByteArray("{\"alidade\": 1}");
        QTest::newRow("long text") << QByteArray(5000, 'x');
        QTest::newRow("zeros") << QByteArray(8192, '\0');
    }
    void whatIsNoWorkspaceIsLeftAlone() {
        QFETCH(QByteArray, bytes);
        writeBytes(path("other.json"), bytes.toStdString());
        const auto opening = Workspace::open(path("other.json"));
        QVERIFY(opening.fault.has_value());
        QCOMPARE(opening.fault->kind, Kind::notWorkspace);
        QVERIFY(opening.fault->message.find("; ") != std::string::npos);
        QCOMPARE(readBytes(path("other.json")), bytes.toStdString());
        QCOMPARE(names(), QStringList{QStringLiteral("other.json")});
    }

    void foldersAndMissingPlaces() {
        QCOMPARE(Workspace::open(dir_->path().toStdString()).fault->kind, Kind::notWorkspace);
        QCOMPARE(Workspace::open(path("no/w.alidade")).fault->kind, Kind::missing);
        QCOMPARE(Workspace::open(file(), {.access = WorkspaceOptions::Access::write}).fault->kind,
                 Kind::missing);
    }

private:
    std::string path(const char* name) const {
        return dir_->filePath(QString::fromLatin1(name)).toStdString();
    }
    std::string file() const { return path("w.alidade"); }
    QStringList names() const {
        return QDir(dir_->path()).entryList(QDir::Files | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    std::optional<QTemporaryDir> dir_;
};

QTEST_APPLESS_MAIN(TestWorkspace)

} // namespace tst_workspace

#include "tst_workspace.moc"
