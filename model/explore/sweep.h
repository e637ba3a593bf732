// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/explore/variable.h"
#include "model/kernels/bound.h"
#include "model/search/question.h"

#include <array>
#include <cstddef>
#include <functional>
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
/// of whole numbers, else 25 points. Dates have their own steps: see datesBetween(). \returns an error that
/// says how to fix it
Result<SweepAxis> sweepAxis(std::string_view text, const Scenario& scenario);

/// The values that a person usually asks about: those of a degree or a choice that may be legal, else from an
/// eighth (a quarter of whole numbers) of the present value to a multiple of it, at round and legal numbers.
/// Less than two values: it cannot be swept. \param points at most so many, at least 2
SweepAxis usualAxis(const Variable& variable, const Scenario& present, const Explorer& explorer, int points);

struct SweepFigure {
    const PlanFigure* figure = nullptr;
    double value = 0;
    double low = 0, high = 0; ///< 10 % and 90 % quantiles; the value itself where the figure is exact
};

struct SweepPoint {
    std::vector<FieldValue> values; ///< of the axes
    bool runs = false, fits = false;
    std::string why;                  ///< it does not run: the first rule that it breaks
    std::vector<SweepFigure> figures; ///< empty if it does not run
    std::optional<Bound> bound;       ///< what limits it
    /// Of the step (serving: of a decode step), by class; they sum to 1 if it runs.
    std::array<double, allBounds.size()> shares{};
    Edit plan; ///< what the search set to make the best of this point; see SweepOptions::optimize

    const SweepFigure* figure(const PlanFigure& which) const; ///< nullptr if it has none
};

/// Between two neighbors something else becomes the limit.
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

struct SweepOptions {
    int threads = 1; ///< 0: as many as the machine has
    std::stop_token stop = {};
    /// Fields that are searched at each point, so that it shows the best plan there instead of the present
    /// one with one field changed; a swept field is left out. Empty: only the swept fields change.
    std::vector<FreeField> optimize = {};
    const PlanFigure* objective = nullptr; ///< what the search looks for. \pre set where `optimize` is
    /// Called for each point as it is done, from any thread, in any order.
    std::function<void(std::size_t index, const SweepPoint& point)> done = {};
};

/// Estimates every combination of the values. The answer is the same for any number of threads; a stopped one
/// has the points before the first that is missing. \pre at most mostSweepPoints of them
Sweep sweep(const Explorer& explorer, std::vector<SweepAxis> axes, const SweepOptions& options = {});

/// The parts of a sweep over one number where the figure is worth its cost, in a sentence: "Beyond 2,176
/// growth hardly pays: 88 % more of it gives 3.5 % more." Of dates and words, which is best and which worst.
/// Empty if nothing of the kind can be said.
std::string sweepHeadline(const Sweep& sweep, const PlanFigure& figure);

} // namespace alidade
