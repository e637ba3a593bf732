// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/report/answer_parts.h"
#include "data/report/printing.h"
#include "data/report/sections.h"
#include "model/base/text.h"
#include "model/scenario/choice_names.h"
#include "model/units/format.h"

namespace alidade::data {

namespace {

/// "16 samples, best of n, scored by Qwen3-8B"
std::string methodText(const TestTime& t) {
    std::string out = formatCount(t.samples) + (t.samples == 1 ? " sample" : " samples");
    if (t.selection != "none") {
        std::string how = nameOfChoice("workload.selection", t.selection);
        how[0] = static_cast<char>(how[0] - 'A' + 'a');
        out += ", " + how;
    }
    return out + (t.verifier.empty() ? "" : ", scored by " + t.verifier);
}

} // namespace

std::optional<ReportSection> testTimeSection(const Estimate& e) {
    if (!e.serving || !e.serving->testTime || !e.serving->testTime->asked)
        return std::nullopt;
    constexpr Dimension seconds = Dimension::seconds, number = Dimension::number,
                        dollars = Dimension::dollars;
    const TestTime& t = *e.serving->testTime;
    ReportSection section{.id = "test_time", .title = "An answered question"};
    section.text.push_back("A question takes " + methodText(t) +
                           ". The other figures count samples, and their latencies are those of a sample.");
    Table table{.id = "test_time",
                .columns = {textColumn("Figure"), mixedColumn("Value"), textColumn("Remark")}};
    addFigure(table, "Latency", t.latency, seconds, "mean, from a question to its answer");
    addFigure(table, "Latency, p50", t.latencyMedian, seconds, "median");
    addFigure(table, "Latency, p90", t.latencyP90, seconds, "one of ten questions takes longer");
    addFigure(table, "Latency, p99", t.latencyP99, seconds, "one of a hundred questions takes longer");
    addFigure(table, "of it, selection", t.selectionTime, seconds, "scoring of samples or of their steps");
    addFigure(table, "Tokens of a question", t.tokensPerQuestion, Dimension::tokens,
              "output of all samples, mean");
    addFigure(table, "Longest sample", t.longestSample, Dimension::tokens,
              "expected; the answer waits for it");
    addFigure(table, "Questions per second", t.questionsPerSecond, number, "that are answered");
    addFigure(table, "Most questions per second", t.maxQuestionsPerSecond, number,
              "above it the queue grows without bound");
    addFigure(table, "KV cache of a question", t.kvPerQuestion, Dimension::bytes,
              "on each GPU of a replica: the prompt once, all samples at their mean length");
    if (t.verifierShare > 0) {
        addFigure(table, "GPUs that scoring keeps busy", t.verifierGpus, number,
                  "in addition to the deployment");
        addFigure(table, "Share of scoring", t.verifierShare, Dimension::ratio,
                  "of the GPU time of a question");
    }
    if (t.dollarsPer1000Questions)
        addFigure(table, "Dollars per 1,000 questions", *t.dollarsPer1000Questions, dollars, "at this load");
    if (t.leastDollarsPer1000Questions) {
        addFigure(table, "Least dollars per 1,000 questions", *t.leastDollarsPer1000Questions, dollars,
                  "at the largest load that is stable");
    }
    section.tables.push_back(std::move(table));
    return section;
}

} // namespace alidade::data
