// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/topology/rank_layout.h"

#include <algorithm>

namespace alidade {

RankStrides rankStrides(const Degrees& degrees, std::string_view order) {
    RankStrides out;
    std::int64_t dense = 1, experts = 1;
    while (!order.empty()) {
        const std::string_view word = order.substr(0, order.find('-'));
        order.remove_prefix(std::min(order.size(), word.size() + 1));
        const auto kind = groupOfWord(word);
        if (kind == GroupKind::tensor) {
            out.tensor = dense;
            out.expertTensor = experts;
            dense *= degrees.tensor;
            experts *= degrees.expertTensor;
        } else if (kind == GroupKind::context) {
            out.context = dense;
            dense *= degrees.context;
        } else if (kind == GroupKind::expert) {
            out.expert = experts;
            experts *= degrees.expert;
        } else if (kind == GroupKind::data) {
            out.data = dense;
            out.expertData = experts;
            dense *= degrees.data;
            experts *= degrees.expertData;
        } else if (kind == GroupKind::pipeline) {
            out.pipeline = dense;
            dense *= degrees.pipeline;
            experts *= degrees.pipeline;
        }
    }
    out.ranks = dense;
    return out;
}

RankLayout::RankLayout(const Degrees& degrees, std::string_view order)
    : degrees_(degrees) {
    const auto [tensor, context, data, pipeline, expertTensor, expert, expertData, ranks] =
        rankStrides(degrees, order);
    ranks_ = static_cast<int>(ranks);
    strides_ = {static_cast<int>(tensor),    static_cast<int>(context),      static_cast<int>(data),
                static_cast<int>(pipeline),  static_cast<int>(expertTensor), static_cast<int>(expert),
                static_cast<int>(expertData)};
    const auto put = [&](GroupKind kind, int ranks, std::int64_t stride) -> GroupPattern& {
        return patterns_[static_cast<std::size_t>(kind)] = {
                   .ranks = ranks, .inner = ranks, .innerStride = stride};
    };
    put(GroupKind::tensor, degrees.tensor, tensor);
    put(GroupKind::context, degrees.context, context);
    put(GroupKind::pipeline, degrees.pipeline, pipeline);
    put(GroupKind::expertTensor, degrees.expertTensor, expertTensor);
    put(GroupKind::expert, degrees.expert, expert);
    GroupPattern replicas{.ranks = degrees.data * degrees.context};
    const bool contextFirst = context <= data;
    replicas.inner = contextFirst ? degrees.context : degrees.data;
    replicas.innerStride = contextFirst ? context : data;
    replicas.outer = contextFirst ? degrees.data : degrees.context;
    replicas.outerStride = contextFirst ? data : context;
    if (replicas.inner == 1 || replicas.outer == 1 ||
        replicas.outerStride == replicas.innerStride * replicas.inner) { // consecutive
        replicas.innerStride = replicas.inner == 1 ? replicas.outerStride : replicas.innerStride;
        replicas.inner *= replicas.outer;
        replicas.outer = 1;
    }
    const auto part = [&](const GroupPattern& whole, GroupKind kind, int ranks, int step) {
        GroupPattern& out = patterns_[static_cast<std::size_t>(kind)] = whole;
        out.ranks = std::max(1, ranks);
        out.step = std::max(1, step);
    };
    part(replicas, GroupKind::data, replicas.ranks, 1);
    part(replicas, GroupKind::shard, degrees.shard, 1);
    part(replicas, GroupKind::replica, replicas.ranks / std::max(1, degrees.shard), degrees.shard);
    part({.ranks = degrees.expertData, .inner = degrees.expertData, .innerStride = expertData},
         GroupKind::expertData, degrees.expertShard, 1);
}

RankLayout RankLayout::serving(int tensor, int attentionData, int pipeline, int replicas) {
    const int stage = tensor * attentionData;
    RankLayout out({.tensor = tensor,
                    .context = attentionData,
                    .data = replicas,
                    .pipeline = pipeline,
                    .expert = stage,
                    .expertData = replicas},
                   "tp-cp-ep-pp-dp");
    for (const GroupKind silent :
         {GroupKind::context, GroupKind::data, GroupKind::shard, GroupKind::replica, GroupKind::expertData}) {
        out.patterns_[static_cast<std::size_t>(silent)] = {}; // these never communicate
    }
    return out;
}

Coordinates RankLayout::coordinates(int rank) const {
    const auto of = [&](int stride, int degree) { return rank / stride % degree; };
    return {of(strides_.tensor, degrees_.tensor),
            of(strides_.context, degrees_.context),
            of(strides_.data, degrees_.data),
            of(strides_.pipeline, degrees_.pipeline),
            of(strides_.expertTensor, degrees_.expertTensor),
            of(strides_.expert, degrees_.expert),
            of(strides_.expertData, degrees_.expertData)};
}

std::vector<int> RankLayout::groupOf(GroupKind kind, int rank) const {
    const GroupPattern& p = pattern(kind);
    const std::int64_t i = rank / p.innerStride % p.inner;
    const std::int64_t j = p.outer > 1 ? rank / p.outerStride % p.outer : 0;
    const std::int64_t base = rank - i * p.innerStride - j * p.outerStride;
    const std::int64_t index = i + j * p.inner;
    const std::int64_t first = p.step > 1 ? index % p.step : index / p.ranks * p.ranks;
    std::vector<int> out;
    out.reserve(static_cast<std::size_t>(p.ranks));
    for (std::int64_t n = 0; n < p.ranks; ++n) {
        const std::int64_t k = first + n * p.step;
        out.push_back(static_cast<int>(base + k % p.inner * p.innerStride + k / p.inner * p.outerStride));
    }
    return out;
}

std::vector<GroupKind> RankLayout::kinds() const {
    std::vector<GroupKind> out;
    for (const GroupKind kind : allGroupKinds) {
        const bool part = kind == GroupKind::shard || kind == GroupKind::replica;
        const bool whole = part && pattern(kind).ranks == pattern(GroupKind::data).ranks;
        if (pattern(kind).ranks > 1 && !whole)
            out.push_back(kind);
    }
    return out;
}

} // namespace alidade
