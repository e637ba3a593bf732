// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/observe.h"
#include "app/cli/terminal.h"
#include "model/observation/finding.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::cli {

/// Findings of one reading, judged like the Live page of the window.
struct HealthAnswer {
    std::string server, job; ///< empty job: everything
    TimeGrid grid;
    NoData noData;
    std::size_t unanswered = 0; ///< queries
    std::string policy;         ///< its name
    FindingLevel failOn = FindingLevel::now;
    std::vector<Finding> findings;

    /// Findings at this level or above.
    std::size_t count(FindingLevel level) const;
    /// Exit status: 1 without any sample, 3 with findings at or above `failOn`, else 0.
    int status() const { return noData.everywhere ? 1 : count(failOn) > 0 ? 3 : 0; }
};

/// For a person.
std::string healthText(const HealthAnswer& answer, const Terminal& terminal);
/// The documented object.
std::string healthJson(const HealthAnswer& answer);

/// One finding as a JSON object on one line, for `watch --json`. \param change "new", "changed" or "over"
std::string findingLine(const Finding& finding, std::string_view change, double time);
/// The same for a time without data. \param change "new" or "over"
std::string gapLine(const DataGap& gap, std::string_view change, double time);
/// "No data since 12:00:00Z: no exporter answered".
std::string gapTitle(const DataGap& gap);

} // namespace alidade::cli
