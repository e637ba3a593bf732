// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/scenario/edit.h"
#include "model/scenario/fields.h"
#include "model/search/plan_figures.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alidade {

/// One value of a free field: what to set for it. More than one field for a machine, whose count and region
/// change with it.
struct SearchChoice {
    std::vector<std::pair<const Field*, FieldValue>> sets;
    Edit edit; ///< the same, as typed
};

/// A field that the search varies. The number of machines, cluster.instances or cluster.ultraservers, is that
/// of whichever kind a plan has.
struct FreeField {
    std::string path;
    std::vector<SearchChoice> choices; ///< at least one, all different
};

/// A bound on a figure.
struct SearchLimit {
    const PlanFigure* figure = nullptr;
    bool atMost = true;
    double value = 0; ///< SI units of the figure

    bool holds(double figureValue) const { return atMost ? figureValue <= value : figureValue >= value; }
};

/// What is searched, and what for.
struct SearchQuestion {
    ScenarioSpec base;                         ///< the present plan, with the fields that are fixed
    ScenarioSpec start;                        ///< the same without the fields that follow from free ones
    Edit cleared;                              ///< what `start` lacks of `base`
    std::vector<FreeField> free;               ///< the first one varies slowest
    std::vector<const PlanFigure*> objectives; ///< one or two
    std::vector<SearchLimit> limits;
    bool robust = false;  ///< rank by the unfavorable end of the error band, which also has to fit
    std::size_t top = 10; ///< plans in the answer

    /// Plans in the space: the product of the numbers of choices. At most mostPlans.
    std::uint64_t plans() const;
};

/// Larger spaces are refused: they would take days.
inline constexpr std::uint64_t mostPlans = 10'000'000'000;

/// A free field with the values that `words` lists: "1,2,4", "1..8", "true", ids; without words all values
/// that may be legal in this scenario. \returns an error that says how to fix it
Result<FreeField> freeField(const ScenarioSpec& spec, const Catalog& catalog, std::string_view path,
                            std::string_view words);

/// Instance types and UltraServers as one free field. \param words ids separated by commas, or "all": those
/// that training or serving at scale is rented on. Each gets as many machines as have the GPUs of the
/// scenario.
Result<FreeField> freeMachines(const ScenarioSpec& spec, const Catalog& catalog, std::string_view words);

/// The fields that are free if none is named: degrees, micro-batch and recomputation of a training plan;
/// degrees of a serving plan.
std::vector<FreeField> usualFreeFields(const ScenarioSpec& spec, const Catalog& catalog);

/// A bound as "FIGURE=VALUE", the value with its unit: "serving.ttft_s=500 ms". \returns an error that names
/// the nearest known figure
Result<SearchLimit> searchLimit(const WorkloadSpec& workload, std::string_view text, bool atMost);

/// The figure that an objective names. \returns an error with the nearest known one
Result<const PlanFigure*> searchObjective(const WorkloadSpec& workload, std::string_view path);

/// Why a question cannot be searched; empty: it can. \pre completeQuestion()
std::string wrongWith(const SearchQuestion& question);

/// Fills in what was not asked for: the usual free fields, the objective, and `start`.
void completeQuestion(SearchQuestion& question, const Catalog& catalog, const Profile& profile);

} // namespace alidade
