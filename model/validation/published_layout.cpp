// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_layout.h"

#include "model/plan/recompute_words.h"
#include "model/validation/published_scenario.h"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace alidade {

namespace {

constexpr int mostRepeats = 1000;
constexpr std::size_t longestLayout = 100'000;

std::optional<int> wholeNumber(std::string_view text) {
    int out = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), out);
    return end.ec == std::errc() ? std::optional(out) : std::nullopt;
}

/// The layout with its repetitions written out; empty if it is broken. `at` ends behind what was read.
std::string written(std::string_view layout, std::size_t& at, bool inGroup) {
    std::string out;
    while (at < layout.size() && layout[at] != ')') {
        std::string part;
        if (layout[at] == '(') {
            part = written(layout, ++at, true);
            if (part.empty() || at >= layout.size())
                return {};
        } else {
            part = layout[at];
        }
        ++at;
        if (at < layout.size() && layout[at] == '*') {
            const auto times = wholeNumber(layout.substr(at + 1));
            if (!times || *times < 1 || *times > mostRepeats)
                return {};
            for (++at; at < layout.size() && layout[at] >= '0' && layout[at] <= '9';)
                ++at;
            const std::string once = part;
            for (int i = 1; i < *times && part.size() < longestLayout; ++i)
                part += once;
        }
        out += part;
        if (out.size() > longestLayout)
            return {};
    }
    return inGroup == (at < layout.size()) ? out : std::string();
}

} // namespace

std::vector<std::int64_t> layersOfStages(std::string_view layout, int stages, int layers) {
    std::size_t at = 0;
    const std::string text = written(layout, at, false);
    if (text.empty() || stages < 1)
        return {};
    std::vector<std::int64_t> out(static_cast<std::size_t>(stages), 0);
    std::size_t virtualStage = 0;
    for (const char c : text) {
        virtualStage += c == '|' ? 1 : 0;
        out[virtualStage % out.size()] += c == 't' ? 1 : 0;
    }
    return std::accumulate(out.begin(), out.end(), std::int64_t{0}) == layers ? out
                                                                              : std::vector<std::int64_t>{};
}

std::vector<std::string> recomputedModules(std::string_view words) {
    constexpr std::pair<std::string_view, const char*> phrases[] = {
        {"per-op", "per_op"},
        {"(op)", "per_op"},
        {"selective, op", "per_op"},
        {"every other layer", "every_other_layer"},
        {"attention core", "core_attn"},
        {"saves linear outputs", "core_attn"}};
    for (const auto& [phrase, word] : phrases)
        if (saysWord(words, phrase))
            return {word};
    std::vector<std::string> out;
    for (std::size_t at = 0; at < words.size();) {
        const auto letter = [&](std::size_t i) {
            return (words[i] >= 'a' && words[i] <= 'z') || words[i] == '_';
        };
        std::size_t end = at;
        while (end < words.size() && letter(end))
            ++end;
        const std::string_view word = words.substr(at, end - at);
        const RecomputeWord* known = findRecomputeWord(word);
        if (known != nullptr && known->megatron == word)
            out.emplace_back(word);
        at = std::max(end, at + 1);
    }
    return out;
}

std::optional<int> groupSize(std::string_view words) { return numberAfter(words, "FSDP over "); }

std::optional<int> numberAfter(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    return at == std::string_view::npos ? std::nullopt : wholeNumber(text.substr(at + words.size()));
}

std::optional<double> percentIn(std::string_view text) {
    const std::size_t end = text.find('%');
    if (end == std::string_view::npos)
        return std::nullopt;
    std::size_t begin = end;
    while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
        --begin;
    const auto number = wholeNumber(text.substr(begin, end - begin));
    return number ? std::optional(*number / 100.0) : std::nullopt;
}

} // namespace alidade
