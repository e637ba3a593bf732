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
/// Returns the length of a prefix at the beginning of the line; 0 if there is none.
std::size_t prefixLength(std::string_view line) {
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
    // srun --label: "0:"; pdsh and mpirun with host names: "node1:".
    if (word.size() < 2 || word.back() != ':') {
        return 0;
    }
    const std::string_view name = word.substr(0, word.size() - 1);
    const bool host = isLetter(name.front()) && std::ranges::all_of(name, [](char c) {
                          return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_';
                      });
    return allDigits(name) || host ? word.size() : 0;
}

} // namespace

bool allDigits(std::string_view word) { return !word.empty() && std::ranges::all_of(word, isDigit); }

std::string_view plainNcclLine(std::string_view line) {
    constexpr int mostPrefixes = 3; // a collector's timestamp, the launcher's rank, the host
    line = trimmed(line);
    for (int i = 0; i < mostPrefixes; ++i) {
        const std::size_t length = prefixLength(line);
        if (length == 0) {
            break;
        }
        line = trimmed(line.substr(length));
    }
    if (line.starts_with('#') && !line.starts_with("#wrong")) {
        line = trimmed(line.substr(1));
    }
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
        if (word == "NVIDIA" || word == "Tesla") {
            continue;
        }
        if (std::ranges::none_of(word, isDigit)) {
            return {}; // "Graphics Device"
        }
        return std::string(word.substr(0, word.find('-'))); // "A100-SXM4-80GB"
    }
    return {};
}

std::string versionOfNcclCode(std::string_view code) {
    int number = 0;
    const auto read = std::from_chars(code.data(), code.data() + code.size(), number);
    if (read.ec != std::errc() || read.ptr != code.data() + code.size() || number < 10000) {
        return {}; // the code had another format before 2.9
    }
    return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
}

} // namespace alidade::data
