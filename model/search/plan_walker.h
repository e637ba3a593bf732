// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/layout_fields.h"
#include "model/scenario/scenario.h"
#include "model/search/question.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace alidade {

/// Walks through a space: sets the fields whose value changes from one plan to the next.
class PlanWalker {
public:
    explicit PlanWalker(const SearchQuestion& question);

    /// The spec of a plan. Valid until the next call.
    const ScenarioSpec& at(std::uint64_t index);

    /// The layout fields in which the last plan differs from the one before; nullopt if it differs in others
    /// as well. See LayoutResolver.
    std::optional<LayoutFields> changed() const { return changed_; }
    /// The end of the run of plans around `index` that have the same values of all fields but layout fields
    /// that are not in `decidedBy`.
    std::uint64_t endOfRun(std::uint64_t index, LayoutFields decidedBy) const;
    /// Which value each free field has in the last plan.
    const std::vector<std::size_t>& digits() const { return digits_; }

private:
    static constexpr std::size_t unset = std::numeric_limits<std::size_t>::max();
    /// Sets next_ to the digits of a plan.
    void readDigits(std::uint64_t index);
    /// Whether a choice of this field or of a faster one sets several fields.
    bool setsSeveral(std::size_t from) const;

    const SearchQuestion& question_;
    ScenarioSpec spec_;
    std::vector<std::size_t> digits_, next_;
    std::uint64_t index_ = 0;        ///< of the last plan
    std::vector<LayoutFields> bits_; ///< of each free field; 0: no layout field
    std::optional<LayoutFields> changed_;
};

/// Which value each free field has in a plan of the space.
void digitsAt(const SearchQuestion& question, std::uint64_t index, std::span<std::size_t> digits);

/// The value of each free field that the present plan has; none where the field has other values only.
std::vector<std::optional<std::size_t>> presentDigits(const SearchQuestion& question,
                                                      const Scenario* resolved);

/// What to set in the question's base to get a plan of its space.
Edit editOf(const SearchQuestion& question, std::uint64_t index);

} // namespace alidade
