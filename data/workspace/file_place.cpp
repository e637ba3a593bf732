// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/workspace/file_place.h"

#include "data/workspace/qt_text.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <QUuid>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace alidade::data {

namespace {

std::string folderOf(const std::string& file) { return QFileInfo(qt(file)).absolutePath().toStdString(); }

std::string lockName(const std::string& file) {
    const QFileInfo info(qt(file));
    return info.absolutePath().toStdString() + "/." + info.fileName().toStdString() + ".lock";
}

/// The lock file may have been removed by its last holder between opening and locking it.
bool isStillThere(const std::string& path, int descriptor) {
    struct stat byName{};
    struct stat byDescriptor{};
    return ::stat(path.c_str(), &byName) == 0 && ::fstat(descriptor, &byDescriptor) == 0 &&
           byName.st_ino == byDescriptor.st_ino && byName.st_dev == byDescriptor.st_dev;
}

std::string contentOf(int descriptor) {
    std::string out(200, '\0');
    const ssize_t size = ::pread(descriptor, out.data(), out.size(), 0);
    out.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return out.substr(0, out.find('\n'));
}

void writeHolder(int descriptor) {
    const std::string text =
        "process " + std::to_string(::getpid()) + " on " + QSysInfo::machineHostName().toStdString() + "\n";
    // For a person only: where it cannot be written, the lock holds all the same.
    if (::ftruncate(descriptor, 0) == 0)
        (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

/// A socket whose name represents a file whatever its path. The kernel frees the name with the process.
/// \returns -1: another one has it; -2: there is no such file, or no such socket to be had
int lockInode(const std::string& file) {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0)
        return -2;
    const std::string name =
        "alidade-workspace-" + std::to_string(info.st_dev) + "-" + std::to_string(info.st_ino);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path + 1, sizeof address.sun_path - 1); // abstract: begins with a NUL
    const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -2;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), length) == 0)
        return descriptor;
    const bool inUse = errno == EADDRINUSE;
    ::close(descriptor);
    return inUse ? -1 : -2;
}

void syncFolder(const std::string& file) {
    const int folder = ::open(folderOf(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    ::fsync(folder);
    ::close(folder);
}

} // namespace

FileLock::Attempt FileLock::tryLock(const std::string& file) {
    const std::string path = lockName(file);
    for (int round = 0; round < 10; ++round) {
        const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor < 0)
            return {};
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const bool inUse = errno == EWOULDBLOCK;
            Attempt out{nullptr, inUse ? Outcome::inUse : Outcome::noLocks, contentOf(descriptor)};
            ::close(descriptor);
            return out;
        }
        if (isStillThere(path, descriptor)) {
            std::unique_ptr<FileLock> lock(new FileLock(path, descriptor));
            lock->links_ = lockInode(file);
            if (lock->links_ == -1)
                return {nullptr, Outcome::inUse, "under another name of the file"};
            writeHolder(descriptor);
            return {std::move(lock), Outcome::held, {}};
        }
        ::close(descriptor);
    }
    return {};
}

void FileLock::coverLinks(const std::string& file) {
    if (links_ < 0)
        links_ = lockInode(file);
}

FileLock::~FileLock() {
    if (links_ >= 0)
        ::close(links_);
    ::unlink(path_.c_str()); // while it is still locked: no other process can have taken it yet
    ::close(descriptor_);
}

std::string resolvedPath(const std::string& file) {
    QFileInfo info(qt(file));
    if (info.isSymLink() && !info.exists())
        info.setFile(info.symLinkTarget());
    const QString whole = info.canonicalFilePath();
    if (!whole.isEmpty())
        return whole.toStdString();
    const QString folder = QFileInfo(info.absolutePath()).canonicalFilePath();
    return folder.isEmpty() ? info.absoluteFilePath().toStdString()
                            : folder.toStdString() + "/" + info.fileName().toStdString();
}

std::string publish(const std::string& temporary, const std::string& file) {
    // A link, unlike a rename, does not replace; some file systems know none.
    if (::link(temporary.c_str(), file.c_str()) == 0)
        ::unlink(temporary.c_str());
    else if (errno == EEXIST || QFileInfo::exists(qt(file)))
        return "there is a file of this name already";
    else if (::rename(temporary.c_str(), file.c_str()) != 0)
        return std::strerror(errno);
    syncFolder(file);
    return {};
}

std::string renameWithJournal(const std::string& from, const std::string& to) {
    // The journal first: alongside a file to which it does not belong it would destroy that one.
    const std::string journal = from + "-journal";
    const bool journalMoved = ::rename(journal.c_str(), (to + "-journal").c_str()) == 0;
    if (!journalMoved && errno != ENOENT)
        return std::strerror(errno);
    if (::rename(from.c_str(), to.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        if (journalMoved)
            ::rename((to + "-journal").c_str(), journal.c_str());
        return reason;
    }
    syncFolder(to);
    return {};
}

std::string datedName(const std::string& file, const std::string& word) {
    const QString time = QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    const std::string name = file + "." + word + "-" + time.toStdString();
    std::string free = name;
    for (int number = 2; QFileInfo::exists(qt(free)); ++number)
        free = name + "-" + std::to_string(number);
    return free;
}

std::string temporaryName(const std::string& file) {
    return file + ".new-" + QUuid::createUuid().toString(QUuid::Id128).left(8).toStdString();
}

} // namespace alidade::data
