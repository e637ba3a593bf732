// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/terminal.h"

#include "model/units/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace alidade::cli {

namespace {

bool isSet(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

std::string_view codeOf(Style style) {
    switch (style) {
    case Style::plain:
        return {};
    case Style::strong:
        return "\033[1m";
    case Style::quiet:
        return "\033[2m";
    case Style::good:
        return "\033[1;32m";
    case Style::warning:
        return "\033[1;33m";
    case Style::bad:
        return "\033[1;31m";
    }
    return {};
}

} // namespace

Terminal Terminal::ofStandardOutput() {
    constexpr int narrowest = 60;
    constexpr int widest = 120;
    Terminal out;
    if (isatty(STDOUT_FILENO) != 0) {
        const char* kind = std::getenv("TERM");
        out.color = !isSet("NO_COLOR") && kind != nullptr && std::string_view(kind) != "dumb";
        winsize size{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
            out.width = std::clamp<int>(size.ws_col, narrowest, widest);
    }
    return out;
}

std::string styled(const Terminal& terminal, std::string_view text, Style style) {
    std::string safe = printable(text);
    if (!terminal.color || style == Style::plain || safe.empty())
        return safe;
    return std::string(codeOf(style)) + safe + "\033[0m";
}

int columnsOf(std::string_view text) {
    int columns = 0;
    while (!text.empty()) {
        text.remove_prefix(firstCodePoint(text).length);
        ++columns;
    }
    return columns;
}

std::vector<std::string> wrapped(std::string_view text, int columns) {
    std::vector<std::string> lines(1);
    int used = 0;
    while (!text.empty()) {
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, space);
        text.remove_prefix(std::min(space + 1, text.size()));
        const int length = columnsOf(word);
        if (used > 0 && used + 1 + length > columns) {
            lines.emplace_back();
            used = 0;
        }
        if (used > 0) {
            lines.back() += ' ';
            ++used;
        }
        lines.back() += word;
        used += length;
    }
    return lines;
}

std::string bar(double share, int columns) {
    constexpr std::array eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
    const auto steps = static_cast<std::size_t>(std::lround(clamped * columns * 8));
    std::string out;
    for (std::size_t i = 0; i < steps / 8; ++i)
        out += "█";
    return out + eighths[steps % 8];
}

} // namespace alidade::cli
