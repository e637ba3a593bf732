// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/topology/group_kind.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace alidade {

/// Degrees of parallelism; tensor x context x data x pipeline = expertTensor x expert x expertData x pipeline
/// = ranks. For a serving engine, `context` is attention data and `data` its replicas.
struct Degrees {
    int tensor = 1, context = 1, data = 1, pipeline = 1;
    int expertTensor = 1, expert = 1, expertData = 1;
    int shard = 1; ///< ranks of the data group that share training state
    int expertShard = 1;
};

/// The position of a rank in each dimension.
struct Coordinates {
    int tensor = 0, context = 0, data = 0, pipeline = 0;
    int expertTensor = 0, expert = 0, expertData = 0;
};

/// The members of one kind of group as a pattern in rank numbers: index k of its index space is (k % inner) x
/// innerStride + (k / inner) x outerStride after its first rank; the group takes every `step`-th index.
struct GroupPattern {
    int ranks = 1; ///< of one group
    int inner = 1, outer = 1;
    std::int64_t innerStride = 1, outerStride = 1;
    int step = 1;
};

/// The distance in ranks between neighbors of each group.
struct RankStrides {
    std::int64_t tensor = 1, context = 1, data = 1, pipeline = 1;
    std::int64_t expertTensor = 1, expert = 1, expertData = 1;
    std::int64_t ranks = 1; ///< of all groups
};

/// \param order "tp-cp-ep-dp-pp", fastest first; other words have no ranks
RankStrides rankStrides(const Degrees& degrees, std::string_view order);

/// The groups that ranks form under a rank order. Cheap: a few numbers.
class RankLayout {
public:
    RankLayout() = default;
    /// \param order "tp-cp-ep-dp-pp", fastest first; all five words once each
    RankLayout(const Degrees& degrees, std::string_view order);
    /// Returns the layout of consecutive replicas of an engine: tensor ranks fastest, then attention data,
    /// then stages. Experts are exchanged between all ranks of a stage.
    static RankLayout serving(int tensor, int attentionData, int pipeline, int replicas);

    int ranks() const { return ranks_; }
    const Degrees& degrees() const { return degrees_; }
    Coordinates coordinates(int rank) const;
    const GroupPattern& pattern(GroupKind kind) const { return patterns_[static_cast<std::size_t>(kind)]; }
    /// Returns the members of a rank's group, in ring order.
    std::vector<int> groupOf(GroupKind kind, int rank) const;
    /// Returns the kinds with more than one rank per group; parts of the data group only if they are not all
    /// of it.
    std::vector<GroupKind> kinds() const;

private:
    Degrees degrees_;
    int ranks_ = 1;
    Coordinates strides_{1, 1, 1, 1, 1, 1, 1};
    std::array<GroupPattern, allGroupKinds.size()> patterns_{};
};

} // namespace alidade
