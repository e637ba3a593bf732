// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/kit/segmented_buttons.h"

namespace alidade {
template <class N>
struct EstimateT;
using Estimate = EstimateT<double>;
} // namespace alidade

namespace alidade::views {

class Document;

/// Decode or prefill: the step of serving that all views on a step show. A window has one, above them. Hidden
/// for training.
class StepSwitch : public SegmentedButtons {
    Q_OBJECT
public:
    explicit StepSwitch(Document& document, QWidget* parent = nullptr);
    /// Offers the steps that the estimate has.
    void setEstimate(const Estimate& estimate);

private:
    Document& document_;
};

} // namespace alidade::views
