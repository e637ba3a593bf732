// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/file/write_file.h"

#include "data/file/open_input.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace alidade::data {

namespace {

namespace fs = std::filesystem;

constexpr int mostLinks = 40; // limit of Linux

std::string refusal(const std::string& reason, const std::string& remedy) {
    return "cannot be written: " + reason + "; " + remedy;
}

std::string refusalOf(int error) {
    const std::string elsewhere = "choose another location";
    switch (error) {
    case ENOSPC:
        return refusal("no space left on device", "free some space or choose another location");
    case EDQUOT:
        return refusal("the disk quota is exceeded", "free some space or choose another location");
    case EFBIG:
        return refusal("it exceeds the file size limit", elsewhere + " or raise the limit");
    case EACCES:
    case EPERM:
        return refusal("permission denied", "change the permissions or choose another location");
    case EROFS:
        return refusal("the file system is read-only", elsewhere);
    case ENOENT:
    case ENOTDIR:
        return refusal("its folder does not exist", "create the folder or choose another location");
    case EISDIR:
        return refusal("it is a folder", "specify a file");
    case ELOOP:
        return refusal("its symbolic links form a loop", elsewhere);
    case ENAMETOOLONG:
        return refusal("its name is too long", "choose a shorter one");
    case ENXIO:
        return refusal("no process is reading from the pipe",
                       "start the reader first or choose another location");
    default:
        return refusal(std::strerror(error), elsewhere);
    }
}

/// Closes a descriptor and removes a temporary file, unless this has already been done.
class Unfinished {
public:
    Unfinished() = default;
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() {
        if (descriptor >= 0)
            ::close(descriptor);
        if (!name.empty())
            ::unlink(name.c_str());
    }

    int descriptor = -1;
    std::string name; ///< of the temporary file; empty: none
};

/// \returns 0 or errno
int writeAll(int descriptor, std::string_view content) {
    while (!content.empty()) {
        const ssize_t taken = ::write(descriptor, content.data(), content.size());
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0)
            return taken < 0 ? errno : EIO;
        content.remove_prefix(static_cast<std::size_t>(taken));
    }
    return 0;
}

/// \returns 0 or errno. Some network file systems report a full disk only here.
int closeChecked(int& descriptor) {
    return ::close(std::exchange(descriptor, -1)) == 0 || errno == EINTR ? 0 : errno;
}

/// \returns 0 or errno; a descriptor that does not support fsync is not an error
int synchronize(int descriptor) {
    return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

int synchronizeFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return errno == EACCES ? 0 : errno; // writable but not readable: cannot be synchronized
    const int error = synchronize(descriptor);
    ::close(descriptor);
    return error;
}

std::string writeStream(const std::string& file, std::string_view content) {
    Unfinished out;
    out.descriptor =
        ::open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY); // a pipe without a reader
    if (out.descriptor < 0)
        return refusalOf(errno);
    ::fcntl(out.descriptor, F_SETFL, ::fcntl(out.descriptor, F_GETFL) & ~O_NONBLOCK);
    int error = writeAll(out.descriptor, content);
    if (error == 0)
        error = closeChecked(out.descriptor);
    return error == 0 ? std::string() : refusalOf(error);
}

/// Replaces the path by the target of its last symbolic link, whether or not the target exists.
/// \returns 0 or errno
int followLinks(fs::path& path) {
    for (int followed = 0; followed <= mostLinks; ++followed) {
        std::error_code failure;
        if (!fs::is_symlink(path, failure))
            return 0;
        const fs::path target = fs::read_symlink(path, failure);
        if (failure)
            return failure.value();
        path = path.parent_path() / target; // an absolute target replaces the path
    }
    return ELOOP;
}

/// \returns 0 or errno
int createBeside(const fs::path& folder, mode_t mode, Unfinished& out) {
    constexpr int attempts = 100;
    static std::atomic<unsigned> number = 0;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        // Not derived from the file's name, which may already have the maximum length.
        const std::string name =
            folder / (".alidade-" + std::to_string(::getpid()) + "-" + std::to_string(++number) + ".tmp");
        out.descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
        if (out.descriptor >= 0) {
            out.name = name;
            return 0;
        }
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/// Copies owner, group and permissions of the file that will be replaced. \returns 0 or errno
int takeOver(int descriptor, const struct stat& old, mode_t mode) {
    struct stat own{};
    if (::fstat(descriptor, &own) != 0)
        return errno;
    const bool sameGroup = own.st_gid == old.st_gid || ::fchown(descriptor, uid_t(-1), old.st_gid) == 0;
    if (own.st_uid != old.st_uid && ::fchown(descriptor, old.st_uid, gid_t(-1)) != 0)
        mode &= mode_t(0777); // another owner: no set-user-ID or set-group-ID
    if (!sameGroup)
        mode &= ~mode_t(S_IRWXG) | ((mode & S_IRWXO) << 3); // another group: no more than others
    return ::fchmod(descriptor, mode) == 0 ? 0 : errno;
}

int replace(const fs::path& path, std::string_view content, const struct stat* old,
            WriteOptions::Readers readers) {
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const bool isPrivate = readers == WriteOptions::Readers::ownerOnly;
    const mode_t first = old != nullptr || isPrivate ? 0600 : 0666;
    Unfinished out;
    int error = createBeside(folder, first, out);
    if (error == 0 && old != nullptr)
        error = takeOver(out.descriptor, *old, isPrivate ? mode_t(0600) : old->st_mode & mode_t(07777));
    if (error == 0)
        error = writeAll(out.descriptor, content);
    if (error == 0)
        error = synchronize(out.descriptor);
    if (error == 0)
        error = closeChecked(out.descriptor);
    if (error == 0 && ::rename(out.name.c_str(), path.c_str()) != 0)
        error = errno;
    if (error != 0)
        return error;
    out.name.clear();
    return synchronizeFolder(folder);
}

} // namespace

std::string writeFile(const std::string& file, std::string_view content, const WriteOptions& options) {
    if (file.empty() || file.find('\0') != std::string::npos)
        return refusal("it has no name", "specify a file name");
    struct stat old{};
    const bool exists = ::stat(file.c_str(), &old) == 0;
    if (!exists && errno != ENOENT)
        return refusalOf(errno);
    if (const std::string input = exists ? openInputAt(file, options.own) : std::string(); !input.empty())
        return refusal("it is " + input + ", which would be overwritten", "choose another file");
    if (exists && S_ISDIR(old.st_mode))
        return refusalOf(EISDIR);
    if (exists && !S_ISREG(old.st_mode)) {
        const bool takes = S_ISCHR(old.st_mode) || S_ISFIFO(old.st_mode);
        return options.streams && takes ? writeStream(file, content)
                                        : refusal("it is not a regular file", "choose another location");
    }
    // Write permission for the folder would be enough to replace it; respect the file's write protection.
    if (exists && ::faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0)
        return refusalOf(errno);
    fs::path path(file);
    if (const int error = followLinks(path); error != 0)
        return refusalOf(error);
    const int error = replace(path, content, exists ? &old : nullptr, options.readers);
    return error == 0 ? std::string() : refusalOf(error);
}

QString writeFile(const QString& file, const QByteArray& content, const WriteOptions& options) {
    const std::string_view bytes(content.constData(), static_cast<std::size_t>(content.size()));
    return QString::fromStdString(writeFile(file.toStdString(), bytes, options));
}

} // namespace alidade::data
