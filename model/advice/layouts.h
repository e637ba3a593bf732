// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/advice/edits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace alidade {

/// The degrees of a training plan; data parallelism follows from the GPUs.
struct Layout {
    int tensor = 1, context = 1, pipeline = 1, chunks = 1, expert = 1;
    int ranks() const { return tensor * context * pipeline; } ///< GPUs of one replica
};

/// The divisibility rules and bounds for layouts of a scenario: cheap necessary conditions that avoid
/// resolving illegal layouts. Whether a layout runs and fits is decided by evaluating it.
class LayoutSpace {
public:
    /// \param base resolved on the machines in question; its own degrees do not matter
    LayoutSpace(const ScenarioSpec& spec, const Scenario& base);

    /// Whether the degrees satisfy the divisibility rules, with micro-batches of one sequence.
    bool divides(const Layout& layout) const;
    /// Whether the weights could fit on a GPU at all.
    bool mayFit(const Layout& layout) const;
    /// Layouts without chunks that pass both checks, smallest replicas first.
    std::vector<Layout> shapes() const;
    /// Chunks per stage that may help with a shape: none, few, and as many as the layers allow.
    std::vector<int> chunkChoices(const Layout& shape) const;
    /// Expert degrees that satisfy the divisibility rules with a shape; {1} without experts.
    std::vector<int> expertChoices(const Layout& shape) const;
    /// Context degrees worth trying: only 1 for short sequences.
    std::vector<int> contextChoices() const;

private:
    Architecture model_;
    std::int64_t gpus_, batch_, sequence_;
    int domain_;
    bool sequenceParallel_;  ///< sequences must be divisible by the tensor degree
    double sharedBytes_ = 0; ///< of the state that only tensor and pipeline parallelism divide
    double expertBytes_ = 0; ///< of experts
    double capacity_ = 0;    ///< of a GPU
};

/// Recomputation settings for this model, fastest first, the one with the least memory last.
std::vector<std::string> recomputeLadder(const Architecture& model);

/// Pipeline degrees worth trying: powers of two, and divisors of the layer count (with and without embedding
/// and head).
std::vector<int> pipelineDegrees(std::int64_t gpus, int layers);

/// A layout as fields to set; data parallelism, split and schedule follow from it.
Edit editOf(const Layout& layout, const Architecture& model, std::string_view recompute);

/// The fastest layout found with at most `budget` evaluations; nullopt if none runs and fits.
std::optional<Edit> fastestLayout(const ScenarioSpec& spec, const LayoutSpace& space,
                                  const Architecture& model, Evaluator& evaluator, std::size_t budget);

/// A layout that runs and fits, trying those with the least memory first; nullopt if none of a few does.
std::optional<Edit> frugalLayout(const ScenarioSpec& spec, const LayoutSpace& space,
                                 const Architecture& model, Evaluator& evaluator);

} // namespace alidade
