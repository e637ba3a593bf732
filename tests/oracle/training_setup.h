// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/hardware/hardware.h" // Precision of the headers below
#include "model/training/decoder_layer.h"
#include "model/training/training_memory.h"
#include "tests/oracle/adaptors.h"

#include <memory>

namespace alidade::oracle {

/// A training plan with its inputs. Whatever a case does not name is switched off, so that the formulas of
/// the program reduce to those of the papers.
struct TrainingSetup {
    explicit TrainingSetup(const Architecture& model, int tensorParallel = 1, int contextParallel = 1);

    LayerContext<double> context() const { return LayerContext<double>(plan, in, Bound::efa); }
    /// The kind of the layers with experts, or of the dense ones.
    const LayerKind& kindWith(FeedForward feedForward) const;
    /// Deals the layers evenly to stages: boundaries round(i L / p), half to even.
    void dealLayers(int stages);

    TrainingPlan plan;
    Inputs in;
    std::vector<std::uint8_t> kindOfLayer;
};

/// What one rank of a stage holds. \pre dealLayers()
StageCost<double> heldByRank(const TrainingSetup& setup, int stage);

} // namespace alidade::oracle
