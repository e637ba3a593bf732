// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/jobs/read_container.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string>

namespace alidade::data::handoff {

namespace {

/// Options of `docker run` that no value follows.
bool standsAlone(const std::string& option) {
    static const std::set<std::string, std::less<>> all{
        "--detach", "--init", "--interactive", "--no-healthcheck", "--oom-kill-disable", "--privileged",
        "--tty",    "--rm",   "--publish-all", "--quiet",          "--read-only",        "--sig-proxy"};
    if (option.starts_with("--"))
        return all.contains(option) || option.find('=') != std::string::npos;
    return option.find_first_not_of("-ditqP") == std::string::npos || option.find('=') != std::string::npos;
}

} // namespace

std::vector<ShellWord> entrypointOf(std::string_view image, int line) {
    if (image.find("vllm-openai") == std::string_view::npos)
        return {};
    return {{"vllm", line}, {"serve", line}};
}

std::vector<ShellWord> insideContainer(std::span<const ShellWord> words) {
    std::vector<ShellWord> out;
    bool replaced = false; // the entry point of the image
    std::size_t at = 0;
    for (; at < words.size() && words[at].text.starts_with('-'); ++at) {
        const std::string& option = words[at].text;
        if (option.starts_with("--entrypoint=")) {
            out.push_back({option.substr(option.find('=') + 1), words[at].line});
            replaced = true;
        } else if (!standsAlone(option) && at + 1 < words.size()) {
            ++at;
            if (option == "--entrypoint") {
                out.push_back(words[at]);
                replaced = true;
            }
        }
    }
    if (at >= words.size())
        return {};
    if (!replaced)
        out = entrypointOf(words[at].text, words[at].line);
    std::erase_if(out, [](const ShellWord& each) { return each.text.empty(); });
    std::ranges::copy(words.subspan(at + 1), std::back_inserter(out));
    return out;
}

} // namespace alidade::data::handoff
