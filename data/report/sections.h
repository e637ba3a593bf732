// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/answer.h"

namespace alidade::data {

// The sections of a report. Each is made only of what the estimate holds; one without content is not made.

// First page
std::optional<ReportSection> problemSection(const Estimate& estimate); ///< errors and warnings
std::optional<ReportSection> orderSection(const Estimate& estimate, const PriceNote& price,
                                          const std::string& reportDate);
std::optional<ReportSection> stepSection(const Estimate& estimate);
std::optional<ReportSection> suggestionSection(const Estimate& estimate,
                                               const std::vector<Suggestion>& suggestions);
std::optional<ReportSection> mainAssumptionSection(const Estimate& estimate);

/// The custom values that an answer rests on; absent without any.
std::optional<ReportSection> customValueSection(std::span<const CustomValue> values);
/// "It is computed with 2 custom values: ...", the first ones by name. Precondition: not empty.
Sentence customValueSentence(std::span<const CustomValue> values);

// First page, serving
std::optional<ReportSection> rentSection(const Estimate& estimate, const PriceNote& price,
                                         const std::string& reportDate);
std::optional<ReportSection> loadSection(const Estimate& estimate); ///< absent without a load curve
std::optional<ReportSection> decodeStepSection(const Estimate& estimate);

// Details, serving
std::optional<ReportSection> servingFigureSection(const Estimate& estimate);
std::optional<ReportSection>
testTimeSection(const Estimate& estimate);                             ///< of several samples, or a selection
std::optional<ReportSection> latencySection(const Estimate& estimate); ///< percentiles and targets
std::optional<ReportSection> poolSection(const Estimate& estimate);
std::optional<ReportSection> loadTableSection(const Estimate& estimate);
void addServingSteps(Report& report, const Estimate& estimate);  ///< the decode and the prefill step
void addServingMemory(Report& report, const Estimate& estimate); ///< of each pool, where there are several

// Reinforcement learning: the phases of a step, the figures, the pools
std::optional<ReportSection> rlStepSection(const Estimate& estimate);
std::optional<ReportSection> rlFigureSection(const Estimate& estimate);
std::optional<ReportSection> rlPoolSection(const Estimate& estimate);

// Details
std::optional<ReportSection> figureSection(const Estimate& estimate);
std::optional<ReportSection> planSection(const Estimate& estimate);
std::optional<ReportSection> runSection(const Estimate& estimate); ///< storage, failures and energy
ReportSection topologySection(const Estimate& estimate, const ReportCluster& cluster);
std::optional<ReportSection> layerSection(const Estimate& estimate);
std::optional<ReportSection> expertSection(const Estimate& estimate); ///< absent without experts
/// \param phase of serving decode or prefill; of training any other
std::optional<ReportSection> rooflineSection(const Estimate& estimate, Phase phase);
std::optional<ReportSection> memorySection(const Estimate& estimate);
ReportSection memorySection(const Memory& memory, std::string id, std::string title);
std::optional<ReportSection> stageSection(const Estimate& estimate);
std::optional<ReportSection> costSection(const Estimate& estimate, const PriceNote& price);
std::optional<ReportSection> assumptionSection(const Estimate& estimate);
std::optional<ReportSection>
noteSection(const Estimate& estimate); ///< all problems with their places and fixes
ReportSection conventionSection(const Estimate& estimate, const ReportContext& context);

// Comparison of several
struct Compared {
    const Estimate* estimate = nullptr;
    std::string name;
    std::string label{}; ///< a short name for a column: its machines, or its number
    std::string row{};   ///< a name for a row: with its number where columns have that
};
/// Fills in label and row.
void labelCompared(std::vector<Compared>& all);
Sentence trainingComparisonSentence(std::span<const Compared> runs);
/// The figures, then what differs in the scenarios.
std::vector<ReportSection> trainingComparisonSections(std::span<const Compared> runs);
Sentence servingComparisonSentence(std::span<const Compared> services);
std::vector<ReportSection> servingComparisonSections(std::span<const Compared> services);

// Plots
/// \param what it is in words: "decode step"
Plot stepPlot(const std::vector<ShareT<double>>& parts, double step, std::string id, const std::string& what);
Plot stepPlot(const Training& training);
Plot layerPlot(std::span<const Layer> layers, std::string id, const std::string& title);
Plot loadPlot(const Estimate& estimate); ///< of serving that has its load curve
Plot memoryPlot(const Memory& memory);
Plot fabricPlot(const ReportCluster& cluster);
/// Of layers of the estimate; nullopt if no operation has FLOP and bytes.
std::optional<Plot> rooflinePlot(const Estimate& estimate, std::span<const Layer> layers, std::string id,
                                 const std::string& title);

/// Place of a class in stacks and legends, from 0.
int stackOrder(Bound bound);

/// An input of the model by its identifier ("hbm_bandwidth"); nullptr if the estimate does not use it.
const AssumptionT<double>* assumption(const Estimate& estimate, std::string_view name);

/// What a person calls a kind of layer.
std::string layerTitle(const Layer& layer);

/// What a person calls it.
std::string assumptionLabel(const AssumptionT<double>& assumption);

} // namespace alidade::data
