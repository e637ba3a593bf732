// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/nccl_lines.h"

#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace alidade::data {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Returns whether a line is one of nccl-tests itself: a comment, or the size, count and type of a row.
bool isNcclLine(std::string_view line) {
    if (line.starts_with('#'))
        return true;
    const auto words = wordsOfLine(line.substr(0, 200));
    return words.size() > 6 && allDigits(words[0]) && allDigits(words[1]) && bytesOfNcclType(words[2]) > 0;
}

std::string_view withoutPrefixes(std::string_view line, int most);

/// Returns the length of the pod and container that stern writes before a line, which may have the prefixes
/// of a launcher; 0 if there are none.
std::size_t podLength(std::string_view line, int most) {
    const std::size_t pod = line.find(' ');
    if (pod == std::string_view::npos || line.substr(0, pod).find('-') == std::string_view::npos ||
        isNcclLine(line)) {
        return 0;
    }
    const std::size_t container = line.find(' ', pod + 1);
    return container != std::string_view::npos && isNcclLine(withoutPrefixes(line.substr(container), most))
               ? container
               : 0;
}

/// Returns the length of a prefix at the beginning of the line; 0 if there is none.
/// \param most prefixes that may follow
std::size_t prefixLength(std::string_view line, int most) {
    if (line.starts_with("[pod/")) { // kubectl logs --prefix: "[pod/name/container]"
        const std::size_t end = line.find(']');
        return end == std::string_view::npos ? 0 : end + 1;
    }
    if (line.starts_with('[')) { // mpirun --tag-output: "[1,0]<stdout>:"
        const std::size_t stream = line.find("]<std");
        const std::size_t end = stream == std::string_view::npos ? stream : line.find(">:", stream);
        return end == std::string_view::npos || end > 40 ? 0 : end + 2;
    }
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    // A timestamp before each line: "2026-11-20T10:00:00.000Z".
    if (word.size() >= 19 && word[4] == '-' && word[7] == '-' && (word[10] == 'T' || word[10] == '_') &&
        allDigits(word.substr(0, 4))) {
        return word.size();
    }
    // docker compose: "launcher-1  | ".
    if (const std::string_view rest = trimmed(line.substr(word.size())); rest.starts_with("| "))
        return static_cast<std::size_t>(rest.data() - line.data()) + 1;
    // srun --label: "0:"; pdsh and mpirun with host names: "node1:".
    if (word.size() < 2 || word.back() != ':')
        return most > 0 ? podLength(line, most) : 0;
    const std::string_view name = word.substr(0, word.size() - 1);
    const bool host = isLetter(name.front()) && std::ranges::all_of(name, [](char c) {
                          return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_';
                      });
    return allDigits(name) || host ? word.size() : 0;
}

std::string_view withoutPrefixes(std::string_view line, int most) {
    line = trimmed(line);
    while (most-- > 0) {
        const std::size_t length = prefixLength(line, most);
        if (length == 0)
            break;
        line = trimmed(line.substr(length));
    }
    return line;
}

} // namespace

std::string withoutEscapes(std::string_view text) {
    constexpr char escape = '\x1b';
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != escape) {
            out += text[i];
        } else if (i + 1 < text.size() && text[i + 1] == '[') { // up to a final byte
            i += 2;
            while (i < text.size() && (text[i] < '@' || text[i] > '~') && text[i] != '\n')
                ++i;
            if (i < text.size() && text[i] == '\n')
                out += '\n';
        }
    }
    return out;
}

bool allDigits(std::string_view word) { return !word.empty() && std::ranges::all_of(word, isDigit); }

std::string_view plainNcclLine(std::string_view line) {
    constexpr int mostPrefixes = 4; // the pod, a collector's timestamp, the launcher's rank, the host
    line = withoutPrefixes(line, mostPrefixes);
    if (line.starts_with('#') && !line.starts_with("#wrong"))
        line = trimmed(line.substr(1));
    return line;
}

std::vector<std::string_view> wordsOfLine(std::string_view line) {
    std::vector<std::string_view> out;
    while (!(line = trimmed(line)).empty()) {
        const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        out.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return out;
}

int bytesOfNcclType(std::string_view type) {
    constexpr std::array<std::pair<std::string_view, int>, 18> sizes{{{"int8", 1},
                                                                      {"uint8", 1},
                                                                      {"char", 1},
                                                                      {"fp8_e4m3", 1},
                                                                      {"fp8_e5m2", 1},
                                                                      {"f8e4m3", 1},
                                                                      {"f8e5m2", 1},
                                                                      {"half", 2},
                                                                      {"float16", 2},
                                                                      {"bfloat16", 2},
                                                                      {"float", 4},
                                                                      {"float32", 4},
                                                                      {"int32", 4},
                                                                      {"uint32", 4},
                                                                      {"int", 4},
                                                                      {"double", 8},
                                                                      {"int64", 8},
                                                                      {"uint64", 8}}};
    const auto* const found =
        std::find_if(sizes.begin(), sizes.end(), [&](const auto& each) { return each.first == type; });
    return found == sizes.end() ? 0 : found->second;
}

std::string partOfDevice(std::string_view device) {
    for (const std::string_view word : wordsOfLine(device)) {
        if (word == "NVIDIA" || word == "Tesla")
            continue;
        if (std::ranges::none_of(word, isDigit))
            return {};                                      // "Graphics Device"
        return std::string(word.substr(0, word.find('-'))); // "A100-SXM4-80GB"
    }
    return {};
}

std::string versionOfNcclCode(std::string_view code) {
    int number = 0;
    const auto read = std::from_chars(code.data(), code.data() + code.size(), number);
    if (read.ec != std::errc() || read.ptr != code.data() + code.size() || number < 10000)
        return {}; // the code had another format before 2.9
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
}

} // namespace alidade::data
