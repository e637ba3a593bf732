// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/file/open_input.h"

#include <map>
#include <mutex>
#include <sys/stat.h>
#include <utility>

namespace alidade::data {

namespace {

struct OpenInputs {
    std::mutex mutex;
    std::uint64_t last = 0;
    std::map<std::uint64_t, std::pair<std::string, std::string>> files; ///< file name and description
};

OpenInputs& openInputs() {
    static auto* const inputs = new OpenInputs; // never destroyed: workers may use it until the process ends
    return *inputs;
}

} // namespace

OpenInput::OpenInput() {
    const std::lock_guard lock(openInputs().mutex);
    id_ = ++openInputs().last;
}

OpenInput::~OpenInput() { name({}, {}); }

void OpenInput::name(const std::string& file, const std::string& what) {
    const std::lock_guard lock(openInputs().mutex);
    if (file.empty())
        openInputs().files.erase(id_);
    else
        openInputs().files[id_] = {file, what};
}

std::string openInputAt(const std::string& file, std::uint64_t own) {
    auto files = [] {
        const std::lock_guard lock(openInputs().mutex);
        return openInputs().files;
    }();
    files.erase(own);
    struct stat target{};
    if (files.empty() || ::stat(file.c_str(), &target) != 0)
        return {};
    for (const auto& [id, each] : files) {
        struct stat input{};
        if (::stat(each.first.c_str(), &input) == 0 && input.st_dev == target.st_dev &&
            input.st_ino == target.st_ino)
            return each.second;
    }
    return {};
}

} // namespace alidade::data
