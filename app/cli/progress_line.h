// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <string>

namespace alidade::cli {

/// While it lives, a line on standard error says how far the work is; it then leaves nothing behind. On a
/// terminal only: a file or a pipe gets nothing. May be called from several threads.
class ProgressLine {
public:
    /// \param before, after what is around the percentage: "Reading the metrics: ", " of 4,096 plans"
    explicit ProgressLine(std::string before = {}, std::string after = {});
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void show(double share); ///< 0..1; says 100 % only when all is done

private:
    std::string before_, after_;
    bool onTerminal_;
    std::atomic<int> last_{-1}; ///< percent; -1: nothing was shown
};

} // namespace alidade::cli
