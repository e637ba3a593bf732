// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/training/layer_context.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace alidade {

/// Layers of the plans evaluated so far. Many plans of a search have the same layers: these do not depend on
/// the number of stages and chunks, nor on most of sharding and schedule. For plans of one model on the same
/// machines with the same software and constants; one per thread.
class LayerMemo {
public:
    LayerMemo();

    /// What the layers of a plan have in common; made once as long as the plan and its inputs stay in the
    /// same place. Valid until the next call. \pre the plans since clear() differ in their layout only
    LayerContext<double>& contextOf(const TrainingPlan& plan, const Inputs& inputs, Bound networkKind);
    /// Sets the totals of all layers of a plan and what they hold, if they are known; their lists stay empty.
    bool recall(const LayerContext<double>& context, Totals& out) const;
    /// Remembers the layers of a plan. \pre !recall(context, out)
    void keep(const LayerContext<double>& context, const Totals& out);
    /// Forgets all: the next plan differs in more than its layout.
    void clear();

private:
    void clearLayers();

    static constexpr std::size_t most = 4096; ///< plans remembered; all are forgotten when more come
    static constexpr std::size_t keyWords = 48;
    /// What the layers of a plan depend on.
    struct Key {
        std::array<std::uint64_t, keyWords> words; ///< the first `size` of them are set
        std::size_t size = 0;
        void add(std::uint64_t word) { words[size++] = word; }
        void add(const GroupShape& group);
        friend bool operator==(const Key& a, const Key& b) {
            return a.size == b.size && std::equal(a.words.begin(), a.words.begin() + a.size, b.words.begin());
        }
    };
    struct Layers {
        LayerTotals<double> embedding, head, prediction;
        LayerHolds<double> predictionHolds;
        std::array<LayerTotals<double>, mostLayerKinds> layers;
        std::array<LayerHolds<double>, mostLayerKinds> holds;
    };
    static Key keyOf(const LayerContext<double>& context);
    /// Where the key is in the table, or would be put.
    std::size_t slotOf(const Key& key) const;

    std::optional<LayerContext<double>> context_;
    std::vector<std::uint32_t> slots_; ///< open addressing: 1 + index into what is remembered; 0: free
    std::vector<Key> keys_;
    std::vector<Layers> layers_;
    CollectiveMemo collectives_;
};

} // namespace alidade
