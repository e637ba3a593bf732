// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/sections.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace alidade::data {
namespace {

void add(Report& report, std::optional<ReportSection> section) {
    if (section)
        report.sections.push_back(std::move(*section));
}

ReportFooter footerOf(const Estimate& estimate, const ReportContext& context) {
    return {"Alidade " + context.programVersion, estimate.catalogVersion, estimate.profileName, context.date};
}

Report part(const ReportInput& input, const ReportContext& context) {
    Report report = buildReport(*input.estimate, input.suggestions, context, input.customValues);
    if (input.cluster) { // where its ranks are belongs to the plan
        const auto plan = std::ranges::find(report.sections, "plan", &ReportSection::id);
        report.sections.insert(plan == report.sections.end() ? plan : plan + 1,
                               topologySection(*input.estimate, *input.cluster));
    }
    report.scenarioJson = input.scenarioJson;
    report.scenarioName = input.scenarioName.empty() ? "scenario" : input.scenarioName;
    return report;
}

void addTraining(Report& report, const Estimate& e, const std::vector<Suggestion>& suggestions,
                 const PriceNote& price) {
    const bool good = holds(e);
    if (!good)
        add(report, problemSection(e));
    if (good) // nobody should order what does not run
        add(report, orderSection(e, price));
    add(report, stepSection(e));
    add(report, suggestionSection(e, suggestions));
    if (good)
        add(report, problemSection(e));
    add(report, mainAssumptionSection(e));

    add(report, figureSection(e));
    add(report, planSection(e));
    add(report, memorySection(e));
    add(report, stageSection(e));
    add(report, rooflineSection(e, Phase::forward));
    add(report, layerSection(e));
    add(report, expertSection(e));
}

void addServing(Report& report, const Estimate& e, const std::vector<Suggestion>& suggestions,
                const PriceNote& price) {
    const bool good = holds(e); // without a steady state there are no times and no price of a token
    if (good) {
        add(report, rentSection(e, price));
        add(report, loadSection(e));
        add(report, decodeStepSection(e));
    }
    add(report, problemSection(e));
    add(report, mainAssumptionSection(e));

    if (good) {
        add(report, suggestionSection(e, suggestions));
        add(report, servingFigureSection(e));
        add(report, latencySection(e));
        add(report, loadTableSection(e));
    }
    add(report, poolSection(e));
    add(report, planSection(e));
    addServingMemory(report, e);
    if (good) {
        add(report, rooflineSection(e, Phase::decode));
        add(report, rooflineSection(e, Phase::prefill));
        addServingSteps(report, e);
    }
}

/// What a comparison calls each scenario: its name, else what it is. Those of one kind.
std::vector<Compared> compared(std::span<const ReportInput> inputs, bool serving) {
    std::vector<Compared> out;
    for (const ReportInput& input : inputs)
        if (isServing(*input.estimate) == serving)
            out.push_back({.estimate = input.estimate, .name = reportTitle(*input.estimate), .label = {}});
    labelCompared(out);
    return out;
}

/// Every custom value that one of the scenarios rests on, once.
std::vector<CustomValue> customValuesOf(std::span<const ReportInput> inputs) {
    std::vector<CustomValue> out;
    for (const ReportInput& input : inputs)
        for (const CustomValue& each : input.customValues)
            if (std::ranges::find(out, each) == out.end())
                out.push_back(each);
    return out;
}

void append(Report& report, std::vector<ReportSection> sections) {
    std::ranges::move(sections, std::back_inserter(report.sections));
}

} // namespace

Report buildReport(const Estimate& e, const std::vector<Suggestion>& suggestions,
                   const ReportContext& context, std::span<const CustomValue> customValues) {
    Report report;
    report.title = reportTitle(e);
    if (report.title.find(e.modelName) == std::string::npos)
        report.subtitle = whatItIs(e);
    report.answer = answerSentences(e);
    if (!customValues.empty())
        report.answer.push_back(customValueSentence(customValues));
    report.keyFigures = keyFigures(e);
    report.footer = footerOf(e, context);
    report.scenarioName = "scenario";

    const PriceNote price = e.cost ? priceNote(*e.cost, customRate(customValues), context.date) : PriceNote();
    if (isServing(e))
        addServing(report, e, suggestions, price);
    else
        addTraining(report, e, suggestions, price);
    add(report, costSection(e, price));
    add(report, customValueSection(customValues));
    add(report, noteSection(e));
    add(report, assumptionSection(e));
    add(report, conventionSection(e, context));
    return report;
}

Report buildReport(std::span<const ReportInput> inputs, const ReportContext& context) {
    assert(!inputs.empty());
    if (inputs.size() == 1)
        return part(inputs.front(), context);
    Report report;
    report.title = "Comparison of " + std::to_string(inputs.size()) + " scenarios";
    report.footer = footerOf(*inputs.front().estimate, context);
    report.scenarioName = "scenario";
    const auto runs = compared(inputs, false), services = compared(inputs, true);
    if (!runs.empty()) {
        report.answer.push_back(trainingComparisonSentence(runs));
        append(report, trainingComparisonSections(runs));
    }
    if (!services.empty()) {
        report.answer.push_back(servingComparisonSentence(services));
        append(report, servingComparisonSections(services));
    }
    if (!runs.empty() && !services.empty()) { // each kind has figures of its own
        report.answer.front().insert(report.answer.front().begin(), {"Training: ", true});
        report.answer.back().insert(report.answer.back().begin(), {"Serving: ", true});
        for (ReportSection& section : report.sections)
            section.title =
                (section.id.ends_with(".serving") ? "Serving: " : "Training: ") + startLower(section.title);
    }
    const std::vector<CustomValue> customValues = customValuesOf(inputs);
    if (!customValues.empty())
        report.answer.push_back(customValueSentence(customValues));
    add(report, customValueSection(customValues));
    for (const ReportInput& input : inputs) {
        Report& each = report.parts.emplace_back(part(input, context));
        for (ReportSection& section : each.sections) // its list of all is not on that page
            section.firstPage = section.firstPage && section.id != "main_assumptions";
    }
    return report;
}

} // namespace alidade::data
