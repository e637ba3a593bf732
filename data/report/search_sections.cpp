// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/document_sections.h"
#include "data/report/printing.h"
#include "model/base/text.h"
#include "model/search/search_words.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

std::string countText(std::uint64_t count) { return formatCount(static_cast<std::int64_t>(count)); }

Cell figureCell(const FoundPlan& plan, const PlanFigure& figure, Emphasis emphasis) {
    const double value = plan.figure(figure);
    return std::isnan(value) ? noCell() : valueCell(value, figure.dimension, emphasis);
}

/// The free fields that have different values in the plans of a table; the others say "all have ...".
struct FreeColumns {
    std::vector<const FreeField*> different;
    std::string shared;

    FreeColumns(const std::vector<FreeField>& free, const std::vector<FoundPlan>& plans) {
        for (const FreeField& each : free)
            if (differs(plans, each))
                different.push_back(&each);
            else
                shared += (shared.empty() ? "All listed plans have: " : ", ") + labelOfFree(each) + " " +
                          valueInWords(plans.front(), each);
    }
};

Table planTable(const SearchAnswer& search, const std::vector<FoundPlan>& plans, std::string id,
                std::string title) {
    Table table{.id = std::move(id), .title = std::move(title), .columns = {textColumn("Plan")}};
    const auto figures = shownFigures(search.question);
    for (const PlanFigure* each : figures)
        table.columns.push_back(quantityColumn(std::string(each->label), each->dimension));
    const FreeColumns fields(search.question.free, plans);
    for (const FreeField* each : fields.different)
        table.columns.push_back(textColumn(labelOfFree(*each)));
    const auto& recommended = search.result.recommended;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const FoundPlan& plan = plans[i];
        const bool chosen = recommended && plan.index == recommended->index;
        const Emphasis emphasis = chosen ? Emphasis::strong : Emphasis::none;
        std::vector<Cell> row{textCell(std::to_string(i + 1) + (plan.equalToBest ? " =" : "") +
                                           (plan.changes == 0 ? " present" : "") +
                                           (chosen ? " recommended" : ""),
                                       emphasis)};
        for (const PlanFigure* each : figures)
            row.push_back(figureCell(plan, *each, emphasis));
        for (const FreeField* each : fields.different)
            row.push_back(textCell(valueInWords(plan, *each), emphasis));
        table.rows.push_back(std::move(row));
    }
    unifyUnits(table);
    table.note = fields.shared;
    return table;
}

/// The free choices of a plan: "Machines 64 x p5.48xlarge, Tensor 8".
std::string choicesText(const SearchQuestion& question, const Edit& set) {
    const FoundPlan plan{.set = set};
    std::string out;
    for (const FreeField& each : question.free)
        if (const std::string value = valueInWords(plan, each); !value.empty())
            out += (out.empty() ? "" : ", ") + labelOfFree(each) + " " + value;
    return out;
}

/// What is asked for: "Step time, then Cost of the run; at most 30 days".
std::string questionText(const SearchQuestion& question) {
    std::string text = "Searched for the best " + std::string(question.objectives.front()->label);
    if (question.objectives.size() > 1)
        text += " and " + std::string(question.objectives[1]->label) + " against each other";
    if (question.robust)
        text += ", judged by the unfavorable end of the band";
    for (std::size_t i = 0; i < question.limits.size(); ++i) {
        const SearchLimit& limit = question.limits[i];
        text += (i == 0 ? ", with " : ", ") + std::string(limit.figure->label) +
                (limit.atMost ? " at most " : " at least ") +
                valueCell(limit.value, limit.figure->dimension).text;
    }
    return text + ".";
}

std::string spaceText(const SearchAnswer& search) {
    const SearchCounts& c = search.result.counts;
    std::string fields;
    for (const FreeField& each : search.question.free)
        fields += (fields.empty() ? "" : ", ") + labelOfFree(each) + " (" +
                  std::to_string(each.choices.size()) + ")";
    std::string text = "The space has " + countText(search.result.plans) + " plans";
    if (!fields.empty())
        text += ", from the free choices with their numbers of values: " + fields;
    text += ". Of these " + countText(c.evaluated) + " run, fit and keep every limit, " + countText(c.unfit) +
            " do not fit in memory, " + countText(c.illegal) + " break a rule, " + countText(c.missed) +
            " miss a limit";
    if (c.pruned > 0)
        text += ", " + countText(c.pruned) + " cannot win by a proven bound";
    text += ".";
    return search.result.complete ? text : text + " The search was stopped before all plans were tried.";
}

} // namespace

std::vector<ReportSection> searchSections(const SearchAnswer& search) {
    const SearchResult& r = search.result;
    ReportSection section{.id = "search", .title = "The search for this plan"};
    section.text = {questionText(search.question), searchHeadline(search.question, r)};
    if (r.recommended) {
        section.text.push_back("Recommended: " + recommendationReason(search.question, r));
        for (const std::string& mark : r.recommended->marks)
            section.text.push_back(mark);
        for (std::string& each : recommendationBasis(search))
            section.text.push_back(std::move(each));
    }
    if (!r.present.why.empty())
        section.text.push_back("The plan that the search started from is not ranked: " + r.present.why);
    section.text.push_back(spaceText(search));
    if (std::vector<std::string> effects = effectTexts(search.question, r); !effects.empty()) {
        section.text.emplace_back("The best plan with each value of a field, against the best of all:");
        for (std::string& each : effects)
            section.text.push_back(std::move(each));
    }
    for (std::string& each : gapTexts(search.question, r))
        section.text.push_back(std::move(each));
    if (!r.best.empty()) {
        Table best = planTable(search, r.best, "search.best", "Best plans");
        best.note += (best.note.empty() ? "" : ". ") +
                     std::string("=: within the model error of the first (80 % interval).");
        section.tables.push_back(std::move(best));
    }
    if (r.front.size() > 1)
        section.tables.push_back(
            planTable(search, r.front, "search.front",
                      "No plan is better in both: " + std::string(search.question.objectives[0]->label) +
                          " and " + std::string(search.question.objectives[1]->label)));
    std::vector<ReportSection> out;
    out.push_back(std::move(section));
    if (r.rejected.empty())
        return out;
    constexpr std::size_t most = 20;
    ReportSection rejected{.id = "rejected", .title = "Plans that were rejected"};
    Table table{.id = "rejected",
                .columns = {quantityColumn("Plans", Dimension::number), textColumn("Reason"),
                            textColumn("For example")}};
    for (const Rejection& each : r.rejected) {
        if (table.rows.size() == most)
            break;
        table.rows.push_back({valueCell(static_cast<double>(each.count), Dimension::number),
                              textCell(each.why),
                              textCell(choicesText(search.question, each.example), Emphasis::quiet)});
    }
    unifyUnits(table);
    if (r.rejected.size() > most)
        table.note =
            "The " + std::to_string(most) + " most frequent of " + countText(r.rejected.size()) + " reasons.";
    rejected.tables.push_back(std::move(table));
    out.push_back(std::move(rejected));
    return out;
}

} // namespace alidade::data
