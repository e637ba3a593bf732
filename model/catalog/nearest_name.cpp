// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/catalog/catalog.h"

#include <algorithm>

namespace alidade {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance with insertions, deletions, replacements and swaps of neighbors, each 1; ignores case.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            const bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped)
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

/// Whether the text has the word at a position, ignoring case.
bool hasAt(std::string_view text, std::size_t place, std::string_view word) {
    return text.size() >= place + word.size() &&
           std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(place),
                      [](char a, char b) { return lower(a) == lower(b); });
}

bool contains(std::string_view text, std::string_view word) {
    for (std::size_t place = 0; place + word.size() <= text.size(); ++place)
        if (hasAt(text, place, word))
            return true;
    return false;
}

/// The shortest name that starts with the word followed by another part: "h100-sxm" for "h100".
std::string_view nameThatBeginsWith(std::string_view word, const std::vector<std::string>& known) {
    std::string_view best;
    for (const std::string& name : known) {
        const bool whole = hasAt(name, 0, word) &&
                           (name.size() == word.size() ||
                            std::string_view("-._/ ").find(name[word.size()]) != std::string_view::npos);
        if (whole && (best.empty() || name.size() < best.size()))
            best = name;
    }
    return best;
}

} // namespace

std::string nearestName(std::string_view word, const std::vector<std::string>& known) {
    constexpr std::size_t longest = 200; // of user input; the cost is the product of the lengths
    constexpr std::size_t leastPart = 2; // letters
    if (word.empty() || word.size() > longest)
        return {};
    if (word.size() >= leastPart)
        if (const std::string_view whole = nameThatBeginsWith(word, known); !whole.empty())
            return std::string(whole);
    const std::string* best = nullptr;
    std::size_t bestDistance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& name : known) {
        const std::size_t d = name.size() > longest ? longest : distance(word, name);
        if (d < bestDistance && d < word.size()) {
            best = &name;
            bestDistance = d;
        }
    }
    if (best != nullptr)
        return *best;
    // Not a typo: try part of a name, if it is long enough to be meaningful.
    constexpr std::size_t telling = 3;
    for (const std::string& name : known)
        if (word.size() >= telling && contains(name, word))
            return name;
    return {};
}

} // namespace alidade
