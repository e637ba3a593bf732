// SPDX-License-Identifier: GPL-3.0-or-later
// ctest: slow
#include "faulty_disk.h"
#include "sample_workspace.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

namespace tst_workspace_power {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;

namespace {

constexpr int editsOfARun = 6;
constexpr UtcMs start = 1'760'000'000'000;

/// Each edit touches several tables, and a large body now and then, so that half of one would show.
WorkspaceEdit edit(const WorkspaceContent& content, int number) {
    const WorkspaceId scenario = content.scenarios.rbegin()->first;
    WorkspaceEdit out =
        changeScenario(content, scenario, numberedSpec(1000 + number), "Edit", start + number);
    out.changes.emplace_back(PutSetting{"number", std::to_string(number)});
    if (number % 2 == 1)
        out = joined(std::move(out),
                     addDocument(content, DocumentKind::snapshot, "S", "{}",
                                 std::string(30'000, static_cast<char>('a' + number % 26)), start + number));
    return out;
}

} // namespace

/// What was acknowledged survives the end of the process and of the power; what was not is there wholly or
/// not at all.
class TestWorkspacePower : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto opening = opened(file("start"));
        fillSample(opening);
        opening.workspace.reset();
        bytes_ = readBytes(file("start"));

        auto run = opened(file("start"));
        expected_.push_back(everything(*run.workspace));
        for (int number = 1; number <= editsOfARun; ++number) {
            commit(run, edit(run.content, number));
            expected_.push_back(everything(*run.workspace));
        }
    }

    void lossOfPower() {
        std::mt19937_64 random(20261122);
        const int whole = operationsOfARun();
        QVERIFY(whole > 50);
        int before = 0;
        int after = 0;
        int rolledBack = 0;
        for (int cut = 0; cut < 200; ++cut) {
            std::map<std::string, std::string> image;
            int acknowledged = 0;
            {
                FaultyDisk disk;
                disk.cutAt = 1 + static_cast<int>(random() % static_cast<std::uint64_t>(whole));
                writeBytes(file("cut"), bytes_);
                acknowledged = run(file("cut"));
                image = disk.afterPowerLoss(random);
            }
            place(image);
            rolledBack += static_cast<int>(image.contains(file("cut") + "-journal"));
            if (cut % 3 == 0 && image.contains(file("cut") + "-journal")) { // and again while it is put right
                FaultyDisk disk;
                disk.cutAt = 1 + static_cast<int>(random() % 12);
                (void)Workspace::open(file("cut"), {.vfs = FaultyDisk::name});
                image = disk.afterPowerLoss(random);
                place(image);
            }
            auto found = Workspace::open(file("cut"));
            QVERIFY2(!found.fault, found.fault ? found.fault->message.c_str() : "");
            QVERIFY(!found.workspace->verify());
            const std::string text = everything(*found.workspace);
            const bool isAcknowledged = text == expected_[static_cast<std::size_t>(acknowledged)];
            const bool isNext =
                acknowledged < editsOfARun && text == expected_[static_cast<std::size_t>(acknowledged) + 1];
            QVERIFY2(isAcknowledged || isNext,
                     qPrintable(QStringLiteral("cut %1 after %2 edits").arg(cut).arg(acknowledged)));
            before += static_cast<int>(isAcknowledged);
            after += static_cast<int>(isNext);
            found.workspace.reset();
            clear("cut");
        }
        qInfo("%d without the unfinished edit, %d with it, %d with a journal to play back", before, after,
              rolledBack);
        QVERIFY(rolledBack > 20);
    }

    void killInTheMiddle() {
        std::mt19937_64 random(4711);
        int edits = 0;
        for (int kill = 0; kill < 200; ++kill) {
            writeBytes(file("kill"), bytes_);
            int ends[2];
            QCOMPARE(::pipe(ends), 0);
            const pid_t child = ::fork();
            QVERIFY(child >= 0);
            if (child == 0) {
                ::close(ends[0]);
                editUntilKilled(file("kill"), ends[1]);
            }
            ::close(ends[1]);
            // From the first acknowledgement on, so that each of them dies in the middle of its work.
            char byte = 0;
            int acknowledged = static_cast<int>(::read(ends[0], &byte, 1));
            ::usleep(static_cast<useconds_t>(random() % 60'000));
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            while (::read(ends[0], &byte, 1) == 1)
                ++acknowledged;
            ::close(ends[0]);

            auto found = Workspace::open(file("kill"));
            QVERIFY2(!found.fault, found.fault ? found.fault->message.c_str() : "");
            QVERIFY(!found.workspace->isReadOnly()); // the lock ended with the process
            QVERIFY(!found.workspace->verify());
            const auto versions = found.workspace->versions(found.content.scenarios.rbegin()->first);
            QVERIFY(bool(versions));
            const auto setting = found.content.settings.find("number");
            const int number = setting == found.content.settings.end() ? 0 : std::stoi(setting->second);
            QVERIFY2(number == acknowledged || number == acknowledged + 1,
                     qPrintable(QStringLiteral("%1 acknowledged, %2 found").arg(acknowledged).arg(number)));
            QCOMPARE(versions.value->size(), historyAtStart_ + static_cast<std::size_t>(number));
            QCOMPARE(versions.value->back().json, found.content.scenarios.rbegin()->second.json);
            edits += acknowledged;
            found.workspace.reset();
            clear("kill");
        }
        qInfo("%d acknowledged edits", edits);
        QVERIFY(edits > 200);
    }

    void init() {
        const auto opening = opened(file("start"), {.access = WorkspaceOptions::Access::read});
        WorkspaceContent content = opening.content;
        historyAtStart_ = static_cast<std::size_t>(content.scenarios.rbegin()->second.version) - editsOfARun;
    }

private:
    std::string file(const char* name) const {
        return dir_.filePath(QString::fromLatin1(name)).toStdString() + ".alidade";
    }
    void clear(const char* name) {
        for (const QString& each :
             QDir(dir_.path()).entryList({QString::fromLatin1(name) + u'*'}, QDir::Files | QDir::Hidden)) {
            QFile::remove(dir_.filePath(each));
        }
    }
    void place(const std::map<std::string, std::string>& image) {
        clear("cut");
        for (const auto& [path, bytes] : image)
            writeBytes(path, bytes);
    }

    int operationsOfARun() {
        FaultyDisk disk;
        writeBytes(file("cut"), bytes_);
        const int done = run(file("cut"));
        clear("cut");
        return done == editsOfARun ? disk.operations : 0;
    }

    /// \returns how many edits were acknowledged
    static int run(const std::string& path) {
        auto opening = Workspace::open(path, {.vfs = FaultyDisk::name});
        if (opening.fault)
            return 0;
        for (int number = 1; number <= editsOfARun; ++number) {
            const WorkspaceEdit next = edit(opening.content, number);
            (void)apply(opening.content, next);
            if (opening.workspace->apply(next))
                return number - 1;
        }
        return editsOfARun;
    }

    [[noreturn]] static void editUntilKilled(const std::string& path, int acknowledgements) {
        auto opening = Workspace::open(path);
        for (int number = 1; !opening.fault; ++number) {
            const WorkspaceEdit next = edit(opening.content, number);
            (void)apply(opening.content, next);
            if (opening.workspace->apply(next) || ::write(acknowledgements, "x", 1) != 1)
                break;
        }
        ::_exit(1);
    }

    QTemporaryDir dir_;
    std::string bytes_;
    std::vector<std::string> expected_; ///< after 0, 1, 2, ... edits
    std::size_t historyAtStart_ = 0;
};

QTEST_APPLESS_MAIN(TestWorkspacePower)

} // namespace tst_workspace_power

#include "tst_workspace_power.moc"
