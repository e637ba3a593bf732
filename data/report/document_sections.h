// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/report/answer.h"
#include "data/report/price_validity.h"

namespace alidade::data {

// The sections of a buyer's document. Each shows what the model found; one without content is not made.

/// "$669,763.58": to the cent, with thousands.
std::string exactMoney(Cents cents);
Cell exactMoneyCell(Cents cents, Emphasis emphasis = Emphasis::none);

/// "35 days", "a month of 730 hours": for how long a service is ordered.
std::string serviceTimeText(double hours);

/// The lines of an order with their total, and what a buyer has to know of it. \pre it has lines
ReportSection orderedSection(const Estimate& estimate, const Order& order, const PriceNote& price,
                             const std::string& reportDate);

/// The question that the document answers and what it recommends to order, before the answer in words.
std::vector<Sentence> decisionSentences(const Estimate& estimate, const PlanDocument& document);
/// Puts the total of the bill and the band of the run among the key figures.
void fillKeyFigures(std::vector<KeyFigure>& figures, const Estimate& estimate, const PlanDocument& document);

/// All lines of the order; the last row is the sum of those above it.
std::optional<ReportSection> billSection(const Estimate& estimate, const PlanDocument& document,
                                         const PriceNote& price, const PriceValidity& validity,
                                         const std::string& reportDate);
/// The usable options side by side, on the first page.
std::optional<ReportSection> alternativeSection(const PlanDocument& document);
std::optional<ReportSection> optionSection(const FoundOptions& options, bool serving);
/// What was searched, the best plans and why this one is recommended; then why others were rejected.
std::vector<ReportSection> searchSections(const SearchAnswer& search);
std::optional<ReportSection> cashFlowSection(const PlanDocument& document, const std::string& start);
std::optional<ReportSection> riskSection(const PlanDocument& document, bool serving);
/// What would meet the deadline, where the plan may miss it.
std::optional<ReportSection> deadlineSection(const PlanDocument& document);
/// The assumptions that matter most, for the first page.
std::optional<ReportSection> keyAssumptionSection(const PlanDocument& document);
std::optional<ReportSection> signSection(const PlanDocument& document, bool serving);
ReportSection signatureSection(const Branding& branding);
/// The terms that the report uses, for readers who are not engineers.
std::optional<ReportSection> glossarySection(const Report& report);

/// Whether scenarios do the same job, so that one can be chosen: the same model and kind of work, and of
/// training as many tokens, of reinforcement learning as many steps of the same size.
bool sameJob(std::span<const ReportInput> inputs);
/// The sections of a comparison: the scenarios as options, then what the recommended one is ordered by.
void addComparedDocument(Report& report, std::span<const ReportInput> inputs, const ReportContext& context);

/// Leaves out the sections that were not chosen.
void keepSections(Report& report, const SectionChoice& choice);

} // namespace alidade::data
