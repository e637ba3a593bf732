// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/advice/suggestion.h"
#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

#include <string>

namespace alidade {

/// Why a change helps and what it costs, derived only from the figures before and after it: "NVLink traffic
/// falls from 1.20 s to 410 ms per step; the rent of the run is $1.20 M instead of $1.45 M; bought as a
/// Capacity Block in us-west-2 instead of On-Demand in us-east-2". Anything that gets worse is also stated.
/// \param sequence what a service works on: "request" or "sample"
std::string suggestionReason(const Suggestion& suggestion, const std::string& sequence = "request");

/// How the machines of a priced scenario are bought, in a word for purchaseChange(): with a base, in two
/// ways.
std::string purchaseOf(const Scenario& scenario);
std::string purchaseOf(const Cost& cost);

/// "bought as a Capacity Block in us-west-2 instead of On-Demand in us-east-2"; empty if the purchase option
/// does not change. \param purchase of purchaseOf(), or as in a scenario; empty: no price
std::string purchaseChange(const std::string& purchaseBefore, const std::string& regionBefore,
                           const std::string& purchaseAfter, const std::string& regionAfter);

/// The text for a change of a scenario in undo and problems: describeEdit(), plus the purchase option if it
/// changes without being part of the edit.
std::string describeChange(const ScenarioSpec& spec, const Edit& edit, const Catalog& catalog,
                           const Profile& profile);

} // namespace alidade
