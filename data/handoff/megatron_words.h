// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/job.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alidade::data::handoff {

// What Megatron-LM and Megatron-Bridge have in common. Settings are named as options of Megatron-LM.

/// An option of Megatron-LM and the key of Megatron-Bridge that says the same.
struct BridgeKey {
    enum class Kind : std::uint8_t {
        value,
        flag, ///< the option stands alone, the key is true
        list  ///< words after the option, [a,b] in the key
    };
    std::string_view option, key;
    Kind kind = Kind::value;
};
std::span<const BridgeKey> bridgeKeys();

/// The words of plan.recompute; "none" if it is absent.
std::vector<std::string> recomputedWords(const ScenarioSpec& spec);
/// Granularity, method, modules.
Settings recomputeSettings(const ScenarioSpec& spec, std::vector<LeftOut>& left);
/// The same without the modules that Megatron-Core refuses for this model and precision.
/// \param fp8Recipe that applies where the plan names none
Settings recomputeSettings(const HandoffSource& source, std::string_view fp8Recipe,
                           std::vector<LeftOut>& left);
/// Takes the CUDA graphs out where full recomputation leaves no part of a step to record.
/// \param name the option or key that asks for them
void leaveGraphsOut(const ScenarioSpec& spec, std::string_view name, Settings& out,
                    std::vector<LeftOut>& left);
/// Whether the experts of a GPU share grouped kernels; names the field where there are no experts.
bool groupsExperts(const HandoffSource& source, std::vector<LeftOut>& left);
/// How the layers are split over the stages, where it is not evenly; and the schedules that do not exist.
Settings pipelineSettings(const HandoffSource& source, std::vector<LeftOut>& left);

/// "Et*3|(tt|)*29,m|L": layers of each part; empty if the text is not a layout.
std::vector<std::int64_t> layersOfLayout(std::string_view layout);

} // namespace alidade::data::handoff
