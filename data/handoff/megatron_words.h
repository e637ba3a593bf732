// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <optional>
#include <string>
#include <vector>

namespace alidade::data::handoff {

// What Megatron-LM and Megatron-Bridge have in common. Settings are named as options of Megatron-LM.

/// The words of plan.recompute; "none" if it is absent.
std::vector<std::string> recomputeWords(const ScenarioSpec& spec);
/// Granularity, method, modules.
Settings recomputeSettings(const ScenarioSpec& spec, std::vector<LeftOut>& left);
/// How the layers are split over the stages, where it is not evenly; and the schedules that do not exist.
Settings pipelineSettings(const HandoffSource& source, std::vector<LeftOut>& left);

/// "Et*3|(tt|)*29,m|L": layers of each part; empty if the text is no layout.
std::vector<std::int64_t> layersOfLayout(std::string_view layout);

/// Megatron's module name → Alidade's word.
std::string recomputeModule(std::string_view module);

} // namespace alidade::data::handoff
