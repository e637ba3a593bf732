// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace alidade::cli {

/// What standard output can show.
struct Terminal {
    int width = 100;    ///< columns
    bool color = false; ///< ANSI colors and weights; never into a file or a pipe

    /// Of this process: colors only on a terminal that is not "dumb", without NO_COLOR.
    static Terminal ofStandardOutput();
};

enum class Style : unsigned char { plain, strong, quiet, good, warning, bad };

/// The text in a style; unchanged where there are no colors. What is not printable becomes U+FFFD.
std::string styled(const Terminal& terminal, std::string_view text, Style style);

/// Columns that a UTF-8 text takes; each character counts as one.
int columnsOf(std::string_view text);

/// Lines of at most `columns`, broken at spaces; a longer word has its own line. At least one line.
std::vector<std::string> wrapped(std::string_view text, int columns);

/// A bar of `columns` for a share of 0..1, in eighths of a column.
std::string bar(double share, int columns);

} // namespace alidade::cli
