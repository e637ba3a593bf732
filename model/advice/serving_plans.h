// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"

#include <vector>

namespace alidade {

// Plans of a serving scenario that are worth trying, as edits. Cheap necessary rules spare evaluating what
// cannot be legal; that a plan runs and what it brings is for the engine to say.

/// Degrees of one replica; how many replicas there are follows from the GPUs.
struct ServingLayout {
    int tensor = 1, pipeline = 1, attentionData = 1, expert = 1;
    int gpus() const { return tensor * pipeline * attentionData; }
};

/// Layouts of one replica on the machines of a plain scenario (plainService) that divide what they must and
/// whose weights leave room on a GPU, the smallest replicas first.
std::vector<ServingLayout> servingLayouts(const Scenario& base);

/// A layout as fields to set; the number of replicas follows from it.
Edit editOf(const ServingLayout& layout, const Scenario& base);

/// Narrower formats than the present ones that this GPU computes in, each as an edit: of the cache, of the
/// weights, of both. The mildest first.
std::vector<Edit> narrowerFormats(const ScenarioSpec& spec, const Scenario& base, const Catalog& catalog);

/// Changes of one field that touch neither formats nor machines: degrees, limits of the engine, what may be
/// left out.
std::vector<Edit> servingPlanEdits(const ScenarioSpec& spec, const Scenario& base);

/// Changes of the size of a pool, where prefill and decode are apart.
std::vector<Edit> poolEdits(const ScenarioSpec& spec, const Scenario& base);

/// As many of the present machines; the replicas follow. \pre count > 0
Edit machineCountEdit(const ScenarioSpec& spec, std::int64_t count);
std::int64_t machineCount(const ScenarioSpec& spec);

/// Ids of the instance types that serve: GPUs with 16-bit matrix units, rented alone.
std::vector<std::string> servingInstances(const Catalog& catalog);

/// The scenario on its machines with the plainest plan; nullopt if not even that is modelled.
std::optional<Scenario> plainService(const ScenarioSpec& spec, const Catalog& catalog,
                                     const Profile& profile);

} // namespace alidade
