// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/document/bill.h"
#include "model/document/deadline_steps.h"
#include "model/document/key_assumptions.h"
#include "model/document/options.h"
#include "model/document/risks.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade {

/// Which parts of a document are wanted: those that are left out are not computed.
struct DocumentParts {
    bool options = true, risks = true, assumptions = true;
};

/// What a buyer's document holds besides the estimate itself, all found by estimating again.
struct PlanDocument {
    PlanResult result;
    std::optional<Bill> bill;           ///< absent without a price or an end
    double orderHours = 0;              ///< length of the order; 0: none
    double lowHours = 0, highHours = 0; ///< at the ends of its band; 0: there is no band
    std::vector<CashMonth> cash;
    std::vector<Risk> risks;
    std::vector<DeadlineStep> deadlineSteps; ///< what would meet the deadline, where the plan may miss it
    FoundOptions options;
    std::vector<KeyAssumption> assumptions;
    std::vector<std::string> usedAssumptions; ///< names of those that a figure of the estimate depends on
    FigureErrors errors;                      ///< for a comparison with other documents
};

/// \param estimate of the scenario
/// \returns an error for a scenario that means nothing
Result<PlanDocument> planDocument(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                  const Estimate& estimate, const DocumentParts& parts = {});

} // namespace alidade
