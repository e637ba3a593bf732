// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace alidade::data {

/// Keeps a second writer away from a file: an advisory lock (flock) on `.NAME.lock` alongside it.
///
/// The kernel ends the lock with the process, so a crash leaves nothing stale and no process number has to be
/// believed; a lock file that is left over is simply locked again. A lock of SQLite itself would keep readers
/// out as well, and a lock on the file itself would, once closed, end SQLite's own locks on it. Where the
/// file system knows no locks, there is none to be had; then a second writer is found out by the seals, which
/// it changes. A second lock, an abstract socket named after device and inode, covers the other names (hard
/// links) of the file on this machine.
class FileLock {
public:
    enum class Outcome : std::uint8_t {
        held,
        inUse,
        noPlace, ///< the folder may not be written
        noLocks, ///< the file system has none
    };
    struct Attempt {
        std::unique_ptr<FileLock> lock; ///< with `held`
        Outcome outcome = Outcome::noPlace;
        std::string holder; ///< with `inUse`: "process 4711 on hostname"; may be empty
    };

    static Attempt tryLock(const std::string& file);
    /// Of a file that was made after it was locked.
    void coverLinks(const std::string& file);
    ~FileLock(); ///< removes the lock file
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    FileLock(std::string path, int descriptor)
        : path_(std::move(path))
        , descriptor_(descriptor) {}

    std::string path_;
    int descriptor_;
    int links_ = -1; ///< socket
};

/// Absolute path with all links followed; of a file that is not there yet, with those of its folder.
std::string resolvedPath(const std::string& file);

/// Puts a finished file under its name, and syncs the folder. What bears the name already stays.
/// \returns an empty text, or why it could not be done
std::string publish(const std::string& temporary, const std::string& file);

/// Renames a file and its journal, and syncs the folder. \returns an empty text, or why it could not be done
std::string renameWithJournal(const std::string& from, const std::string& to);

/// FILE + WORD + the time in UTC, "workspace.alidade.corrupt-20261122-011500"; with a number where that is
/// taken.
std::string datedName(const std::string& file, const std::string& word);

/// A name next to `file` for something unfinished, which no file has.
std::string temporaryName(const std::string& file);

} // namespace alidade::data
