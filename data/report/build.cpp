// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer.h"
#include "data/report/sections.h"

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
    Report report = buildReport(*input.estimate, input.suggestions, context);
    report.scenarioJson = input.scenarioJson;
    report.scenarioName = input.scenarioName.empty() ? "scenario" : input.scenarioName;
    return report;
}

/// What a comparison calls each scenario: its name, else what it is.
std::vector<std::string> namesOf(std::span<const ReportInput> inputs) {
    std::vector<std::string> names;
    for (const ReportInput& input : inputs)
        names.push_back(reportTitle(*input.estimate));
    return names;
}

} // namespace

Report buildReport(const Estimate& e, const std::vector<Suggestion>& suggestions,
                   const ReportContext& context) {
    Report report;
    report.title = reportTitle(e);
    if (report.title.find(e.modelName) == std::string::npos)
        report.subtitle = whatItIs(e);
    report.answer = answerSentences(e);
    report.keyFigures = keyFigures(e);
    report.footer = footerOf(e, context);
    report.scenarioName = "scenario";

    const bool good = e.runs && e.fits;
    if (!good)
        add(report, problemSection(e));
    if (good) // nobody should order what does not run
        add(report, orderSection(e, context.date));
    add(report, stepSection(e));
    add(report, suggestionSection(e, suggestions));
    if (good)
        add(report, problemSection(e));
    add(report, mainAssumptionSection(e));

    add(report, figureSection(e));
    add(report, planSection(e));
    add(report, memorySection(e));
    add(report, stageSection(e));
    add(report, rooflineSection(e));
    add(report, layerSection(e));
    add(report, expertSection(e));
    add(report, costSection(e, context.date));
    add(report, noteSection(e));
    add(report, assumptionSection(e));
    add(report, conventionSection(e, context));
    return report;
}

Report buildReport(std::span<const ReportInput> inputs, const ReportContext& context) {
    assert(!inputs.empty());
    if (inputs.size() == 1)
        return part(inputs.front(), context);
    const std::vector<std::string> names = namesOf(inputs);
    Report report;
    report.title = "Comparison of " + std::to_string(inputs.size()) + " scenarios";
    report.footer = footerOf(*inputs.front().estimate, context);
    report.scenarioName = "scenario";
    report.answer = {comparisonSentence(inputs, names)};
    report.sections.push_back(comparisonSection(inputs, names));
    for (const ReportInput& input : inputs)
        report.parts.push_back(part(input, context));
    return report;
}

} // namespace alidade::data
