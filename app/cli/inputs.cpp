// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/inputs.h"

#include "app/cli/session.h"

#include <filesystem>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <utility>

namespace alidade::cli {

namespace {

using FileId = std::pair<dev_t, ino_t>;

std::map<FileId, std::string>& inputs() { // one command a process
    static std::map<FileId, std::string> files;
    return files;
}

/// Of a regular file: a terminal may be read and written.
std::optional<FileId> idOf(const std::string& path) {
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
}

} // namespace

void noteInput(const std::string& path) {
    if (const auto id = idOf(path)) {
        inputs().emplace(*id, path);
        return;
    }
    std::error_code none;
    for (const auto& each : std::filesystem::directory_iterator(path, none))
        if (const auto id = idOf(each.path().string()))
            inputs().emplace(*id, each.path().string());
}

void refuseOverInput(const std::string& out) {
    const auto id = idOf(out);
    const auto found = id ? inputs().find(*id) : inputs().end();
    if (found != inputs().end()) {
        throw Failure(Failure::request, "-o: '" + out + "' is " +
                                            (found->second == out ? "an input of this command"
                                                                  : "the input '" + found->second + "'") +
                                            " and would be lost; choose another file");
    }
}

} // namespace alidade::cli
