// SPDX-License-Identifier: GPL-3.0-or-later
#include "faulty_disk.h"
#include "sample_workspace.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <sqlite3.h>
#include <sys/resource.h>

namespace tst_workspace_disk {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;
using Kind = WorkspaceFault::Kind;

namespace {

/// What the connections that are opened in the meantime have done.
struct Work {
    int statements = 0;
    long steps = 0; ///< of SQLite's virtual machine
};
Work work;

int countWork(unsigned, void*, void* statement, void*) {
    ++work.statements;
    work.steps += sqlite3_stmt_status(static_cast<sqlite3_stmt*>(statement), SQLITE_STMTSTATUS_VM_STEP, 0);
    return 0;
}

int watchConnection(sqlite3* database, const char**, const struct sqlite3_api_routines*) {
    return sqlite3_trace_v2(database, SQLITE_TRACE_PROFILE, countWork, nullptr);
}

} // namespace

/// A disk that is full, may not be written, or goes away; and work that does not grow with what is stored.
class TestWorkspaceDisk : public QObject {
    Q_OBJECT

private slots:
    void init() {
        dir_.emplace();
        auto opening = opened(file());
        fillSample(opening);
    }

    void fullDiskKeepsTheOldStateAndMayBeTriedAgain() {
        FaultyDisk disk;
        auto opening = opened(file(), {.vfs = FaultyDisk::name});
        const std::string before = everything(*opening.workspace);
        const WorkspaceEdit large = addDocument(opening.content, DocumentKind::snapshot, "Large", "{}",
                                                std::string(100'000, 'x'), 5000);
        disk.full = true;
        const auto fault = opening.workspace->apply(large);
        QVERIFY(fault.has_value());
        QCOMPARE(fault->kind, Kind::full);
        QVERIFY2(fault->message.starts_with(file() + ": ") &&
                     fault->message.find("; make room") != std::string::npos,
                 fault->message.c_str());
        QCOMPARE(everything(*opening.workspace), before);
        disk.full = false;
        commit(opening, large);
        QVERIFY(!opening.workspace->verify());
        QVERIFY(opening.workspace->content().value == opening.content);
    }

    void limitOfTheSystemIsAFullDisk() {
        auto opening = opened(file());
        const auto formerSignal = std::signal(SIGXFSZ, SIG_IGN);
        rlimit former{};
        QCOMPARE(::getrlimit(RLIMIT_FSIZE, &former), 0);
        rlimit small = former;
        small.rlim_cur = readBytes(file()).size() + 8192;
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &small), 0);
        const WorkspaceEdit large = addDocument(opening.content, DocumentKind::snapshot, "Large", "{}",
                                                std::string(100'000, 'x'), 5000);
        const auto fault = opening.workspace->apply(large);
        const auto copy = opening.workspace->copyTo(path("copy.alidade"));
        ::setrlimit(RLIMIT_FSIZE, &former);
        std::signal(SIGXFSZ, formerSignal);
        QVERIFY(fault.has_value());
        QCOMPARE(fault->kind, Kind::full);
        commit(opening, large);
        QVERIFY(!copy.has_value()); // that one fits
    }

    void folderThatMayNotBeWritten() {
        // Whoever runs this may be allowed everything, so the file layer says no.
        FaultyDisk disk;
        disk.noNewFiles = true;
        auto opening = opened(file(), {.vfs = FaultyDisk::name});
        const auto fault = opening.workspace->apply({{PutSetting{"a", "b"}}});
        QVERIFY(fault.has_value());
        QVERIFY2(fault->message.find("its folder") != std::string::npos, fault->message.c_str());
        disk.noNewFiles = false;
        commit(opening, {{PutSetting{"a", "b"}}});

        disk.noNewFiles = true;
        const auto created = Workspace::open(path("new.alidade"), {.vfs = FaultyDisk::name});
        QVERIFY(created.fault.has_value());
        QVERIFY(created.fault->message.find("cannot be made") != std::string::npos);
    }

    void diskThatGoesAwayAndComesBack() {
        FaultyDisk disk;
        auto opening = opened(file(), {.vfs = FaultyDisk::name});
        disk.failing = true;
        const WorkspaceEdit edit{{PutSetting{"a", "b"}}};
        for (int attempt = 0; attempt < 3; ++attempt) {
            const auto fault = opening.workspace->apply(edit);
            QVERIFY(fault.has_value());
            QCOMPARE(fault->kind, Kind::io);
        }
        QVERIFY(!opening.workspace->content());
        disk.failing = false;
        commit(opening, edit);
        QVERIFY(opening.workspace->content().value == opening.content);
    }

    void everyOperationMayFailOnce() {
        const std::string bytes = readBytes(file());
        const WorkspaceEdit edit{{PutSetting{"a", "b"}, PutSetting{"large", std::string(20'000, 'x')}}};
        for (int at = 1;; ++at) {
            writeBytes(file(), bytes);
            FaultyDisk disk;
            auto opening = opened(file(), {.vfs = FaultyDisk::name});
            disk.cutAt = disk.operations + at;
            const auto fault = opening.workspace->apply(edit);
            const bool wasCut = disk.isCut();
            disk.cutAt = -1; // back again, unlike after a loss of power
            if (!wasCut) {
                QVERIFY(at > 5);
                break;
            }
            // It may have been done all the same; made again it is the same.
            if (fault)
                QVERIFY2(!opening.workspace->apply(edit), "the second try");
            QCOMPARE(opening.workspace->content().value->settings.at("a"), "b");
            QVERIFY(!opening.workspace->verify());
        }
    }

    void journalOfACrashIsPlayedBackForAReaderToo() {
        const std::string bytes = readBytes(file());
        std::string before;
        std::map<std::string, std::string> image;
        // The journal is whole, and some of the pages are written.
        for (int at = 1; !image.contains(file() + "-journal") || image.at(file()) == bytes; ++at) {
            QVERIFY(at < 100);
            writeBytes(file(), bytes);
            FaultyDisk disk;
            auto opening = opened(file(), {.vfs = FaultyDisk::name});
            before = everything(*opening.workspace);
            disk.cutAt = disk.operations + at;
            (void)opening.workspace->apply({{PutSetting{"a", std::string(50'000, 'x')}}});
            std::mt19937_64 random(1);
            image = disk.afterPowerLoss(random);
        }
        for (const auto& [name, content] : image)
            writeBytes(name, content);
        auto reader = opened(file(), {.access = WorkspaceOptions::Access::read});
        QCOMPARE(everything(*reader.workspace), before);
        QCOMPARE(readBytes(file()), image.at(file())); // it was not the reader's to change
        reader.workspace.reset();
        auto writer = opened(file());
        QCOMPARE(everything(*writer.workspace), before);
    }

    void workDoesNotGrowWithTheHistory() {
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
        auto opening = opened(path("long.alidade"), {.versionsKept = 20'000});
        sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
        const WorkspaceEdit added = addScenario(opening.content, 0, numberedSpec(0), "Plan", "New", 1000);
        commit(opening, added);
        const WorkspaceId id = addedId(added);
        const auto workOfAnEdit = [&] {
            const WorkspaceEdit edit = changeScenario(opening.content, id, numberedSpec(1), "Edit", 2000);
            work = {};
            commit(opening, edit);
            return work;
        };
        const auto extend = [&](int entries) {
            WorkspaceEdit many;
            WorkspaceContent content = opening.content;
            for (int i = 0; i < entries; ++i) {
                const WorkspaceEdit edit = changeScenario(content, id, numberedSpec(i), "Edit", 3000 + i);
                QVERIFY(bool(apply(content, edit)));
                many = joined(std::move(many), edit);
            }
            commit(opening, many);
        };
        extend(10);
        const Work few = workOfAnEdit();
        QVERIFY(few.statements > 5);
        extend(10'000);
        const Work many = workOfAnEdit();
        QCOMPARE(opening.workspace->versions(id).value->size(), 10'013u);
        QCOMPARE(many.statements, few.statements);
        QVERIFY2(many.steps < 2 * few.steps, qPrintable(QString::number(many.steps)));

        // Reading them is one statement for all, not one for each.
        work = {};
        QVERIFY(bool(opening.workspace->versions(id)));
        QVERIFY(work.statements < 10);

        // And so is an edit that drops the oldest one.
        opening.workspace.reset();
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
        opening = opened(path("long.alidade"), {.versionsKept = 10'013});
        sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watchConnection));
        const Work pruning = workOfAnEdit();
        QVERIFY(pruning.statements < few.statements + 5);
        QVERIFY2(pruning.steps < 3 * few.steps, qPrintable(QString::number(pruning.steps)));
    }

private:
    std::string path(const char* name) const {
        return dir_->filePath(QString::fromLatin1(name)).toStdString();
    }
    std::string file() const { return path("w.alidade"); }

    std::optional<QTemporaryDir> dir_;
};

QTEST_APPLESS_MAIN(TestWorkspaceDisk)

} // namespace tst_workspace_disk

#include "tst_workspace_disk.moc"
