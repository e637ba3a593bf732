// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample_workspace.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

namespace tst_workspace_shared {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

/// A workspace that several open at a time.
class TestWorkspaceShared : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_.emplace(); }

    void readerBesideAWriterSeesWholeStates() {
        auto writing = opened(path("plans.alidade"));
        fillSample(writing);
        std::atomic<bool> stop = false;
        std::atomic<int> edits = 0;
        std::thread writer([&] { // the file grows and shrinks all the time
            for (int i = 0; !stop; ++i) {
                commit(writing, {{PutSetting{"large", i % 2 == 0 ? std::optional(std::string(200'000, 'x'))
                                                                 : std::nullopt}}});
                ++edits;
                std::this_thread::sleep_for(
                    std::chrono::milliseconds(3)); // as edits come: not one upon the other
            }
        });
        std::string fault;
        for (int reading = 0; fault.empty() && (reading < 15 || edits < 15); ++reading) {
            auto opening = Workspace::open(path("plans.alidade"), {.access = WorkspaceOptions::Access::read});
            if (opening.fault && opening.fault->kind == WorkspaceFault::Kind::busy)
                continue; // said as what it is
            if (opening.fault)
                fault = opening.fault->message;
            else if (const auto content = opening.workspace->content(); !content)
                fault = content.fault.message;
        }
        stop = true;
        writer.join();
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void otherNameOfAFileHasTheSameLock() {
        QDir(dir_->path()).mkdir(QStringLiteral("folder"));
        const std::string file = path("plans.alidade"), other = path("folder/other.alidade");
        auto first = opened(file); // made here, so that the lock is older than the file
        std::filesystem::create_hard_link(file, other);
        for (int round = 0; round < 2; ++round) {
            {
                const auto second = opened(other);
                QVERIFY(second.workspace->isReadOnly());
                QVERIFY2(second.notice.find("under another name") != std::string::npos,
                         second.notice.c_str());
                QVERIFY(second.workspace->content().value == first.content);
            }
            commit(first, {{PutSetting{"a", std::to_string(round)}}});
            first.workspace.reset();
            first = opened(round == 0 ? file : other);
            QVERIFY(!first.workspace->isReadOnly());
        }
        QCOMPARE(
            QDir(dir_->path()).entryList(QDir::Files | QDir::Hidden).filter(QStringLiteral(".lock")).size(),
            0);
    }

private:
    std::string path(const char* name) const {
        return dir_->filePath(QString::fromLatin1(name)).toStdString();
    }
    std::optional<QTemporaryDir> dir_;
};

QTEST_GUILESS_MAIN(TestWorkspaceShared)

} // namespace tst_workspace_shared

#include "tst_workspace_shared.moc"
