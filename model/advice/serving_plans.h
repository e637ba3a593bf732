// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"

#include <vector>

namespace alidade {

// Serving plans worth trying, as edits. Cheap necessary conditions avoid evaluating illegal plans; evaluating
// a plan decides whether it runs and what it gains.

/// Degrees of one replica; the number of replicas follows from the GPUs.
struct ServingLayout {
    int tensor = 1, pipeline = 1, attentionData = 1, expert = 1;
    int gpus() const { return tensor * pipeline * attentionData; }
};

/// Layouts of one replica on the machines of a plain scenario (plainService) that satisfy the divisibility
/// rules and whose weights leave room on a GPU, smallest replicas first.
std::vector<ServingLayout> servingLayouts(const Scenario& base);

/// A layout as fields to set; the number of replicas follows from it.
Edit editOf(const ServingLayout& layout, const Scenario& base);

/// Narrower formats than the current ones that this GPU computes in, each as an edit: of the cache, of the
/// weights, of both. The mildest first.
std::vector<Edit> narrowerFormats(const ScenarioSpec& spec, const Scenario& base, const Catalog& catalog);

/// Changes of one field that affect neither formats nor machines: degrees, engine limits, optional fields to
/// clear.
std::vector<Edit> servingPlanEdits(const ScenarioSpec& spec, const Scenario& base);

/// Changes of pool sizes, for disaggregated prefill and decode.
std::vector<Edit> poolEdits(const ScenarioSpec& spec, const Scenario& base);

/// The scenario on its machines with the simplest plan; nullopt if even that is not modeled.
std::optional<Scenario> plainService(const ScenarioSpec& spec, const Catalog& catalog,
                                     const Profile& profile);

} // namespace alidade
