// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/plan/inputs.h"

#include <string_view>

// What the rigs of training and of serving share.
namespace alidade::test {

/// A model so small that every number can be counted on paper, split over 2 tensor and 4 expert ranks. Sizes
/// have few factors in common, so that no term can replace another one.
inline void setSmallModel(Inputs& in) {
    in[Input::hiddenSize] = 64;
    in[Input::attentionHeads] = 8;
    in[Input::kvHeads] = 4;
    in[Input::headDim] = 16;
    in[Input::ffnSize] = 96;
    in[Input::ffnMatrices] = 3;
    in[Input::vocabulary] = 1000;
    in[Input::routedExperts] = 16;
    in[Input::expertsPerToken] = 2;
    in[Input::expertFfnSize] = 40;
    in[Input::expertHiddenSize] = 32;
    in[Input::expertParallel] = 4;
    in[Input::expertTensorParallel] = 2;
    in[Input::tensorParallel] = 2;
    in[Input::ownPartShare] = 0.45;
    in[Input::bulkStepFactor] = 4;
    in[Input::networkSpeedupLimit] = 0.97;
    in[Input::networkTreeEfficiency] = 0.92;
    in[Input::networkPatEfficiency] = 0.75;
    in[Input::networkBulkSync] = 2.7;
    in[Input::networkLowLatencyShare] = 0.025;
}

/// Sum of a figure over the operations of that name that also satisfy a condition; negative if there is none.
template <class Op, class Ops, class Condition>
double sumOf(const Ops& ops, std::string_view name, double Op::* figure, Condition holds) {
    double total = 0;
    bool any = false;
    for (const Op& op : ops) {
        if (std::string_view(op.name) == name && holds(op)) {
            total += op.*figure;
            any = true;
        }
    }
    return any ? total : -1;
}

} // namespace alidade::test
