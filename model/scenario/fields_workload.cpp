// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/plan_words.h"
#include "model/scenario/fields_builder.h"
#include "model/scenario/test_time_plan.h"

namespace alidade::fields {

namespace {

void appendTraining(Lines& lines) {
    lines.push_back(Line(
                        "workload.sequence_length", "Sequence length",
                        [](auto& s) -> auto& { return s.workload.sequenceLength; },
                        "tokens per training sequence")
                        .common(FieldGroup::workload, 30)
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 1e8)
                        .training()
                        .absent("required for training"));
    lines.push_back(Line(
                        "workload.global_batch", "Global batch",
                        [](auto& s) -> auto& { return s.workload.globalBatch; },
                        "sequences per optimizer step across the whole cluster")
                        .common(FieldGroup::workload, 40)
                        .unit("sequences")
                        .range(1, 1e8)
                        .training()
                        .absent("required for training"));
    lines.push_back(Line(
                        "workload.tokens", "Training tokens",
                        [](auto& s) -> auto& { return s.workload.tokens; },
                        "tokens processed in the whole run")
                        .common(FieldGroup::workload, 50)
                        .measures(Dimension::tokens)
                        .range(1, 1e18)
                        .training()
                        .excludes({"workload.finetune.examples"})
                        .absent("run time and run cost are not computed"));
    lines.push_back(Line(
                        "workload.finetune.kind", "Fine-tuning",
                        [](auto& s) -> auto& { return s.workload.finetune.kind; },
                        "which weights are trained")
                        .inGroup(FieldGroup::workload, 55)
                        .oneOf({"full", "lora", "qlora"})
                        .training()
                        .absent("full"));
    lines.push_back(Line(
                        "workload.finetune.method", "Method",
                        [](auto& s) -> auto& { return s.workload.finetune.method; },
                        "sft: on examples; dpo: on pairs, of which the global batch counts")
                        .inGroup(FieldGroup::workload, 56)
                        .oneOf({"sft", "dpo"})
                        .training()
                        .absent("sft"));
    lines.push_back(Line(
                        "workload.finetune.examples", "Examples",
                        [](auto& s) -> auto& { return s.workload.finetune.examples; },
                        "examples of the data set (pairs with DPO); sets the tokens of the run")
                        .inGroup(FieldGroup::workload, 57)
                        .range(1, 1e12)
                        .training()
                        .excludes({"workload.tokens"})
                        .absent("the tokens of the run are given instead"));
    lines.push_back(Line(
                        "workload.finetune.epochs", "Epochs",
                        [](auto& s) -> auto& { return s.workload.finetune.epochs; },
                        "passes over the examples")
                        .when(hasExamples)
                        .range(1e-3, 1e4)
                        .training()
                        .absent("1"));
    lines.push_back(Line(
                        "workload.finetune.example_tokens", "Example length",
                        [](auto& s) -> auto& { return s.workload.finetune.exampleTokens; },
                        "mean tokens of an example, prompt and answer")
                        .inGroup(FieldGroup::workload, 58)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .training()
                        .absent("examples fill the sequences"));
    lines.push_back(Line(
                        "workload.finetune.example_tokens_cv", "Example length CV",
                        [](auto& s) -> auto& { return s.workload.finetune.exampleTokensCv; },
                        "standard deviation / mean of the example length")
                        .when(hasExampleLength)
                        .range(0, 100)
                        .training()
                        .absent("0.6, an estimate"));
    lines.push_back(
        Line(
            "workload.finetune.packed", "Packing",
            [](auto& s) -> auto& { return s.workload.finetune.packed; },
            "several examples in one sequence instead of padding each to the longest in its micro-batch")
            .when(hasExampleLength)
            .training()
            .absent("true"));
    lines.push_back(Line(
                        "workload.finetune.rank", "LoRA rank",
                        [](auto& s) -> auto& { return s.workload.finetune.rank; },
                        "rank of the LoRA adapters")
                        .common(FieldGroup::workload, 60)
                        .when(trainsLora)
                        .range(1, 65'536)
                        .training()
                        .absent("16"));
    lines.push_back(Line(
                        "workload.finetune.targets", "LoRA targets",
                        [](auto& s) -> auto& { return s.workload.finetune.targets; },
                        "matrices that get LoRA adapters")
                        .common(FieldGroup::workload, 70)
                        .when(trainsLora)
                        .training()
                        .absent("all linear layers"));
}

/// Test-time compute: what a question costs beyond one answer.
void appendTestTime(Lines& lines) {
    lines.push_back(Line(
                        "workload.samples", "Samples",
                        [](auto& s) -> auto& { return s.workload.testTime.samples; },
                        "answers drawn for each question (request); they share its prompt")
                        .inGroup(FieldGroup::workload, 112)
                        .range(1, 65'536)
                        .serving()
                        .absent("1"));
    lines.push_back(Line(
                        "workload.selection", "Selection",
                        [](auto& s) -> auto& { return s.workload.testTime.selection; },
                        "how the samples of a question become its answer")
                        .inGroup(FieldGroup::workload, 113)
                        .oneOf(wordsOf(selectionWords))
                        .serving()
                        .absent("none"));
    lines.push_back(Line(
                        "workload.verifier", "Verifier",
                        [](auto& s) -> auto& { return s.workload.testTime.verifier; },
                        "model that scores samples (best_of_n, majority weighted by scores) or their steps "
                        "(beam_search), on its own machines")
                        .inGroup(FieldGroup::workload, 114)
                        .when(selectsAnswers)
                        .idOf("models")
                        .serving()
                        .absent("a rule, which takes no time"));
    lines.push_back(Line(
                        "workload.step_tokens", "Step",
                        [](auto& s) -> auto& { return s.workload.testTime.stepTokens; },
                        "tokens between two scorings of a partial sample")
                        .unit("tokens")
                        .countsTokens()
                        .when(searchesBeams)
                        .range(1, 1e6)
                        .serving()
                        .absent("100"));
    lines.push_back(Line(
                        "workload.thinking_budget", "Thinking budget",
                        [](auto& s) -> auto& { return s.workload.testTime.thinkingBudget; },
                        "output tokens, thinking included, after which a sample is made to answer; the "
                        "output length is the one without it")
                        .inGroup(FieldGroup::workload, 115)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .serving()
                        .absent("no limit"));
}

void appendServing(Lines& lines) {
    lines.push_back(Line(
                        "workload.phase", "Phase", [](auto& s) -> auto& { return s.workload.phase; },
                        "phase of a request that this cluster handles; the other runs elsewhere")
                        .oneOf(wordsOf(phaseWords))
                        .serving()
                        .absent("both"));
    lines.push_back(Line(
                        "workload.input_tokens", "Input tokens",
                        [](auto& s) -> auto& { return s.workload.inputTokens; },
                        "mean prompt length per request")
                        .common(FieldGroup::workload, 80)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .serving()
                        .absent("required for serving"));
    lines.push_back(Line(
                        "workload.output_tokens", "Output tokens",
                        [](auto& s) -> auto& { return s.workload.outputTokens; },
                        "mean output length per request")
                        .common(FieldGroup::workload, 90)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .serving()
                        .absent("required for serving"));
    lines.push_back(Line(
                        "workload.input_tokens_cv", "Input length CV",
                        [](auto& s) -> auto& { return s.workload.inputTokensCv; },
                        "standard deviation / mean of the prompt length")
                        .range(0, 100)
                        .serving()
                        .absent("0"));
    lines.push_back(Line(
                        "workload.output_tokens_cv", "Output length CV",
                        [](auto& s) -> auto& { return s.workload.outputTokensCv; },
                        "standard deviation / mean of the output length")
                        .range(0, 100)
                        .serving()
                        .absent("0"));
    lines.push_back(Line(
                        "workload.concurrency", "Concurrency",
                        [](auto& s) -> auto& { return s.workload.concurrency; },
                        "requests in flight in the whole deployment")
                        .common(FieldGroup::workload, 100)
                        .unit("requests")
                        .when(isClosedLoop)
                        .range(1e-3, 1e9)
                        .serving()
                        .excludes({"workload.request_rate_per_s"})
                        .absent("the request rate is given instead"));
    lines.push_back(Line(
                        "workload.request_rate_per_s", "Request rate",
                        [](auto& s) -> auto& { return s.workload.requestRatePerS; },
                        "requests per second to the whole deployment")
                        .common(FieldGroup::workload, 110)
                        .unit("per second")
                        .when(isOpenLoop)
                        .range(1e-6, 1e9)
                        .serving()
                        .excludes({"workload.concurrency"})
                        .absent("the concurrency is given instead"));
    lines.push_back(Line(
                        "workload.arrival_cv", "Arrival CV",
                        [](auto& s) -> auto& { return s.workload.arrivalCv; },
                        "standard deviation / mean of the time between requests")
                        .when(isOpenLoop)
                        .range(0, 100)
                        .serving()
                        .absent("1, a Poisson process"));
    lines.push_back(
        Line(
            "workload.sampling", "Sampling", [](auto& s) -> auto& { return s.workload.sampling; },
            "how requests choose their tokens: among the likeliest (top-p or top-k, as most models' "
            "published settings ask for), or plainly: greedy or by temperature alone")
            .oneOf({"top_p", "plain"})
            .serving()
            .absent("top_p; plain with the tuning of a vendor's benchmark"));
    lines.push_back(Line(
                        "workload.prefix_cache_hit", "Prefix cache hit rate",
                        [](auto& s) -> auto& { return s.workload.prefixCacheHit; },
                        "share of prompt tokens already in the prefix cache")
                        .share()
                        .serving()
                        .absent("0"));
    appendTestTime(lines);
    lines.push_back(Line(
                        "workload.ttft_slo_s", "TTFT target",
                        [](auto& s) -> auto& { return s.workload.ttftSloS; },
                        "maximum acceptable time to first token")
                        .common(FieldGroup::workload, 120)
                        .measures(Dimension::seconds)
                        .range(1e-6, 1e6)
                        .serving()
                        .absent("no target"));
    lines.push_back(Line(
                        "workload.itl_slo_s", "ITL target",
                        [](auto& s) -> auto& { return s.workload.itlSloS; },
                        "maximum acceptable time between two tokens")
                        .common(FieldGroup::workload, 130)
                        .measures(Dimension::seconds)
                        .range(1e-6, 1e6)
                        .serving()
                        .absent("no target"));
    lines.push_back(Line(
                        "workload.slo_percentile", "Target percentile",
                        [](auto& s) -> auto& { return s.workload.sloPercentile; },
                        "percentage of the requests that must meet the targets")
                        .unit("%")
                        .range(1, 99.999)
                        .serving()
                        .absent("90"));
}

} // namespace

void appendWorkload(Lines& lines) {
    lines.push_back(Line(
                        "workload.kind", "Kind", [](auto& s) -> auto& { return s.workload.kind; },
                        workloadKindWords, "type of workload")
                        .common(FieldGroup::workload, 10)
                        .absent(wordOf(WorkloadKind::training)));
    lines.push_back(Line(
                        "workload.model", "Model", [](auto& s) -> auto& { return s.workload.model; },
                        "model from the catalog")
                        .common(FieldGroup::workload, 20)
                        .idOf("models")
                        .absent("the architecture is given inline instead"));
    // The model is a catalog ID or an inline architecture: setting one clears the other.
    lines.back().set = [named = lines.back().set](ScenarioSpec& spec, const FieldValue& value) {
        named(spec, value);
        if (spec.workload.model)
            spec.workload.architecture.reset();
    };
    appendTraining(lines);
    appendServing(lines);
    appendReinforcement(lines);
}

} // namespace alidade::fields
