// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace alidade {

/// A set of layout fields: bit layoutFieldBit() of each.
using LayoutFields = std::uint32_t;

namespace detail {

template <auto Member>
void copyMember(const PlanSpec& from, PlanSpec& to) {
    to.*Member = from.*Member;
}

struct LayoutField {
    std::string_view path;
    void (*copy)(const PlanSpec&, PlanSpec&);
};

/// In the order in which rules about the layout ask for them; a search walks through them in this order.
constexpr std::array<LayoutField, 15> layoutFields{
    {{"plan.tensor_parallel", copyMember<&PlanSpec::tensorParallel>},
     {"plan.context_parallel", copyMember<&PlanSpec::contextParallel>},
     {"plan.pipeline_parallel", copyMember<&PlanSpec::pipelineParallel>},
     {"plan.data_parallel", copyMember<&PlanSpec::dataParallel>},
     {"plan.expert_parallel", copyMember<&PlanSpec::expertParallel>},
     {"plan.expert_tensor_parallel", copyMember<&PlanSpec::expertTensorParallel>},
     {"plan.virtual_pipeline", copyMember<&PlanSpec::virtualPipeline>},
     {"plan.pipeline_split", copyMember<&PlanSpec::pipelineSplit>},
     {"plan.schedule", copyMember<&PlanSpec::schedule>},
     {"plan.micro_batch", copyMember<&PlanSpec::microBatch>},
     {"plan.sequence_parallel", copyMember<&PlanSpec::sequenceParallel>},
     {"plan.context_parallel_kind", copyMember<&PlanSpec::contextParallelKind>},
     {"plan.sharding", copyMember<&PlanSpec::sharding>},
     {"plan.shard_size", copyMember<&PlanSpec::shardSize>},
     {"plan.recompute", copyMember<&PlanSpec::recompute>}}};

} // namespace detail

inline constexpr LayoutFields allLayoutFields = (LayoutFields{1} << detail::layoutFields.size()) - 1;

/// The bit of a layout field; 0 of any other field.
constexpr LayoutFields layoutFieldBit(std::string_view path) {
    for (std::size_t i = 0; i < detail::layoutFields.size(); ++i)
        if (detail::layoutFields[i].path == path)
            return LayoutFields{1} << i;
    return 0;
}

/// Degrees, schedule, sharding, micro-batch and recomputation: the fields of a training plan that neither the
/// machines nor the constants depend on.
constexpr bool isLayoutField(std::string_view path) { return layoutFieldBit(path) != 0; }

/// Sets all layout fields of a plan to those of another one.
inline void copyLayout(const PlanSpec& from, PlanSpec& to) {
    for (const detail::LayoutField& each : detail::layoutFields)
        each.copy(from, to);
}

} // namespace alidade
