// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/schema.h"
#include "sample_workspace.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace tst_workspace_migration {

using namespace alidade;
using namespace alidade::data;
using namespace alidade::tests;
using Kind = WorkspaceFault::Kind;

namespace {

/// The present format and two that may come: one more column, and a table made anew.
std::vector<WorkspaceMigration> longerList() {
    std::vector<WorkspaceMigration> out = workspaceMigrations();
    out.push_back({"ALTER TABLE folders ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey'"});
    out.push_back(
        {"CREATE TABLE wanted(key TEXT PRIMARY KEY, checksum INTEGER NOT NULL, value BLOB NOT NULL) "
         "STRICT, WITHOUT ROWID;"
         "INSERT INTO wanted SELECT key, 0, value FROM settings;"
         "DROP TABLE settings; ALTER TABLE wanted RENAME TO settings;"
         "INSERT INTO settings VALUES ('migrated', 0, x'31')"});
    return out;
}

} // namespace

/// Formats: older ones are brought up after a copy was made, newer ones are read only.
class TestWorkspaceMigration : public QObject {
    Q_OBJECT

private slots:
    void init() { dir_.emplace(); }

    void storedFileOfEachVersion_data() {
        QTest::addColumn<int>("version");
        for (int version = 1; version <= static_cast<int>(workspaceMigrations().size()); ++version)
            QTest::addRow("%d", version) << version;
    }
    void storedFileOfEachVersion() {
        // Written once by the program of that time with fillSample().
        QFETCH(int, version);
        const QString stored =
            QStringLiteral(ALIDADE_TEST_DATA "/data/workspace/version_%1.alidade").arg(version);
        QVERIFY2(QFile::copy(stored, QString::fromStdString(file())), qPrintable(stored));
        QFile::setPermissions(QString::fromStdString(file()),
                              QFileDevice::ReadOwner | QFileDevice::WriteOwner);
        auto opening = opened(file());
        QVERIFY(!opening.workspace->isReadOnly());
        QVERIFY(!opening.workspace->verify());
        QCOMPARE(backupsOf(file()).empty(), version == static_cast<int>(workspaceMigrations().size()));
        auto fresh = opened(path("fresh.alidade"));
        fillSample(fresh);
        QCOMPARE(everything(*opening.workspace), everything(*fresh.workspace));
    }

    void olderFileIsBroughtUpAfterACopy() {
        std::string before;
        {
            auto opening = opened(file());
            fillSample(opening);
            before = everything(*opening.workspace);
        }
        const std::string bytes = readBytes(file());
        const auto migrations = longerList();
        {
            auto opening = opened(file(), {.migrations = &migrations});
            QVERIFY2(opening.notice.find("format 1 to 3") != std::string::npos, opening.notice.c_str());
            QCOMPARE(opening.content.settings.at("migrated"), "1");
            QVERIFY(!opening.workspace->verify());
            commit(opening, {{PutSetting{"migrated", std::nullopt}}});
            QCOMPARE(everything(*opening.workspace), before);
        }
        QVERIFY(opened(file(), {.migrations = &migrations}).notice.empty());
        const auto backups = backupsOf(file());
        QCOMPARE(backups.size(), 1u);
        QVERIFY(backups.front().find(".backup-v1-") != std::string::npos);
        QCOMPARE(everything(*opened(backups.front()).workspace), before);

        // The program of before reads the newer one, and leaves it as it is.
        const std::string newer = readBytes(file());
        auto old = opened(file());
        QVERIFY(old.workspace->isReadOnly());
        QVERIFY(old.notice.find("newer Alidade") != std::string::npos);
        QCOMPARE(everything(*old.workspace), before);
        QCOMPARE(readBytes(file()), newer);
    }

    void failureLeavesTheFileAsItWas() {
        {
            auto opening = opened(file());
            fillSample(opening);
        }
        const std::string bytes = readBytes(file());
        auto migrations = longerList();
        migrations.push_back({"DELETE FROM folders; INSERT INTO nowhere VALUES (1)"});
        const auto opening = Workspace::open(file(), {.migrations = &migrations});
        QVERIFY(opening.fault.has_value());
        // The two before it have been done, each with its version.
        migrations.pop_back();
        QVERIFY(opened(file(), {.migrations = &migrations}).notice.empty());

        writeBytes(file(), bytes);
        const std::vector<WorkspaceMigration> orphans{workspaceMigrations().front(), {"DELETE FROM folders"}};
        QCOMPARE(Workspace::open(file(), {.migrations = &orphans}).fault->kind, Kind::damaged);
        QVERIFY(opened(file()).notice.empty());
        QCOMPARE(readBytes(file()), bytes);
    }

    void readerBringsUpACopyOnly() {
        {
            auto opening = opened(file());
            fillSample(opening);
        }
        const std::string bytes = readBytes(file());
        const auto migrations = longerList();
        auto reader = opened(file(), {.access = WorkspaceOptions::Access::read, .migrations = &migrations});
        QVERIFY(reader.workspace->isReadOnly());
        QCOMPARE(reader.content.settings.at("migrated"), "1");
        QCOMPARE(readBytes(file()), bytes);
        QCOMPARE(QDir(dir_->path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void fewBackupsAreKept() {
        const auto migrations = longerList();
        {
            auto opening = opened(file());
            fillSample(opening);
        }
        const std::string bytes = readBytes(file());
        for (int i = 0; i < 5; ++i) {
            writeBytes(file(), bytes);
            opened(file(), {.backupsKept = 2, .migrations = &migrations}).workspace.reset();
        }
        QCOMPARE(backupsOf(file()).size(), 2u);
    }

    void recoveryNamesTheBackups() {
        const auto migrations = longerList();
        {
            auto opening = opened(file());
            fillSample(opening);
        }
        opened(file(), {.migrations = &migrations}).workspace.reset();
        writeBytes(file(), std::string(3000, 'x'));
        const auto recovery = recover(file());
        QVERIFY(!recovery);
        QVERIFY2(recovery.fault.message.find(backupsOf(file()).front()) != std::string::npos,
                 recovery.fault.message.c_str());
        QCOMPARE(readBytes(file()), std::string(3000, 'x'));
    }

private:
    std::string path(const char* name) const {
        return dir_->filePath(QString::fromLatin1(name)).toStdString();
    }
    std::string file() const { return path("w.alidade"); }

    std::optional<QTemporaryDir> dir_;
};

QTEST_APPLESS_MAIN(TestWorkspaceMigration)

} // namespace tst_workspace_migration

#include "tst_workspace_migration.moc"
