// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/workspace_writer.h"
#include "sample_workspace.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace tst_workspace_writer {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

/// The writer: content at once, the disk in its own time, nothing lost where it fails.
class TestWorkspaceWriter : public QObject {
    Q_OBJECT

private slots:
    void init() {
        dir_.emplace();
        writer_.emplace();
    }
    void cleanup() { writer_.reset(); }

    void acknowledgementComesInOrderAndContentAtOnce() {
        open("w.alidade");
        std::vector<int> order;
        for (int number = 0; number < 5; ++number) {
            const WorkspaceEdit edit =
                addScenario(writer_->content(), 0, numberedSpec(number), "Plan", "New", 1000);
            QVERIFY(bool(writer_->commit(edit, [&order, number] { order.push_back(number); })));
            QCOMPARE(writer_->content().scenarios.size(), static_cast<std::size_t>(number) + 1);
        }
        QCOMPARE(writer_->pending(), 5u);
        QVERIFY(order.empty());
        settle();
        QCOMPARE(order, (std::vector<int>{0, 1, 2, 3, 4}));
        QVERIFY(opened(path("w.alidade"), {.access = WorkspaceOptions::Access::read}).content ==
                writer_->content());
    }

    void undoOfWhatWasRefusedIsNone() {
        open("w.alidade");
        const auto refused = writer_->commit({{Purge{17}}});
        QVERIFY(!refused);
        QCOMPARE(writer_->pending(), 0u);
        const auto undo = writer_->commit(addFolder(writer_->content(), 0, "A", 1000));
        QVERIFY(bool(undo));
        const auto redo = writer_->commit(*undo);
        QVERIFY(foldersIn(writer_->content(), 0).empty());
        QVERIFY(bool(writer_->commit(*redo)));
        QCOMPARE(foldersIn(writer_->content(), 0).size(), 1u);
    }

    void endWaitsForTheDisk() {
        open("w.alidade");
        for (int number = 0; number < 6; ++number)
            QVERIFY(bool(writer_->commit({{PutSetting{"number", std::to_string(number)}}})));
        writer_.reset();
        QCOMPARE(opened(path("w.alidade")).content.settings.at("number"), "5");
    }

    void failureKeepsContentAndRetryGoesOn() {
        open("w.alidade");
        QVERIFY(bool(writer_->commit({{PutSetting{"a", "1"}}})));
        settle();
        moveFile("w.alidade", "away");
        QSignalSpy failures(&*writer_, &WorkspaceWriter::failed);
        bool acknowledged = false;
        QVERIFY(bool(writer_->commit({{PutSetting{"a", "2"}}}, [&acknowledged] { acknowledged = true; })));
        QVERIFY(bool(writer_->commit({{PutSetting{"b", "3"}}})));
        QTRY_COMPARE(failures.size(), 1);
        QVERIFY(writer_->fault().has_value());
        QCOMPARE(writer_->fault()->kind, WorkspaceFault::Kind::replaced);
        QCOMPARE(writer_->pending(), 2u);
        QCOMPARE(writer_->content().settings.at("b"), "3");
        QVERIFY(!acknowledged);

        writer_->retry();
        QTRY_COMPARE(failures.size(), 2); // it is still away
        moveFile("away", "w.alidade");
        writer_->retry();
        settle();
        QVERIFY(acknowledged);
        QVERIFY(!writer_->fault().has_value());
        QVERIFY(opened(path("w.alidade"), {.access = WorkspaceOptions::Access::read}).content ==
                writer_->content());
    }

    void copyGoesOnWhereTheFileIsGone() {
        open("w.alidade");
        const WorkspaceEdit added = addScenario(writer_->content(), 0, numberedSpec(1), "Plan", "New", 1000);
        QVERIFY(bool(writer_->commit(added)));
        settle();
        moveFile("w.alidade", "away");
        QSignalSpy failures(&*writer_, &WorkspaceWriter::failed);
        QVERIFY(bool(writer_->commit(
            changeScenario(writer_->content(), addedId(added), numberedSpec(2), "Batch 65 to 66", 2000))));
        QTRY_COMPARE(failures.size(), 1);
        QVERIFY(moved("b.alidade").empty());
        settle();
        QCOMPARE(writer_->file(), path("b.alidade"));
        QVERIFY(bool(writer_->commit({{PutSetting{"c", "1"}}})));
        settle();
        const auto versions = read<std::vector<ScenarioVersion>>(
            [&](auto then) { writer_->readVersions(addedId(added), then); });
        QVERIFY(bool(versions));
        QCOMPARE(versions.value->back().text, "Batch 65 to 66");
        QVERIFY(opened(path("b.alidade"), {.access = WorkspaceOptions::Access::read}).content ==
                writer_->content());
    }

    void copyHasHistoryAndBodies() {
        open("w.alidade");
        const WorkspaceEdit added = addScenario(writer_->content(), 0, numberedSpec(1), "Plan", "New", 1000);
        QVERIFY(bool(writer_->commit(added)));
        const WorkspaceEdit log =
            addDocument(writer_->content(), DocumentKind::measurement, "log", "{}", "the log", 1000);
        QVERIFY(bool(writer_->commit(log)));
        QString message = QStringLiteral("none");
        writer_->copyTo(path("copy.alidade"), [&](const auto& fault) {
            message = fault ? QString::fromStdString(fault->message) : QString();
        });
        QTRY_COMPARE(message, QString());
        auto copy = opened(path("copy.alidade"));
        QVERIFY(copy.content == writer_->content());
        QCOMPARE(copy.workspace->versions(addedId(added)).value->size(), 1u);
        QCOMPARE(*copy.workspace->body(addedId(log)).value, "the log");
        QVERIFY(!moved("copy.alidade").empty()); // that name is taken
        QCOMPARE(writer_->file(), path("w.alidade"));
    }

    void editsBeforeAnotherFileGoIntoTheFirst() {
        open("a.alidade");
        for (int number = 0; number < 4; ++number)
            QVERIFY(bool(writer_->commit({{PutSetting{"number", std::to_string(number)}}})));
        bool there = false;
        writer_->open(path("b.alidade"), {}, [&](const auto& fault) { there = !fault; });
        QVERIFY(bool(writer_->commit({{PutSetting{"last", "1"}}})));
        QTRY_VERIFY(there);
        QVERIFY(writer_->content().settings.empty());
        QVERIFY(bool(writer_->commit({{PutSetting{"second", "1"}}})));
        settle();
        const auto a = opened(path("a.alidade"));
        QCOMPARE(a.content.settings.at("number"), "3");
        QVERIFY(a.content.settings.contains("last"));
        QVERIFY(!a.content.settings.contains("second"));
    }

    void fileThatCannotBeOpenedChangesNothing() {
        open("w.alidade");
        writeBytes(path("other"), "something else");
        QVERIFY(!openError("other").empty());
        QCOMPARE(writer_->file(), path("w.alidade"));
        QVERIFY(bool(writer_->commit({{PutSetting{"a", "1"}}})));
        settle();
    }

    void readOnlyRefusesAtOnce() {
        auto first = opened(path("w.alidade"));
        open("w.alidade");
        QVERIFY(writer_->isReadOnly());
        QVERIFY(!writer_->notice().empty());
        QVERIFY(!writer_->commit({{PutSetting{"a", "1"}}}));
        QVERIFY(writer_->content().settings.empty());
        first.workspace.reset();
        bool there = false;
        writer_->reopen([&](const auto& fault) { there = !fault; });
        QTRY_VERIFY(there);
        QVERIFY(!writer_->isReadOnly());
    }

private:
    std::string path(const char* name) const {
        return dir_->filePath(QString::fromLatin1(name)).toStdString();
    }

    std::string openError(const char* name) {
        bool done = false;
        std::string message;
        writer_->open(path(name), {}, [&](const auto& fault) {
            done = true;
            message = fault ? fault->message : std::string();
        });
        const bool answered = QTest::qWaitFor([&] { return done; });
        return answered ? message : "no answer";
    }
    void open(const char* name) { QCOMPARE(openError(name), std::string()); }

    std::string moved(const char* name) {
        bool done = false;
        std::string message;
        writer_->moveTo(path(name), [&](const auto& fault) {
            done = true;
            message = fault ? fault->message : std::string();
        });
        return QTest::qWaitFor([&] { return done; }) ? message : "no answer";
    }

    template <class T, class Start>
    WorkspaceReply<T> read(Start start) {
        std::optional<WorkspaceReply<T>> out;
        start([&out](const WorkspaceReply<T>& reply) { out = reply; });
        (void)QTest::qWaitFor([&] { return out.has_value(); });
        return out.value_or(WorkspaceReply<T>{});
    }

    void moveFile(const char* from, const char* to) {
        QVERIFY(QFile::rename(QString::fromStdString(path(from)), QString::fromStdString(path(to))));
    }
    void settle() { QTRY_COMPARE(writer_->pending(), 0u); }

    std::optional<QTemporaryDir> dir_;
    std::optional<WorkspaceWriter> writer_;
};

QTEST_GUILESS_MAIN(TestWorkspaceWriter)

} // namespace tst_workspace_writer

#include "tst_workspace_writer.moc"
