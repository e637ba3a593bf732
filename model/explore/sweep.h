// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/variable.h"
#include "model/kernels/bound.h"
#include "model/search/plan_figures.h"

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace alidade {

/// A variable with the values that it takes.
struct SweepAxis {
    Variable variable;
    std::vector<FieldValue> values;
};

/// Reads "FIELD=A..B", "FIELD=A..B:20" (points), "FIELD=A..B:step 4", "FIELD=A..B:log" (also with a number:
/// "log 20"), or a list "FIELD=A,B,C". Without a number of points: each value of a degree or of a short range
/// of whole numbers, else 25 points. \returns an error that says what would be right
Result<SweepAxis> sweepAxis(std::string_view text, const Scenario& scenario);

struct SweepPoint {
    std::vector<FieldValue> values; ///< of the axes
    bool runs = false, fits = false;
    std::string why; ///< it does not run: the first rule that it breaks
    std::vector<std::pair<const PlanFigure*, double>> figures; ///< empty if it does not run
    std::optional<Bound> bound;                                ///< what limits it
};

/// Between two neighbours something else becomes the limit.
struct SweepKink {
    std::vector<FieldValue> values; ///< the first ones with the new limit
    Bound from{}, to{};
};

struct Sweep {
    std::vector<SweepAxis> axes;
    std::vector<SweepPoint> points; ///< the last axis varies fastest
    std::vector<SweepKink> kinks;   ///< along the last axis; of a continuous one between two points, closer
    bool complete = true;           ///< false: stopped
};

inline constexpr std::size_t mostSweepPoints = 100'000;

/// Estimates every combination of the values. \pre at most mostSweepPoints of them
Sweep sweep(const Explorer& explorer, std::vector<SweepAxis> axes, const std::stop_token& stop = {});

} // namespace alidade
