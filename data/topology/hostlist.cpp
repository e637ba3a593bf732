// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/hostlist.h"

#include <algorithm>
#include <cstdint>

namespace alidade::data {

namespace {

constexpr std::size_t longestNumber = 15; // digits: fits 64 bits with room to count

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t'; }

/// Letters and digits of coordinates: 0-9, then A-Z (Slurm counts in base 36).
int coordinateOf(char c) {
    if (isDigit(c))
        return c - '0';
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return upper >= 'A' && upper <= 'Z' ? upper - 'A' + 10 : -1;
}

char letterOf(int coordinate) {
    return static_cast<char>(coordinate < 10 ? '0' + coordinate : 'A' + coordinate - 10);
}

std::string padded(std::uint64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

class Expander {
public:
    Expander(std::string_view text, std::size_t limit)
        : text_(text)
        , limit_(limit) {}

    Result<std::vector<std::string>> run() {
        std::vector<std::string> out;
        while (fault_.empty() && !atEnd()) {
            skip();
            if (atEnd())
                break;
            one(out);
        }
        return fault_.empty() ? Result(std::move(out)) : Result<std::vector<std::string>>(Error{fault_});
    }

private:
    bool atEnd() const { return at_ >= text_.size(); }
    char here() const { return text_[at_]; }

    void skip() {
        while (!atEnd() && (here() == ',' || isBlank(here())))
            ++at_;
    }

    void refuse(std::size_t at, const std::string& why) {
        if (fault_.empty())
            fault_ = "column " + std::to_string(at + 1) + ": " + why;
    }

    /// One name with its brackets, up to the comma; appends what it represents.
    void one(std::vector<std::string>& out) {
        std::vector<std::string> names{std::string()};
        while (fault_.empty() && !atEnd() && here() != ',' && !isBlank(here())) {
            if (here() == ']')
                return refuse(at_, "']' without '['; write a list such as gpu[001-008]");
            if (here() == '[') {
                std::vector<std::string> parts;
                bracket(parts);
                cross(names, parts, out.size());
            } else {
                const std::size_t end = std::min(text_.find_first_of(",[] \t", at_), text_.size());
                for (std::string& name : names)
                    name += text_.substr(at_, end - at_);
                at_ = end;
            }
        }
        if (fault_.empty())
            out.insert(out.end(), names.begin(), names.end());
        if (out.size() > limit_)
            tooMany();
    }

    void tooMany() { refuse(at_ - 1, "expands to more than " + std::to_string(limit_) + " names; split it"); }

    void cross(std::vector<std::string>& names, const std::vector<std::string>& parts, std::size_t before) {
        if (!fault_.empty())
            return;
        if (parts.size() > (limit_ - std::min(limit_, before)) / names.size())
            return tooMany();
        std::vector<std::string> all;
        all.reserve(names.size() * parts.size());
        for (const std::string& name : names)
            for (const std::string& part : parts)
                all.push_back(name + part);
        names = std::move(all);
    }

    /// From '[' to ']', both consumed.
    void bracket(std::vector<std::string>& parts) {
        const std::size_t open = at_++;
        while (fault_.empty()) {
            const std::size_t end = text_.find_first_of(",]", at_);
            if (end == std::string_view::npos)
                return refuse(open, "'[' is not closed; write a list such as gpu[001-008]");
            range(parts, text_.substr(at_, end - at_));
            at_ = end + 1;
            if (text_[end] == ']')
                return;
        }
    }

    /// "7", "001-008" or a box "00x11".
    void range(std::vector<std::string>& parts, std::string_view word) {
        const std::size_t middle = word.find_first_of("-x");
        const std::string_view low = word.substr(0, middle);
        if (middle == std::string_view::npos)
            return numbers(parts, low, low);
        const std::string_view high = word.substr(middle + 1);
        word[middle] == 'x' ? box(parts, low, high) : numbers(parts, low, high);
    }

    bool isNumber(std::string_view word) {
        const bool good = !word.empty() && word.size() <= longestNumber && std::ranges::all_of(word, isDigit);
        if (!good) {
            refuse(at_, "'" + std::string(word.substr(0, 40)) +
                            "' is not a number inside brackets; write ranges such as [001-008,012]");
        }
        return good;
    }

    void numbers(std::vector<std::string>& parts, std::string_view low, std::string_view high) {
        if (!isNumber(low) || !isNumber(high))
            return;
        const std::uint64_t first = std::stoull(std::string(low)), last = std::stoull(std::string(high));
        if (last < first) {
            return refuse(at_, "the range " + std::string(low) + "-" + std::string(high) +
                                   " runs backwards; write the smaller number first");
        }
        if (last - first >= limit_ || parts.size() + (last - first) >= limit_) {
            at_ += 1;
            return tooMany();
        }
        for (std::uint64_t n = first; n <= last; ++n)
            parts.push_back(padded(n, low.size()));
    }

    void box(std::vector<std::string>& parts, std::string_view low, std::string_view high) {
        bool good = !low.empty() && low.size() == high.size() && low.size() <= 5;
        double volume = 1;
        for (std::size_t i = 0; good && i < low.size(); ++i) {
            const int from = coordinateOf(low[i]), to = coordinateOf(high[i]);
            good = from >= 0 && to >= from;
            volume *= to - from + 1;
        }
        if (!good) {
            return refuse(at_, "'" + std::string(low) + "x" + std::string(high) +
                                   "' is not a box of coordinates; write two corners such as [000x133]");
        }
        if (volume + static_cast<double>(parts.size()) > static_cast<double>(limit_)) {
            at_ += 1;
            return tooMany();
        }
        std::string corner(low.size(), '0');
        for (std::size_t i = 0; i < low.size(); ++i)
            corner[i] = letterOf(coordinateOf(low[i]));
        for (std::string at = corner;;) {
            parts.push_back(at);
            std::size_t i = at.size();
            while (i > 0 && coordinateOf(at[i - 1]) == coordinateOf(high[i - 1])) {
                at[i - 1] = corner[i - 1];
                --i;
            }
            if (i == 0)
                return;
            at[i - 1] = letterOf(coordinateOf(at[i - 1]) + 1);
        }
    }

    std::string_view text_;
    std::size_t limit_;
    std::size_t at_ = 0;
    std::string fault_;
};

} // namespace

Result<std::vector<std::string>> expandHostlist(std::string_view text, std::size_t limit) {
    return Expander(text, limit).run();
}

} // namespace alidade::data
