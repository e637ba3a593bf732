// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/messages.h"

#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace alidade::cli {

namespace {

/// Length of one of the sequences that `styled` writes, at the begin of a text; 0: there is none.
std::size_t styleLength(std::string_view text) {
    constexpr std::array<std::string_view, 6> styles{"\033[0m",    "\033[1m",    "\033[2m",
                                                     "\033[1;32m", "\033[1;33m", "\033[1;31m"};
    for (const std::string_view style : styles)
        if (text.starts_with(style))
            return style.size();
    return 0;
}

std::string escaped(char32_t c) {
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c & 0xFFFF)); // none is above that
    return buffer;
}

} // namespace

void say(std::string_view line) {
    constexpr std::size_t longest = 300; // characters, with what precedes
    const std::string shown = printable(elided(line, longest - std::string_view("alidade: ").size()));
    std::fprintf(stderr, "alidade: %s\n", shown.c_str());
}

void warn(std::string_view line) { say("warning: " + std::string(line)); }

namespace {

/// Lines may end as in CSV; a carriage return elsewhere would write over its own line.
std::string printableLines(std::string_view text) {
    constexpr std::string_view end = "\r\n";
    std::string out;
    for (std::size_t at = text.find(end); at != std::string_view::npos; at = text.find(end)) {
        out += printable(text.substr(0, at), "\n");
        out += end;
        text.remove_prefix(at + end.size());
    }
    return out += printable(text, "\n");
}

} // namespace

std::string printableOutput(std::string_view text, const Terminal& terminal) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t escape = terminal.color ? text.find('\033') : std::string_view::npos;
        out += printableLines(text.substr(0, escape));
        text.remove_prefix(std::min(escape, text.size()));
        const std::size_t style = styleLength(text);
        out += text.substr(0, style);
        if (style == 0 && !text.empty())
            out += "\uFFFD";
        text.remove_prefix(std::min(std::max<std::size_t>(style, 1), text.size()));
    }
    return out;
}

std::string printableJson(std::string_view document) {
    std::string out;
    out.reserve(document.size());
    while (!document.empty()) {
        const CodePoint c = firstCodePoint(document);
        const bool isWrong = c.value == 0xFFFD && c.length == 1;
        if (c.value == U'\n' || (!isWrong && !isUnprintable(c.value)))
            out += document.substr(0, c.length);
        else
            out += isWrong ? std::string("\uFFFD") : escaped(c.value);
        document.remove_prefix(c.length);
    }
    return out;
}

} // namespace alidade::cli
