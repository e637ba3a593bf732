// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/scenario/spec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace alidade {

/// A set of layout fields: bit layoutFieldBit() of each. Layout fields are degrees, schedule, sharding,
/// micro-batch and recomputation: those of a training plan that neither the machines nor the constants depend
/// on.
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

/// Sets some layout fields of a plan to those of another one.
inline void copyLayout(const PlanSpec& from, PlanSpec& to, LayoutFields fields) {
    for (LayoutFields rest = fields & allLayoutFields; rest != 0; rest &= rest - 1)
        detail::layoutFields[static_cast<std::size_t>(std::countr_zero(rest))].copy(from, to);
}

} // namespace alidade
