// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/json/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace alidade::data {

namespace {

int openFile(const char* path, int flags) { return ::open(path, flags); }

constexpr char canceled[] = "reading was canceled";
std::atomic<FileOpener> fileOpener{openFile};

constexpr std::size_t pieceBytes = 1u << 20; // read between two checks of the stop token

class Descriptor {
public:
    explicit Descriptor(int value)
        : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0)
            ::close(value_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return value_; }

private:
    int value_;
};

std::string reasonOf(int error) {
    return error == ENOENT || error == ENOTDIR ? "there is no such file"
                                               : std::string("cannot be read: ") + std::strerror(error);
}

std::string whyNoFile(const struct stat& status) {
    const mode_t kind = status.st_mode;
    return S_ISREG(kind)    ? ""
           : S_ISDIR(kind)  ? "is a directory; specify a file"
           : S_ISFIFO(kind) ? "is a pipe; specify a regular file"
           : S_ISSOCK(kind) ? "is a socket; specify a regular file"
                            : "is a device; specify a regular file";
}

/// Reads up to `most` bytes. \param limit of the whole file's size
Result<std::string> readBytes(const std::string& path, std::size_t most, std::size_t limit,
                              const std::stop_token& stop) {
    // Without O_NONBLOCK, opening a pipe waits until a process writes to it.
    const Descriptor file(fileOpener.load()(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status{};
    if (stop.stop_requested()) // stopped while the file was opened
        return Error{canceled};
    if (file.get() < 0 || ::fstat(file.get(), &status) != 0) {
        const int error = errno;
        const std::string kind =
            error == ENOENT ? "" : data::whyNoFile(path); // a socket cannot even be opened
        return Error{kind.empty() ? reasonOf(error) : kind};
    }
    if (const std::string why = whyNoFile(status); !why.empty())
        return Error{why};
    const auto refusal = [&](std::uintmax_t size) {
        return Error{std::to_string(size) + " bytes; the limit is " + std::to_string(limit)};
    };
    const auto size = static_cast<std::uintmax_t>(std::max<off_t>(status.st_size, 0));
    if (size > limit)
        return refusal(size);
    std::string bytes;
    while (bytes.size() < most) { // files of /proc report no size
        if (stop.stop_requested())
            return Error{canceled};
        const std::size_t before = bytes.size();
        bytes.resize(std::min(before + pieceBytes, most));
        const ssize_t got = ::read(file.get(), bytes.data() + before, bytes.size() - before);
        const int error = errno;
        bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && error != EINTR)
            return Error{reasonOf(error)};
        if (got == 0)
            break;
    }
    if (bytes.size() > limit)
        return refusal(bytes.size());
    return bytes;
}

} // namespace

Result<std::string> readFile(const std::string& path, std::size_t limit, const std::stop_token& stop) {
    return readBytes(path, limit + 1, limit, stop);
}

Result<std::string> readFileStart(const std::string& path, std::size_t most) {
    return readBytes(path, most, SIZE_MAX, {});
}

std::string whyNoFile(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) != 0 ? reasonOf(errno) : whyNoFile(status);
}

void setFileOpener(FileOpener opener) { fileOpener = opener != nullptr ? opener : openFile; }

} // namespace alidade::data
