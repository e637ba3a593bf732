// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/software_name.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace alidade {

namespace {

char inLowerCase(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Lower case, with runs of characters other than letters, digits and dots replaced by one space.
std::string plainWords(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool counts = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
        if (counts)
            out += inLowerCase(c);
        else if (!out.empty() && out.back() != ' ')
            out += ' ';
    }
    if (out.ends_with(' '))
        out.pop_back();
    return out;
}

/// Number of matching letters of the pattern; 0 if it does not match. "prefix ... phrase": the phrase must
/// occur in the notes.
std::size_t fit(std::string_view pattern, const std::string& words, std::string_view notes) {
    constexpr std::string_view gap = " ... ";
    const std::size_t at = pattern.find(gap);
    const std::string prefix = plainWords(pattern.substr(0, at));
    const bool inWord =
        words.size() > prefix.size() && isLetter(words[prefix.size()]) && isLetter(prefix.back());
    if (prefix.empty() || !words.starts_with(prefix) || inWord)
        return 0;
    if (at == std::string_view::npos)
        return prefix.size();
    const std::string_view phrase = pattern.substr(at + gap.size());
    return saysWord(notes, phrase) ? prefix.size() + phrase.size() : 0;
}

} // namespace

std::string softwareRelease(std::string_view words) {
    const auto isDigit = [&words](std::size_t at) {
        return at < words.size() && std::isdigit(static_cast<unsigned char>(words[at])) != 0;
    };
    const auto trimmed = [](std::string_view text) {
        const std::size_t end = text.find_last_not_of(' ');
        return std::string(end == std::string_view::npos ? std::string_view() : text.substr(0, end + 1));
    };
    for (std::size_t at = 1; at < words.size(); ++at) {
        // "26.02", "v5.0", "r0.8.0", "2025-06": at the begin of a word.
        const bool lettered =
            (words[at - 1] == 'v' || words[at - 1] == 'r') && (at < 2 || words[at - 2] == ' ');
        if (!isDigit(at) || !(words[at - 1] == ' ' || lettered))
            continue;
        std::size_t end = at;
        for (int places = 0; places < 2; ++places) {
            while (isDigit(end))
                ++end;
            if (places == 0 && end < words.size() && (words[end] == '.' || words[end] == '-') &&
                isDigit(end + 1)) {
                ++end;
            } else {
                break;
            }
        }
        return std::string(words.substr(0, end));
    }
    return trimmed(words);
}

bool saysWord(std::string_view text, std::string_view phrase) {
    return std::search(text.begin(), text.end(), phrase.begin(), phrase.end(),
                       [](char a, char b) { return inLowerCase(a) == inLowerCase(b); }) != text.end();
}

const Framework* softwareNamed(const std::vector<Framework>& known, std::string_view words,
                               std::string_view notes) {
    const std::string plain = plainWords(words);
    const Framework* best = nullptr;
    std::size_t most = 0;
    for (const Framework& each : known) {
        if (plain.size() > most && plainWords(each.id) == plain) {
            most = plain.size();
            best = &each;
        }
        for (const std::string& pattern : each.software) {
            if (const std::size_t letters = fit(pattern, plain, notes); letters > most) {
                most = letters;
                best = &each;
            }
        }
    }
    return best;
}

} // namespace alidade
