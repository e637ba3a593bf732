// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/units/format.h"

#include <algorithm>

namespace alidade::data {
namespace {

void addPart(Report& report, std::optional<ReportSection> section) {
    if (section)
        report.sections.push_back(std::move(*section));
}

bool sameSteps(const ReinforcementSpec& a, const ReinforcementSpec& b) {
    return a.algorithm == b.algorithm && a.steps == b.steps && a.promptsPerStep == b.promptsPerStep &&
           a.samplesPerPrompt == b.samplesPerPrompt && a.updatesPerStep == b.updatesPerStep &&
           a.promptTokens == b.promptTokens && a.responseTokens == b.responseTokens &&
           a.responseLimit == b.responseLimit;
}

} // namespace

bool sameJob(std::span<const ReportInput> inputs) {
    const auto& first = inputs.front().estimate->scenario.workload;
    return std::ranges::all_of(inputs, [&](const ReportInput& each) {
        const auto& w = each.estimate->scenario.workload;
        return each.document && w.kind == first.kind && w.model == first.model && w.tokens == first.tokens &&
               w.finetune.kind == first.finetune.kind && w.sequenceLength == first.sequenceLength &&
               w.globalBatch == first.globalBatch && w.requestRatePerS == first.requestRatePerS &&
               w.concurrency == first.concurrency && w.inputTokens == first.inputTokens &&
               w.outputTokens == first.outputTokens && sameSteps(w.reinforcement, first.reinforcement);
    });
}

void addComparedDocument(Report& report, std::span<const ReportInput> inputs, const ReportContext& context) {
    if (!sameJob(inputs))
        return;
    const bool serving = isServing(*inputs.front().estimate);
    std::vector<OptionCandidate> candidates;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        candidates.push_back({.name = std::to_string(i + 1) + ". " + reportTitle(*inputs[i].estimate),
                              .result = inputs[i].document->result,
                              .errors = inputs[i].document->errors,
                              .serving = serving,
                              .reinforcement = isReinforcement(*inputs[i].estimate)});
    const std::size_t chosen = recommendedOption(candidates);
    const ReportInput& input = inputs[chosen];
    const PlanDocument& document = *input.document;
    std::vector<Sentence> decision = decisionSentences(*input.estimate, document);
    if (decision.size() > 1)
        decision.back().push_back({" This is scenario " + std::to_string(chosen + 1) + ".", false});
    report.answer.insert(report.answer.begin(), decision.begin(), decision.end());
    addPart(report, optionSection({.options = judgedOptions(candidates, chosen)}, serving));
    report.sections.back().beginsPart = true;
    const std::string of = ", scenario " + std::to_string(chosen + 1);
    if (document.bill) {
        report.order = document.bill->expected;
        const PriceNote price =
            priceNote(*input.estimate->cost, customRates(input.customValues), context.date);
        const PriceValidity validity = priceValidity(*input.estimate, context);
        report.priceValidUntil = validity.until;
        if (auto bill = billSection(*input.estimate, document, price, validity, context.date)) {
            bill->title += of;
            bill->firstPage = false;
            addPart(report, std::move(bill));
        }
        if (auto cash = cashFlowSection(document, input.estimate->scenario.order.start.value_or(""))) {
            cash->title += of;
            addPart(report, std::move(cash));
        }
    }
    for (auto section : {riskSection(document, serving), signSection(document, serving)})
        if (section) {
            section->title += of;
            addPart(report, std::move(section));
        }
    report.sections.push_back(signatureSection(context.branding));
}

void keepSections(Report& report, const SectionChoice& choice) {
    std::erase_if(report.sections, [&](const ReportSection& section) {
        const std::string_view group = groupOfSection(section.id);
        return !group.empty() && !choice.has(group);
    });
    if (!choice.has("order")) {
        report.order.reset();
        report.priceValidUntil.clear();
    }
    if (!choice.has("technical"))
        report.scenarioJson.clear();
    for (Report& part : report.parts)
        keepSections(part, choice);
}

} // namespace alidade::data
