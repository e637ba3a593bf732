// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
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

/// After the options, or where they would be: before the other sections that follow the first page.
void addSearch(Report& report, const SearchAnswer& search) {
    std::vector<ReportSection> sections = searchSections(search);
    auto at = std::ranges::find(report.sections, "options", &ReportSection::id);
    if (at != report.sections.end())
        ++at;
    else
        at = std::ranges::find(report.sections, false, &ReportSection::firstPage);
    if (at != report.sections.end() && at->beginsPart && groupOfSection(at->id) != "technical") {
        at->beginsPart = false;
        sections.front().beginsPart = true;
    }
    report.sections.insert(at, std::make_move_iterator(sections.begin()),
                           std::make_move_iterator(sections.end()));
}

Report part(const ReportInput& input, const ReportContext& context) {
    Report report =
        buildReport(*input.estimate, input.suggestions, context, input.customValues, input.document.get());
    if (input.cluster) { // where its ranks are belongs to the plan
        const auto plan = std::ranges::find(report.sections, "plan", &ReportSection::id);
        report.sections.insert(plan == report.sections.end() ? plan : plan + 1,
                               topologySection(*input.estimate, *input.cluster));
    }
    if (input.search)
        addSearch(report, *input.search);
    report.scenarioJson = input.scenarioJson;
    report.scenarioName = input.scenarioName.empty() ? "scenario" : input.scenarioName;
    return report;
}

void addTraining(Report& report, const Estimate& e, const std::vector<Suggestion>& suggestions,
                 const PriceNote& price, const std::string& date) {
    const bool good = holds(e);
    if (!good)
        add(report, problemSection(e));
    if (good) // what does not run should not be ordered
        add(report, orderSection(e, price, date));
    add(report, stepSection(e));
    add(report, suggestionSection(e, suggestions));
    if (good)
        add(report, problemSection(e));
    add(report, mainAssumptionSection(e));

    add(report, figureSection(e));
    if (good)
        add(report, runSection(e));
    add(report, planSection(e));
    add(report, memorySection(e));
    add(report, stageSection(e));
    add(report, rooflineSection(e, Phase::forward));
    add(report, layerSection(e));
    add(report, expertSection(e));
}

void addServing(Report& report, const Estimate& e, const std::vector<Suggestion>& suggestions,
                const PriceNote& price, const std::string& date) {
    const bool good = holds(e); // without a steady state there are no times and no price of a token
    if (good) {
        add(report, rentSection(e, price, date));
        add(report, loadSection(e));
        add(report, decodeStepSection(e));
    }
    add(report, problemSection(e));
    add(report, mainAssumptionSection(e));

    if (good) {
        add(report, suggestionSection(e, suggestions));
        add(report, servingFigureSection(e));
        add(report, testTimeSection(e));
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

void addReinforcement(Report& report, const Estimate& e, const PriceNote& price, const std::string& date) {
    const bool good = holds(e);
    if (!good)
        add(report, problemSection(e));
    if (good)
        add(report, orderSection(e, price, date));
    add(report, rlStepSection(e));
    if (good)
        add(report, problemSection(e));
    add(report, mainAssumptionSection(e));
    add(report, rlFigureSection(e));
    add(report, rlPoolSection(e));
    add(report, planSection(e));
    add(report, memorySection(e));
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

void replaceSection(Report& report, std::optional<ReportSection> section) {
    if (!section)
        return;
    const auto at = std::ranges::find(report.sections, section->id, &ReportSection::id);
    if (at == report.sections.end())
        report.sections.insert(report.sections.begin(), std::move(*section));
    else
        *at = std::move(*section);
}

/// The estimate with those of its assumptions that matter to the plan.
Estimate withUsedAssumptions(Estimate estimate, const std::vector<std::string>& used) {
    std::erase_if(estimate.assumptions, [&used](const AssumptionT<double>& each) {
        return std::ranges::find(used, each.name) == used.end();
    });
    return estimate;
}

/// The sections that a buyer decides by: those of the first page give way to what the bill says, the others
/// stand between the first page and the technical part.
void addDocument(Report& report, const Estimate& e, const PlanDocument& document, const PriceNote& price,
                 const ReportContext& context) {
    const bool serving = isServing(e);
    std::vector<Sentence> decision = decisionSentences(e, document);
    if ((e.training || e.reinforcement) && document.bill && !report.answer.empty())
        report.answer.erase(report.answer.begin()); // the recommendation says time and money
    report.answer.insert(report.answer.begin(), decision.begin(), decision.end());
    fillKeyFigures(report.keyFigures, e, document);
    if (document.bill) {
        const PriceValidity validity = priceValidity(e, context);
        report.order = document.bill->expected;
        report.priceValidUntil = validity.until;
        replaceSection(report, billSection(e, document, price, validity, context.date));
    }
    if (!document.assumptions.empty())
        replaceSection(report, keyAssumptionSection(document));
    if (auto alternatives = alternativeSection(document)) {
        const auto step = std::ranges::find_if(
            report.sections, [](const ReportSection& section) { return section.id == "step"; });
        report.sections.insert(step == report.sections.end() ? step : step + 1, std::move(*alternatives));
        for (ReportSection& section : report.sections) // the options say it with reasons
            section.firstPage = section.firstPage && section.id != "suggestions";
    }
    const auto technical = std::ranges::stable_partition(report.sections, &ReportSection::firstPage);
    std::vector<ReportSection> details(std::make_move_iterator(technical.begin()),
                                       std::make_move_iterator(technical.end()));
    report.sections.erase(technical.begin(), technical.end());
    const std::size_t first = report.sections.size();
    add(report, optionSection(document.options, serving));
    add(report, cashFlowSection(document, e.scenario.order.start.value_or("")));
    add(report, riskSection(document, serving));
    add(report, deadlineSection(document));
    add(report, signSection(document, serving));
    if (document.result.carries)
        report.sections.push_back(signatureSection(context.branding));
    if (report.sections.size() > first)
        report.sections[first].beginsPart = true;
    if (!details.empty())
        details.front().beginsPart = true;
    append(report, std::move(details));
}

/// Before the technical part, once it is known which sections there are.
void addGlossary(Report& report, const SectionChoice& choice) {
    if (std::ranges::none_of(report.sections, &ReportSection::beginsPart))
        return; // there is nothing to decide
    auto glossary = choice.has("glossary") ? glossarySection(report) : std::nullopt;
    if (!glossary)
        return;
    const auto technical = std::ranges::find_if(report.sections, [](const ReportSection& section) {
        return section.beginsPart && groupOfSection(section.id) == "technical";
    });
    report.sections.insert(technical, std::move(*glossary));
}

} // namespace

Report buildReport(const Estimate& estimate, const std::vector<Suggestion>& suggestions,
                   const ReportContext& context, std::span<const CustomValue> customValues,
                   const PlanDocument* document) {
    const Estimate e = document ? withUsedAssumptions(estimate, document->usedAssumptions) : estimate;
    Report report;
    report.title = reportTitle(e);
    if (report.title.find(e.modelName) == std::string::npos)
        report.subtitle = whatItIs(e);
    report.answer = answerSentences(e);
    if (!customValues.empty())
        report.answer.push_back(customValueSentence(customValues));
    report.keyFigures = keyFigures(e);
    if (e.cost && holds(e))
        report.order = e.cost->order;
    report.footer = footerOf(e, context);
    report.scenarioName = "scenario";

    const PriceNote price =
        e.cost ? priceNote(*e.cost, customRates(customValues), context.date) : PriceNote();
    if (isServing(e))
        addServing(report, e, suggestions, price, context.date);
    else if (isReinforcement(e))
        addReinforcement(report, e, price, context.date);
    else
        addTraining(report, e, suggestions, price, context.date);
    add(report, costSection(e, price));
    add(report, customValueSection(customValues));
    add(report, noteSection(e));
    add(report, assumptionSection(e));
    add(report, conventionSection(e, context));
    if (document)
        addDocument(report, e, *document, price, context);
    return report;
}

namespace {

Report comparisonReport(std::span<const ReportInput> inputs, const ReportContext& context) {
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
    if (!runs.empty() && !services.empty()) { // each kind has its own figures
        report.answer.front().insert(report.answer.front().begin(), {"Training: ", true});
        report.answer.back().insert(report.answer.back().begin(), {"Serving: ", true});
        for (ReportSection& section : report.sections)
            section.title =
                (section.id.ends_with(".serving") ? "Serving: " : "Training: ") + startLower(section.title);
    }
    const std::vector<CustomValue> customValues = customValuesOf(inputs);
    if (!customValues.empty())
        report.answer.push_back(customValueSentence(customValues));
    addComparedDocument(report, inputs, context);
    add(report, customValueSection(customValues));
    for (const ReportInput& input : inputs) {
        Report& each = report.parts.emplace_back(part(input, context));
        for (ReportSection& section : each.sections) // its list of all is not on that page
            section.firstPage = section.firstPage && section.id != "main_assumptions";
    }
    return report;
}

} // namespace

namespace {

/// Texts of a report whose digits are not numbers.
std::vector<std::string> namesIn(std::span<const ReportInput> inputs, const Report& report) {
    std::vector<std::string> out{report.title, report.branding.organization, report.branding.author,
                                 report.footer.program, report.footer.calibration};
    for (const ReportInput& input : inputs) {
        const Estimate& e = *input.estimate;
        for (const std::string& name : {e.modelName, e.clusterName, e.profileName, input.scenarioName,
                                        e.scenario.name.value_or(""), reportTitle(e)})
            out.push_back(name);
    }
    std::erase_if(out, [](const std::string& name) {
        return std::ranges::none_of(name, [](char c) { return c >= '0' && c <= '9'; });
    });
    return out;
}

} // namespace

Report buildReport(std::span<const ReportInput> inputs, const ReportContext& context) {
    assert(!inputs.empty());
    Report report = inputs.size() == 1 ? part(inputs.front(), context) : comparisonReport(inputs, context);
    report.branding = context.branding;
    if (!context.branding.title.empty())
        report.title = context.branding.title;
    report.numbers = {.locale = context.locale, .names = namesIn(inputs, report)};
    keepSections(report, context.sections);
    if (std::ranges::any_of(inputs, [](const ReportInput& input) { return input.document != nullptr; }))
        addGlossary(report, context.sections);
    return report;
}

} // namespace alidade::data
