// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace alidade::cli {

ProgressLine::ProgressLine(std::string before, std::string after)
    : before_(std::move(before))
    , after_(std::move(after))
    , onTerminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
    if (last_ >= 0)
        std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(double share) {
    constexpr double rounding = 1e-9; // 0.29 x 100 is less than 29
    const int percent = static_cast<int>(100 * std::clamp(share, 0.0, 1.0) + rounding);
    if (onTerminal_ && last_.exchange(percent) != percent)
        std::fprintf(stderr, "\r%s%3d %%%s", before_.c_str(), percent, after_.c_str());
}

} // namespace alidade::cli
