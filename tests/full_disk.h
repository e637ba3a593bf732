// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace alidade::test {

/// A folder on a disk that can be full: a small file system in memory where one may be mounted (as root), and
/// a limit on the size of files elsewhere. Either holds for this process and for the programs that it starts.
class FullDisk {
public:
    explicit FullDisk(bool mounts = true) {
        isMounted_ = mounts && ::mount("none", qPrintable(dir_.path()), "tmpfs", MS_NODEV, "size=1m") == 0;
    }
    ~FullDisk() {
        drain();
        if (isMounted_)
            ::umount2(qPrintable(dir_.path()), MNT_DETACH);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    QString path(const QString& name) const { return dir_.filePath(name); }
    QStringList names() const {
        QStringList all =
            QDir(dir_.path())
                .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot);
        all.removeAll(filler);
        return all;
    }

    /// From now on `pages` of 4 KiB are left.
    void fill(int pages = 0) {
        if (!isMounted_) {
            formerSignal_ = std::signal(SIGXFSZ, SIG_IGN);
            ::getrlimit(RLIMIT_FSIZE, &formerLimit_);
            const rlimit limit{static_cast<rlim_t>(pages) * pageBytes, formerLimit_.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &limit);
        } else {
            const int file = ::open(qPrintable(path(filler)), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
            const std::vector<char> page(pageBytes, 'x');
            int written = 0;
            while (::write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size()))
                ++written;
            [[maybe_unused]] const int cut =
                ::ftruncate(file, static_cast<off_t>(written - pages) * pageBytes);
            ::close(file);
        }
        isFull_ = true;
    }

    void drain() {
        if (!isFull_)
            return;
        isFull_ = false;
        if (isMounted_) {
            QFile::remove(path(filler));
        } else {
            ::setrlimit(RLIMIT_FSIZE, &formerLimit_);
            std::signal(SIGXFSZ, formerSignal_);
        }
    }

private:
    static constexpr int pageBytes = 4096;
    static inline const QString filler = QStringLiteral("filler");

    QTemporaryDir dir_;
    bool isMounted_ = false;
    bool isFull_ = false;
    rlimit formerLimit_{};
    void (*formerSignal_)(int) = SIG_DFL;
};

} // namespace alidade::test
