// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/file.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace tst_read_file {

using namespace alidade;

/// What is read is a regular file, and opening never waits.
class TestReadFile : public QObject {
    Q_OBJECT

private slots:
    void regularFiles() {
        const std::string name = file("plain", QByteArray(3 << 20, 'x') + "end");
        const auto all = data::readFile(name);
        QVERIFY(all && all->size() == (3u << 20) + 3 && all->ends_with("xend"));
        QVERIFY(*data::readFileStart(name, 4) == "xxxx");
        QVERIFY(data::readFileStart(file("short", "ab"), 4)->size() == 2);
        QVERIFY(data::readFile(file("empty", "")) && data::readFile(file("empty", ""))->empty());
        QVERIFY(data::whyNoFile(name).empty());
        // Its size is said to be 0.
        const auto status = data::readFile("/proc/self/status");
        QVERIFY(status && status->find("Name:") != std::string::npos);
    }

    void largeFilesAreRefusedUnread() {
        const std::string name = file("large", QByteArray(1001, 'x'));
        QVERIFY(data::readFile(name, 1001));
        const auto refused = data::readFile(name, 1000);
        QVERIFY(!refused);
        QCOMPARE(refused.error(), std::string("1001 bytes; the limit is 1000"));
        // A hole of 4 TB takes no time to refuse.
        QFile sparse(folder_.filePath(QStringLiteral("sparse")));
        QVERIFY(sparse.open(QIODevice::WriteOnly) && sparse.resize(1LL << 42));
        QVERIFY(!data::readFile(sparse.fileName().toStdString()));
    }

    /// Nobody writes to the pipe, ever: opening it the usual way would wait for good.
    void pipesAndDevicesAreRefusedAtOnce() {
        const std::string pipe = folder_.filePath(QStringLiteral("pipe")).toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        refuse(pipe, "is a pipe; specify a regular file");
        refuse("/dev/zero", "is a device; specify a regular file");
        refuse(folder_.path().toStdString(), "is a directory; specify a file");
        refuse(folder_.filePath(QStringLiteral("none")).toStdString(), "there is no such file");
        const std::string name = folder_.filePath(QStringLiteral("socket")).toStdString();
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        QVERIFY(name.size() < sizeof(address.sun_path));
        name.copy(address.sun_path, name.size());
        const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
        QCOMPARE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        refuse(name, "is a socket; specify a regular file");
        ::close(socket);
    }

    void readingCanBeCanceled() {
        std::stop_source stop;
        stop.request_stop();
        const auto canceled = data::readFile(file("plain", "text"), 1000, stop.get_token());
        QVERIFY(!canceled);
        QCOMPARE(canceled.error(), std::string("reading was canceled"));
    }

private:
    std::string file(const char* name, const QByteArray& content) const {
        QFile out(folder_.filePath(QLatin1String(name)));
        if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
            qFatal("the test's own file cannot be written");
        return out.fileName().toStdString();
    }
    static void refuse(const std::string& name, const char* why) {
        const auto bytes = data::readFile(name);
        QVERIFY(!bytes);
        QCOMPARE(bytes.error(), std::string(why));
        QCOMPARE(data::readFileStart(name, 16).error(), std::string(why));
        QCOMPARE(data::whyNoFile(name), std::string(why));
    }

    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(TestReadFile)

} // namespace tst_read_file

#include "tst_read_file.moc"
