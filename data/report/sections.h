// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/report.h"

namespace alidade::data {

// The sections of a report. Each is made only of what the estimate holds; one without content is not made.

// First page
std::optional<ReportSection> problemSection(const Estimate& estimate); ///< errors and warnings
std::optional<ReportSection> orderSection(const Estimate& estimate, const std::string& reportDate);
std::optional<ReportSection> stepSection(const Estimate& estimate);
std::optional<ReportSection> suggestionSection(const Estimate& estimate,
                                               const std::vector<Suggestion>& suggestions);
std::optional<ReportSection> mainAssumptionSection(const Estimate& estimate);

// Details
std::optional<ReportSection> figureSection(const Estimate& estimate);
std::optional<ReportSection> planSection(const Estimate& estimate);
std::optional<ReportSection> layerSection(const Estimate& estimate);
std::optional<ReportSection> expertSection(const Estimate& estimate); ///< absent without experts
std::optional<ReportSection> rooflineSection(const Estimate& estimate);
std::optional<ReportSection> memorySection(const Estimate& estimate);
std::optional<ReportSection> stageSection(const Estimate& estimate);
std::optional<ReportSection> costSection(const Estimate& estimate, const std::string& reportDate);
std::optional<ReportSection> assumptionSection(const Estimate& estimate);
std::optional<ReportSection>
noteSection(const Estimate& estimate); ///< all problems with their places and fixes
ReportSection conventionSection(const Estimate& estimate, const ReportContext& context);

// Comparison of several
Sentence comparisonSentence(std::span<const ReportInput> inputs, std::span<const std::string> names);
ReportSection comparisonSection(std::span<const ReportInput> inputs, std::span<const std::string> names);

// Plots
Plot stepPlot(const Training& training);
Plot layerPlot(const Training& training);
Plot memoryPlot(const Memory& memory);
/// nullopt if no operation has FLOP and bytes.
std::optional<Plot> rooflinePlot(const Estimate& estimate);

/// Place of a class in stacks and legends, from 0.
int stackOrder(Bound bound);

/// An input of the model by its identifier ("hbm_bandwidth"); nullptr if the estimate does not use it.
const AssumptionT<double>* assumption(const Estimate& estimate, std::string_view name);

/// What a person calls a kind of layer.
std::string layerTitle(const Layer& layer);

/// What a person calls it.
std::string assumptionLabel(const AssumptionT<double>& assumption);

} // namespace alidade::data
