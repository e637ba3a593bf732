// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/hardware/provenance.h"

namespace alidade {
namespace {

/// Shell pattern with '*' only; iterative, so no pattern can make it slow.
bool matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

} // namespace

bool standsFor(const Source& source, std::string_view key) {
    for (const std::string& field : source.fields)
        if (matches(field, key))
            return true;
    return false;
}

const Source* sourceOf(const Provenance& provenance, std::string_view key) {
    const Source* whole = nullptr;
    for (const Source& source : provenance.sources) {
        if (standsFor(source, key))
            return &source;
        if (whole == nullptr && source.fields.empty())
            whole = &source;
    }
    return whole;
}

SharedText citation(std::string_view name, std::string_view before, const Provenance& provenance,
                    std::string_view key) {
    const Source* source = sourceOf(provenance, key);
    if (source == nullptr)
        return SharedText::joined({name, before, "no source (assumption)"});
    return source->date.empty() ? SharedText::joined({name, before, source->title})
                                : SharedText::joined({name, before, source->title, " (", source->date, ")"});
}

std::string citation(const Provenance& provenance, std::string_view key) {
    return citation("", "", provenance, key).str();
}

} // namespace alidade
