// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/file/write_file.h"
#include "tests/full_disk.h"

#include <QTest>

#include <filesystem>
#include <sys/stat.h>

namespace tst_write_file {

using namespace alidade;
using data::WriteOptions;
using test::FullDisk;

/// A file is written complete or not at all.
class TestWriteFile : public QObject {
    Q_OBJECT

    std::optional<QTemporaryDir> dir_;
    QString path(const char* name) const { return dir_->filePath(QString::fromLatin1(name)); }
    QStringList names() const {
        return QDir(dir_->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
    }
    static QByteArray content(const QString& file) {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
    }
    static void put(const QString& file, const QByteArray& content, mode_t mode = 0644) {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly) && out.write(content) == content.size());
        out.close();
        QCOMPARE(::chmod(qPrintable(file), mode), 0);
    }
    static mode_t modeOf(const QString& file) {
        struct stat info{};
        return ::stat(qPrintable(file), &info) == 0 ? info.st_mode & mode_t(07777) : mode_t(0);
    }
    static bool isLink(const QString& file) { return std::filesystem::is_symlink(file.toStdString()); }
    static void link(const QString& to, const QString& name) {
        std::filesystem::create_symlink(to.toStdString(), name.toStdString());
    }

private slots:
    void init() { dir_.emplace(); }

    void newFileHasTheUsualPermissions() {
        const mode_t former = ::umask(027);
        const QString fault = data::writeFile(path("new"), "text");
        const QString privateFault =
            data::writeFile(path("private"), "text", {.readers = WriteOptions::Readers::ownerOnly});
        ::umask(former);
        QCOMPARE(fault + privateFault, QString());
        QCOMPARE(content(path("new")), QByteArray("text"));
        QCOMPARE(modeOf(path("new")), mode_t(0640));
        QCOMPARE(modeOf(path("private")), mode_t(0600));
        QCOMPARE(names(), (QStringList{QStringLiteral("new"), QStringLiteral("private")}));
    }

    void replacedFileKeepsItsPermissions() {
        put(path("old"), "a longer text than the new one", 0664);
        QCOMPARE(data::writeFile(path("old"), "new"), QString());
        QCOMPARE(content(path("old")), QByteArray("new"));
        QCOMPARE(modeOf(path("old")), mode_t(0664));
        QCOMPARE(data::writeFile(path("old"), "", {.readers = WriteOptions::Readers::ownerOnly}), QString());
        QCOMPARE(content(path("old")), QByteArray());
        QCOMPARE(modeOf(path("old")), mode_t(0600));
    }

    void linksAreFollowed() {
        put(path("target"), "old", 0640);
        link(QStringLiteral("target"), path("inner"));
        link(path("inner"), path("outer"));
        QCOMPARE(data::writeFile(path("outer"), "new"), QString());
        QVERIFY(isLink(path("outer")) && isLink(path("inner")) && !isLink(path("target")));
        QCOMPARE(content(path("target")), QByteArray("new"));
        QCOMPARE(modeOf(path("target")), mode_t(0640));

        link(QStringLiteral("later"), path("dangling"));
        QCOMPARE(data::writeFile(path("dangling"), "made"), QString());
        QVERIFY(isLink(path("dangling")));
        QCOMPARE(content(path("later")), QByteArray("made"));

        link(QStringLiteral("loop"), path("loop"));
        QVERIFY(data::writeFile(path("loop"), "x").contains(QStringLiteral("form a loop")));
    }

    void longestNameIsWritten() {
        const QString name = dir_->filePath(QString(255, QLatin1Char('n')));
        QCOMPARE(data::writeFile(name, "text"), QString());
        QCOMPARE(content(name), QByteArray("text"));
        QVERIFY(data::writeFile(name + QLatin1Char('n'), "x").contains(QStringLiteral("name is too long")));
    }

    void whatIsNoFileIsRefused() {
        QVERIFY(
            data::writeFile(dir_->path(), "x").contains(QStringLiteral("it is a folder; specify a file")));
        QVERIFY(data::writeFile(path("none/x"), "x").contains(QStringLiteral("its folder does not exist")));
        QVERIFY(data::writeFile(QString(), "x").contains(QStringLiteral("specify a file")));
        QCOMPARE(::mkfifo(qPrintable(path("pipe")), 0600), 0);
        QVERIFY(data::writeFile(path("pipe"), "x").contains(QStringLiteral("not a regular file")));
        QVERIFY(
            data::writeFile(QStringLiteral("/dev/null"), "x").contains(QStringLiteral("not a regular file")));
        QCOMPARE(names(), QStringList{QStringLiteral("pipe")});
    }

    void streamsAreWrittenWhereTheyAreWanted() {
        const WriteOptions streams{.streams = true};
        QCOMPARE(data::writeFile(QStringLiteral("/dev/null"), "x", streams), QString());
        struct stat info{};
        QVERIFY(::stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
        QVERIFY(data::writeFile(QStringLiteral("/dev/full"), "x", streams)
                    .contains(QStringLiteral("no space left")));
        QCOMPARE(::mkfifo(qPrintable(path("pipe")), 0600), 0);
        QVERIFY(data::writeFile(path("pipe"), "x", streams)
                    .contains(QStringLiteral("no process is reading from the pipe")));
        const int reader = ::open(qPrintable(path("pipe")), O_RDONLY | O_NONBLOCK);
        QCOMPARE(data::writeFile(path("pipe"), "text", streams), QString());
        char read[8] = {};
        QCOMPARE(::read(reader, read, sizeof read), ssize_t(4));
        QCOMPARE(QByteArray(read), QByteArray("text"));
        ::close(reader);
    }

    void writeProtectedFileStays() {
        put(path("old"), "old", 0444);
        QCOMPARE(::chmod(qPrintable(dir_->path()), 0777), 0);
        const bool isRoot = ::geteuid() == 0;
        QVERIFY(!isRoot || ::seteuid(65534) == 0); // root may write everything
        const QString fault = data::writeFile(path("old"), "new");
        QVERIFY(!isRoot || ::seteuid(0) == 0);
        QVERIFY2(fault.contains(QStringLiteral("permission denied")), qPrintable(fault));
        QCOMPARE(content(path("old")), QByteArray("old"));
        QCOMPARE(names(), QStringList{QStringLiteral("old")});
    }

    void fullDiskLeavesTheOldFile_data() {
        QTest::addColumn<bool>("mounts");
        QTest::addColumn<int>("pages");
        QTest::addColumn<int>("bytes");
        for (const bool mounts : {true, false})
            for (const auto& [pages, bytes] :
                 {std::pair{0, 1}, {0, 5000}, {0, 600'000}, {2, 8193}, {3, 100'000}})
                QTest::addRow("%s, %d pages left, %d bytes", mounts ? "disk" : "limit", pages, bytes)
                    << mounts << pages << bytes;
    }
    void fullDiskLeavesTheOldFile() {
        QFETCH(bool, mounts);
        QFETCH(int, pages);
        QFETCH(int, bytes);
        FullDisk disk(mounts);
        const QByteArray old(300'000, 'o');
        put(disk.path(QStringLiteral("old")), old, 0640);
        disk.fill(pages);
        const QByteArray large(bytes, 'n');
        for (const char* name : {"old", "new"}) {
            const QString fault = data::writeFile(disk.path(QString::fromLatin1(name)), large);
            QVERIFY2(fault.startsWith(QStringLiteral("cannot be written: ")) &&
                         fault.contains(QStringLiteral("; ")),
                     qPrintable(fault));
        }
        QCOMPARE(content(disk.path(QStringLiteral("old"))), old);
        QCOMPARE(modeOf(disk.path(QStringLiteral("old"))), mode_t(0640));
        QCOMPARE(disk.names(), QStringList{QStringLiteral("old")});
        disk.drain();
        QCOMPARE(data::writeFile(disk.path(QStringLiteral("old")), large), QString());
        QCOMPARE(content(disk.path(QStringLiteral("old"))), large);
    }
};

QTEST_GUILESS_MAIN(TestWriteFile)

} // namespace tst_write_file

#include "tst_write_file.moc"
