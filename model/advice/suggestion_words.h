// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"
#include "model/advice/suggestion.h"

#include <string>

namespace alidade {

/// Why a change helps and what it costs, from the figures before and after it and from nothing else: "NVLink
/// traffic falls from 1.20 s to 410 ms a step; the run costs $1.20 M instead of $1.45 M; bought as a Capacity
/// Block in us-west-2 instead of On-Demand in us-east-2". What gets worse is said as well.
std::string suggestionReason(const Suggestion& suggestion);

/// "bought as a Capacity Block in us-west-2 instead of On-Demand in us-east-2"; empty where the way of paying
/// stays. \param purchase as in a scenario; empty: there is no price
std::string purchaseChange(const std::string& purchaseBefore, const std::string& regionBefore,
                           const std::string& purchaseAfter, const std::string& regionAfter);

/// What undo and problems call a change of a scenario: describeEdit(), and how the machines are bought where
/// that changes without being part of the edit.
std::string describeChange(const ScenarioSpec& spec, const Edit& edit, const Catalog& catalog,
                           const Profile& profile);

} // namespace alidade
