// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/test_time_page.h"

#include "app/cli/cells.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;
using data::ColumnKind;

std::string answerTime(double seconds) { return formatQuantity(seconds, Dimension::seconds); }
std::string countedTokens(double tokens) { return formatQuantity(tokens, Dimension::tokens); }
std::string plainShare(double share) { return formatQuantity(share, Dimension::ratio); }

std::string answerPrice(const std::optional<double>& dollars) {
    return dollars && std::isfinite(*dollars) ? formatQuantity(*dollars, Dimension::dollars) : "n/a";
}

/// "62 %", "50 % to 62 %", "at most 62 %"; "not in the table" outside of the curve.
std::string rightText(const SelectedAccuracy& accuracy) {
    if (!accuracy.value)
        return "not in the table";
    if (!accuracy.isBound)
        return plainShare(*accuracy.value);
    return accuracy.atLeast ? plainShare(*accuracy.atLeast) + " to " + plainShare(*accuracy.value)
                            : "at most " + plainShare(*accuracy.value);
}

const char* curveWord(AccuracyMeasure measure) {
    switch (measure) {
    case AccuracyMeasure::passAtK:
        return "pass_at_k";
    case AccuracyMeasure::majority:
        return "majority";
    case AccuracyMeasure::bestOfN:
        return "best_of_n";
    case AccuracyMeasure::thinking:
        return "thinking_tokens";
    }
    return "";
}

std::string optionRows(const TestTimeQuestion& question, const TestTimeTable& table,
                       const Terminal& terminal) {
    const bool budgets = std::ranges::any_of(table.rows, [](const auto& r) { return r.budget.has_value(); });
    data::Table out;
    out.columns = {column("Samples", ColumnKind::text)};
    if (budgets)
        out.columns.push_back(column("Budget", ColumnKind::text));
    for (const char* title :
         {"Tokens", "Latency p50", "p90", "Load", "KV cache", "$ per 1,000", "at full load"}) {
        out.columns.push_back(column(title, ColumnKind::text));
    }
    if (question.curve)
        out.columns.push_back(column("Accuracy", ColumnKind::text));
    for (const TestTimeRow& row : table.rows) {
        std::vector<data::Cell> cells{words(formatCount(row.samples))};
        if (budgets)
            cells.push_back(words(row.budget ? countedTokens(*row.budget) : "none"));
        if (row.figures) {
            const TestTime& f = *row.figures;
            cells.push_back(words(countedTokens(f.tokensPerQuestion)));
            cells.push_back(words(row.overloaded ? "overloaded" : answerTime(f.latencyMedian)));
            cells.push_back(words(row.overloaded ? "" : answerTime(f.latencyP90)));
            cells.push_back(words(plainShare(row.utilization)));
            cells.push_back(words(formatQuantity(f.kvPerQuestion, Dimension::bytes)));
            cells.push_back(words(answerPrice(f.dollarsPer1000Questions)));
            cells.push_back(words(answerPrice(f.leastDollarsPer1000Questions)));
        } else {
            cells.push_back(words(row.whyNot));
            cells.resize(cells.size() + 6, words(""));
        }
        if (question.curve)
            cells.push_back(words(rightText(row.accuracy)));
        out.rows.push_back({std::move(cells)});
    }
    return tableText(std::move(out), terminal);
}

/// "90 % takes 12 samples: ..."
std::string goalText(const TestTimeQuestion& question, const TargetAnswer& target) {
    const AccuracyCurve& curve = *question.curve;
    const bool tokens = curve.measure == AccuracyMeasure::thinking;
    const auto amount = [&](double at) {
        return tokens ? countedTokens(at) + " of thinking"
                      : formatCount(static_cast<std::int64_t>(at)) + (at == 1 ? " sample" : " samples");
    };
    const std::string wanted = plainShare(*question.target);
    if (!target.at) {
        const auto best = std::ranges::max_element(curve.points, {}, &AccuracyPoint::accuracy);
        return wanted + " is not reached on this curve, which ends at " + amount(curve.last()) +
               "; its highest is " + plainShare(best->accuracy) + " with " + amount(best->at) +
               ". Nothing is assumed beyond it.";
    }
    std::string out = wanted + (target.row && target.row->accuracy.isBound ? " takes at least " : " takes ") +
                      amount(*target.at);
    if (target.row && target.row->figures) {
        const TestTime& f = *target.row->figures;
        out += ": " + (target.row->overloaded ? std::string("more than this plan can serve at its load")
                                              : answerTime(f.latencyMedian) + " to an answer (p50)");
        if (f.leastDollarsPer1000Questions) {
            out += ", " +
                   answerPrice(target.row->overloaded ? f.leastDollarsPer1000Questions
                                                      : f.dollarsPer1000Questions) +
                   " per 1,000 questions" + (target.row->overloaded ? " at full load" : "");
        }
    } else if (target.row) {
        out += ". " + target.row->whyNot;
    }
    return out;
}

Json optionJson(const TestTimeRow& row, bool curve) {
    Json out{{"samples", row.samples}, {"thinking_budget", numberOrNull(row.budget)}};
    if (!row.figures) {
        out["why_not"] = row.whyNot;
    } else {
        const TestTime& f = *row.figures;
        const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
        const auto dollars = [&](const std::optional<double>& value) {
            return value ? finite(*value) : Json(nullptr);
        };
        out["tokens_per_question"] = f.tokensPerQuestion;
        out["longest_sample_tokens"] = f.longestSample;
        out["latency_s"] = finite(f.latency);
        out["latency_percentiles_s"] = {
            {"p50", finite(f.latencyMedian)}, {"p90", finite(f.latencyP90)}, {"p99", finite(f.latencyP99)}};
        out["selection_s"] = finite(f.selectionTime);
        out["utilization"] = finite(row.utilization);
        out["overloaded"] = row.overloaded;
        out["questions_per_s"] = finite(f.questionsPerSecond);
        out["max_questions_per_s"] = finite(f.maxQuestionsPerSecond);
        out["kv_bytes_per_question"] = f.kvPerQuestion;
        out["verifier_gpus"] = finite(f.verifierGpus);
        out["verifier_share"] = finite(f.verifierShare);
        out["dollars_per_1000_questions"] = dollars(f.dollarsPer1000Questions);
        out["least_dollars_per_1000_questions"] = dollars(f.leastDollarsPer1000Questions);
    }
    if (curve) {
        out["accuracy"] = numberOrNull(row.accuracy.value);
        out["accuracy_is_bound"] = row.accuracy.isBound;
        if (row.accuracy.isBound)
            out["accuracy_at_least"] = numberOrNull(row.accuracy.atLeast);
    }
    return out;
}

} // namespace

std::string testTimeText(const TestTimeQuestion& question, const TestTimeTable& table,
                         const Terminal& terminal) {
    std::string out;
    const auto say = [&](const std::string& text, Style style = Style::plain) {
        out += paragraphText(text, terminal, style);
    };
    if (!table.complete)
        out += styled(terminal, "Partial: stopped before all rows were estimated", Style::warning) + "\n";
    if (table.target)
        say(goalText(question, *table.target), Style::strong);
    out += optionRows(question, table, terminal);
    say("Latency is from a question to its answer: its slowest sample, then what selects the answer. Dollars "
        "are per 1,000 answered questions at the load of the scenario, and at the largest load that is "
        "stable.",
        Style::quiet);
    const auto bound = [](const TestTimeRow& row) { return row.accuracy.isBound; };
    if (std::ranges::any_of(table.rows, bound)) {
        say("The table holds pass@k, which no selection exceeds: a range begins with what a majority vote "
            "reaches if all wrong answers agree, or what a verifier does that chooses blindly.",
            Style::quiet);
    }
    return out;
}

std::string testTimeJson(const TestTimeQuestion& question, const TestTimeTable& table) {
    Json rows = Json::array();
    for (const TestTimeRow& row : table.rows)
        rows.push_back(optionJson(row, question.curve.has_value()));
    Json out{{"alidade", 1}, {"complete", table.complete}, {"rows", std::move(rows)}};
    if (question.curve) {
        out["curve"] = {{"measure", curveWord(question.curve->measure)},
                        {"first", question.curve->first()},
                        {"last", question.curve->last()}};
    }
    if (table.target) {
        const bool tokens = question.curve->measure == AccuracyMeasure::thinking;
        out["target"] = {{"accuracy", *question.target},
                         {"reached", table.target->at.has_value()},
                         {tokens ? "thinking_budget" : "samples", numberOrNull(table.target->at)},
                         {"row", table.target->row ? optionJson(*table.target->row, true) : Json(nullptr)}};
    }
    return dumped(out);
}

} // namespace alidade::cli
