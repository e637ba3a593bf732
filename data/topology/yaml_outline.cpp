// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/yaml_outline.h"

#include <algorithm>

namespace alidade::data {

namespace {

constexpr std::size_t deepest = 32;

struct OutlineLine {
    std::size_t number = 0, indent = 0;
    std::string_view text; ///< without indent, comment and blanks at its end
};

/// Up to a comment: a '#' at the beginning or after a blank, outside quotes.
std::string_view uncommented(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t'))
            return line.substr(0, i);
    }
    return line;
}

std::string_view trimmedWord(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(" \t\r") + 1); // npos + 1 is 0
}

/// Where the ':' of "key: value" or "key:" is; npos if there is none.
std::size_t colonOf(std::string_view text) {
    for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1))
        if (at + 1 == text.size() || text[at + 1] == ' ')
            return at;
    return std::string_view::npos;
}

class OutlineReader {
public:
    Result<OutlineNode> run(std::string_view text) {
        split(text);
        OutlineNode out;
        if (fault_.empty() && !lines_.empty())
            out = block(lines_.front().indent, 0);
        if (fault_.empty() && at_ < lines_.size())
            refuse(lines_[at_].number, "is indented less than the lines above; begin it where they begin");
        return fault_.empty() ? Result(std::move(out)) : Result<OutlineNode>(Error{fault_});
    }

private:
    void refuse(std::size_t line, const std::string& why) {
        if (fault_.empty())
            fault_ = std::to_string(line) + ": " + why;
    }

    void split(std::string_view text) {
        std::size_t number = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            std::string_view line = text.substr(at, end - at);
            at = end + 1;
            ++number;
            const std::string_view content = trimmedWord(uncommented(line));
            if (content.empty() || content == "---")
                continue;
            const std::size_t indent = line.find_first_not_of(' ');
            if (line[indent] == '\t')
                return refuse(number, "a tab indents; YAML requires spaces");
            lines_.push_back({number, indent, content});
        }
    }

    bool more(std::size_t indent) const {
        return fault_.empty() && at_ < lines_.size() && lines_[at_].indent == indent;
    }

    /// The lines of one indent: a list or members.
    OutlineNode block(std::size_t indent, std::size_t depth) {
        OutlineNode out;
        out.line = lines_[at_].number;
        if (depth > deepest)
            refuse(out.line, "nested deeper than " + std::to_string(deepest) + " levels; flatten it");
        while (more(indent)) {
            const bool item = lines_[at_].text.starts_with("- ") || lines_[at_].text == "-";
            if (item)
                out.items.push_back(listItem(indent, depth));
            else
                member(out, indent, depth);
            if (!out.items.empty() && !out.members.empty())
                refuse(out.line, "a list and members at one indent; indent the list further");
        }
        if (fault_.empty() && at_ < lines_.size() && lines_[at_].indent > indent)
            refuse(lines_[at_].number, "is indented further than the lines above; begin it where they begin");
        return out;
    }

    /// "- " and what follows it, which counts as indented by where it begins.
    OutlineNode listItem(std::size_t indent, std::size_t depth) {
        OutlineLine& line = lines_[at_];
        std::string_view rest = line.text.substr(1);
        const std::size_t gap = std::min(rest.find_first_not_of(' '), rest.size());
        rest.remove_prefix(gap);
        if (rest.empty()) {
            const std::size_t number = line.number;
            ++at_;
            return at_ < lines_.size() && lines_[at_].indent > indent ? block(lines_[at_].indent, depth + 1)
                                                                      : OutlineNode{.line = number};
        }
        if (colonOf(rest) != std::string_view::npos || rest.starts_with("- ")) {
            line.indent = indent + 1 + gap;
            line.text = rest;
            return block(line.indent, depth + 1);
        }
        OutlineNode out;
        scalar(out, rest, line.number);
        ++at_;
        return out;
    }

    void member(OutlineNode& out, std::size_t indent, std::size_t depth) {
        const OutlineLine line = lines_[at_];
        const std::size_t colon = colonOf(line.text);
        if (colon == std::string_view::npos) {
            return refuse(line.number, "'" + std::string(line.text.substr(0, 40)) +
                                           "' is neither \"key: value\" nor an item of a list");
        }
        const std::string key(trimmedWord(line.text.substr(0, colon)));
        const std::string_view value = trimmedWord(line.text.substr(colon + 1));
        if (out.member(key) != nullptr)
            return refuse(line.number, "'" + key + "' occurs twice; keep one of them");
        ++at_;
        OutlineNode node;
        node.line = line.number;
        if (!value.empty()) {
            scalar(node, value, line.number);
        } else if (at_ < lines_.size() &&
                   (lines_[at_].indent > indent ||
                    (lines_[at_].indent == indent && lines_[at_].text.starts_with("-")))) {
            node = lines_[at_].indent > indent ? block(lines_[at_].indent, depth + 1)
                                               : listAt(indent, depth + 1);
            node.line = line.number;
        }
        node.key = key;
        out.members.push_back(std::move(node));
    }

    /// A list that is not indented further than its key.
    OutlineNode listAt(std::size_t indent, std::size_t depth) {
        OutlineNode out;
        while (more(indent) && lines_[at_].text.starts_with("-"))
            out.items.push_back(listItem(indent, depth));
        return out;
    }

    void scalar(OutlineNode& out, std::string_view text, std::size_t line) {
        out.line = line;
        const char first = text.front();
        if (first == '&' || first == '*' || first == '!' || first == '|' || first == '>' || first == '{') {
            return refuse(line, "'" + std::string(text.substr(0, 40)) +
                                    "' is YAML beyond what topology.yaml needs; write plain words and lists");
        }
        if (first == '[' && text.back() == ']') {
            std::string_view rest = text.substr(1, text.size() - 2);
            while (!rest.empty()) {
                const std::size_t end = std::min(rest.find(','), rest.size());
                out.items.push_back(
                    {.line = line, .word = std::string(unquoted(trimmedWord(rest.substr(0, end))))});
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
            return;
        }
        out.word = unquoted(text);
    }

    static std::string_view unquoted(std::string_view text) {
        const bool quoted =
            text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
        return quoted ? text.substr(1, text.size() - 2) : text;
    }

    std::vector<OutlineLine> lines_;
    std::size_t at_ = 0;
    std::string fault_;
};

} // namespace

const OutlineNode* OutlineNode::member(std::string_view name) const {
    const auto found = std::ranges::find(members, name, &OutlineNode::key);
    return found == members.end() ? nullptr : &*found;
}

Result<OutlineNode> readOutline(std::string_view text) { return OutlineReader().run(text); }

} // namespace alidade::data
