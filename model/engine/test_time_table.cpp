// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/test_time_table.h"

#include "model/scenario/test_time_plan.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

AnswerSelection selectionOf(const ScenarioSpec& spec) {
    const auto word = spec.workload.testTime.selection;
    return word ? meaningOf(selectionWords, *word).value_or(AnswerSelection::none) : AnswerSelection::none;
}

bool isOverBudgets(const TestTimeQuestion& question) {
    return question.curve && question.curve->measure == AccuracyMeasure::thinking;
}

/// Why a curve says nothing of the rows; empty: it does.
std::string curveFault(const ScenarioSpec& spec, const TestTimeQuestion& question) {
    if (!question.curve)
        return question.target ? "a target needs a table of accuracies" : "";
    if (isOfOtherSelection(*question.curve, selectionOf(spec))) {
        const bool majority = question.curve->measure == AccuracyMeasure::majority;
        return std::string("the table holds ") + (majority ? "majority" : "best_of_n") +
               ", and the scenario selects otherwise; set workload.selection=" +
               (majority ? "majority" : "best_of_n") + ", or give a table of pass_at_k";
    }
    if (isOverBudgets(question) && std::ranges::any_of(question.samples, [](auto n) { return n > 1; }))
        return "the table is over thinking_tokens of one answer; ask for one sample, or give a table over k";
    return {};
}

Result<TestTimeRow> rowOf(ScenarioSpec spec, const Catalog& catalog, const Profile& profile,
                          const TestTimeQuestion& question, std::int64_t samples,
                          std::optional<double> budget) {
    spec.workload.testTime.samples = samples;
    spec.workload.testTime.thinkingBudget = budget;
    const auto estimated = estimate(spec, catalog, profile, {.loadLimit = false, .fixes = false});
    if (!estimated)
        return Error{estimated.error()};
    TestTimeRow out{.samples = samples, .budget = budget, .figures = {}, .whyNot = {}, .accuracy = {}};
    const auto& serving = estimated->serving;
    if (serving && serving->testTime) {
        out.figures = serving->testTime;
        out.utilization = serving->utilization;
        out.overloaded = !std::isfinite(serving->e2e);
    } else {
        const auto error = std::ranges::find(estimated->problems, Severity::error, &Problem::severity);
        out.whyNot = error != estimated->problems.end() ? error->message
                     : !estimated->fits                 ? "Does not fit"
                                                        : "Prefill and decode are planned apart";
    }
    if (question.curve) {
        const bool budgets = isOverBudgets(question);
        const double at = budgets ? budget.value_or(0) : static_cast<double>(samples);
        out.accuracy =
            selectedAccuracy(*question.curve, budgets ? AnswerSelection::none : selectionOf(spec), at);
    }
    return out;
}

} // namespace

Result<TestTimeTable> testTimeTable(const ScenarioSpec& spec, const Catalog& catalog, const Profile& profile,
                                    const TestTimeQuestion& question, const std::stop_token& stop) {
    if (!spec.workload.isServing())
        return Error{"/workload/kind: test-time compute applies only to serving; set it to serving"};
    if (std::string fault = curveFault(spec, question); !fault.empty())
        return Error{std::move(fault)};
    std::vector<std::optional<double>> budgets(question.budgets.begin(), question.budgets.end());
    if (budgets.empty())
        budgets.push_back(spec.workload.testTime.thinkingBudget);
    TestTimeTable out;
    for (const auto& budget : budgets) {
        for (const std::int64_t samples : question.samples) {
            if (stop.stop_requested()) {
                out.complete = false;
                return out;
            }
            Result<TestTimeRow> row = rowOf(spec, catalog, profile, question, samples, budget);
            if (!row)
                return Error{row.error()};
            out.rows.push_back(*std::move(row));
        }
    }
    if (question.target) {
        out.target = TargetAnswer{.at = whereReached(question.curve->points, *question.target), .row = {}};
        if (out.target->at) {
            // A sample is drawn whole; the last digits of the interpolation do not ask for one more.
            const double at = isOverBudgets(question) ? *out.target->at : std::ceil(*out.target->at - 1e-9);
            out.target->at = at;
            Result<TestTimeRow> row =
                isOverBudgets(question)
                    ? rowOf(spec, catalog, profile, question, 1, at)
                    : rowOf(spec, catalog, profile, question, static_cast<std::int64_t>(at), budgets.front());
            if (!row)
                return Error{row.error()};
            out.target->row = *std::move(row);
        }
    }
    return out;
}

} // namespace alidade
