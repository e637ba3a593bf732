// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/figure_path.h"

#include "model/estimate/visit.h"

#include <algorithm>
#include <vector>

namespace alidade {

namespace {

bool isIndex(std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

bool sameName(std::string_view a, std::string_view b) {
    const auto plain = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '_' ? ' ' : c;
    };
    return std::ranges::equal(a, b, [&](char x, char y) { return plain(x) == plain(y); });
}

/// "a[b].c" in its parts: "a", "b", "c". Quotation marks in brackets are left out.
std::vector<std::string> partsOf(std::string_view path) {
    std::vector<std::string> parts(1);
    bool bracket = false;
    for (const char c : path) {
        if (c == '[' && !bracket) {
            bracket = true;
            if (!parts.back().empty())
                parts.emplace_back();
        } else if (c == ']' && bracket) {
            bracket = false;
        } else if (c == '.' && !bracket) {
            parts.emplace_back();
        } else if (!bracket || (c != '"' && c != '\'')) {
            parts.back() += c;
        }
    }
    return parts;
}

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts)
        out += (out.empty() ? "" : ".") + part;
    return out;
}

/// An element of an array with a text that names it.
struct NamedElement {
    std::string array; ///< dotted path
    int index = 0;
    std::string name;
};

/// Walks through the document and notes the arrays and what their elements are called.
template <class N>
class ElementNames {
public:
    explicit ElementNames(std::vector<NamedElement>& out)
        : out_(out) {}

    void beginObject(std::string_view key) { open(key, false); }
    void beginArray(std::string_view key) { open(key, true); }
    void endObject() { levels_.pop_back(); }
    void endArray() { levels_.pop_back(); }
    void number(std::string_view, const N&, Dimension, std::string_view) { count(); }
    void constant(std::string_view, double, Dimension, std::string_view) { count(); }
    void integer(std::string_view, std::int64_t, std::string_view) { count(); }
    void text(std::string_view key, std::string_view value) {
        const bool naming = key == "name" || key == "kind" || key == "op";
        if (naming && levels_.size() > 1 && levels_[levels_.size() - 2].array) {
            const Level& array = levels_[levels_.size() - 2];
            out_.push_back({array.path, array.next - 1, std::string(value)});
        }
        count();
    }
    void flag(std::string_view, bool) { count(); }
    void null(std::string_view) { count(); }
    void architecture(std::string_view, const Architecture&) { count(); }

private:
    struct Level {
        std::string path;
        bool array = false;
        int next = 0;
    };

    void count() {
        if (!levels_.empty())
            ++levels_.back().next;
    }
    void open(std::string_view key, bool array) {
        std::string path;
        if (!levels_.empty()) {
            const Level& above = levels_.back();
            path = above.path + (above.path.empty() ? "" : ".") +
                   (above.array ? std::to_string(above.next) : std::string(key));
        }
        count();
        levels_.push_back({std::move(path), array, 0});
    }

    std::vector<NamedElement>& out_;
    std::vector<Level> levels_;
};

template <class N>
Result<std::string> resolved(const EstimateT<N>& estimate, std::string_view written) {
    std::vector<NamedElement> elements;
    visitEstimate(estimate, ElementNames<N>(elements));
    std::string path;
    for (const std::string& part : partsOf(written)) {
        std::vector<int> meant;
        for (const NamedElement& each : elements)
            if (!isIndex(part) && each.array == path && sameName(each.name, part))
                meant.push_back(each.index);
        if (meant.size() > 1) {
            std::string indices;
            for (const int index : meant)
                indices += (indices.empty() ? "" : ", ") + std::to_string(index);
            return Error{"'" + path + "' has '" + part + "' more than once; use one of the indices " +
                         indices};
        }
        path += (path.empty() ? "" : ".") + (meant.empty() ? part : std::to_string(meant.front()));
    }
    return path;
}

} // namespace

std::string dottedPath(std::string_view written) { return joined(partsOf(written)); }

Result<std::string> figurePath(const Estimate& estimate, std::string_view written) {
    return resolved(estimate, written);
}

Result<std::string> figurePath(const EstimateT<Traced>& estimate, std::string_view written) {
    return resolved(estimate, written);
}

} // namespace alidade
