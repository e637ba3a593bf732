// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/topology/json_documents.h"

#include <algorithm>
#include <cstdio>

namespace alidade::data {

namespace {

constexpr std::size_t mostDocuments = 100'000;

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// End of the object or array that begins at `at`: behind its closing bracket, or the end of the text.
std::size_t endOfDocument(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"')
            for (++at; at < text.size() && text[at] != '"'; ++at)
                at += text[at] == '\\' ? 1 : 0;
        else if (c == '{' || c == '[')
            ++depth;
        else if ((c == '}' || c == ']') && --depth == 0)
            return at + 1;
    }
    return text.size();
}

/// "line 2, column 7: ..." of a part that begins after `before`, in the whole text.
std::string inWholeText(const std::string& message, std::string_view before) {
    unsigned long line = 0, column = 0;
    int length = 0;
    if (std::sscanf(message.c_str(), "line %lu, column %lu%n", &line, &column, &length) != 2)
        return message;
    if (line == 1)
        column += before.size() - (before.rfind('\n') + 1); // npos + 1 is 0
    line += static_cast<unsigned long>(std::ranges::count(before, '\n'));
    return "line " + std::to_string(line) + ", column " + std::to_string(column) +
           message.substr(static_cast<std::size_t>(length));
}

} // namespace

Result<std::vector<nlohmann::json>> readJsonDocuments(std::string_view text, const JsonLimits& limits) {
    std::vector<nlohmann::json> out;
    std::size_t at = 0;
    do {
        const bool opens = at < text.size() && (text[at] == '{' || text[at] == '[');
        const std::size_t end = opens ? endOfDocument(text, at) : text.size();
        Result<nlohmann::json> document = parseJson(text.substr(at, end - at), limits);
        if (!document)
            return Error{inWholeText(document.error(), text.substr(0, at))};
        if (out.size() == mostDocuments) {
            return Error{"more than " + std::to_string(mostDocuments) +
                         " documents; put the pages into one list"};
        }
        out.push_back(*std::move(document));
        at = end;
        while (at < text.size() && isSpace(text[at]))
            ++at;
    } while (at < text.size());
    return out;
}

} // namespace alidade::data
