// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rl_step.h"
#include "model/scenario/fields_builder.h"

namespace alidade::fields {

namespace {

template <class Member>
Line ofRl(std::string_view path, std::string_view label, Member member, std::string_view doc) {
    return Line(
               path, label, [member](auto& s) -> auto& { return member(s.workload.reinforcement); }, doc)
        .reinforcement();
}

void appendRoleFields(Lines& lines) {
    lines.push_back(ofRl(
                        "workload.algorithm", "Method", [](auto& r) -> auto& { return r.algorithm; },
                        "algorithm of reinforcement learning; decides which roles there are")
                        .common(FieldGroup::workload, 12)
                        .oneOf(wordsOf(algorithmWords))
                        .absent("grpo"));
    lines.push_back(ofRl(
                        "workload.reference", "Reference", [](auto& r) -> auto& { return r.reference; },
                        "score the responses with a frozen copy of the model, for a KL term")
                        .common(FieldGroup::workload, 22)
                        .absent("true, with DAPO false"));
    lines.push_back(ofRl(
                        "workload.critic", "Critic", [](auto& r) -> auto& { return r.critic; },
                        "model that estimates values (PPO)")
                        .inGroup(FieldGroup::workload, 23)
                        .when(hasCritic)
                        .idOf("models")
                        .absent("the trained model's own size"));
    lines.push_back(ofRl(
                        "workload.reward.kind", "Reward", [](auto& r) -> auto& { return r.reward.kind; },
                        "what scores a response: a rule, a reward model, or a sandbox that runs it")
                        .common(FieldGroup::workload, 24)
                        .oneOf({"rule", "model", "sandbox"})
                        .absent("rule"));
    lines.push_back(ofRl(
                        "workload.reward.model", "Reward model",
                        [](auto& r) -> auto& { return r.reward.model; }, "model that scores the responses")
                        .inGroup(FieldGroup::workload, 25)
                        .when(scoresByModel)
                        .idOf("models")
                        .absent("the trained model's own size"));
    lines.push_back(ofRl(
                        "workload.reward.seconds", "Reward time",
                        [](auto& r) -> auto& { return r.reward.seconds; },
                        "time to score one response once it is complete; responses are scored side by side")
                        .inGroup(FieldGroup::workload, 26)
                        .when(scoresByRule)
                        .measures(Dimension::seconds)
                        .range(0, 1e5)
                        .absent("1.5 s by a rule, 10 s in a sandbox"));
}

} // namespace

void appendReinforcement(Lines& lines) {
    appendRoleFields(lines);
    lines.push_back(ofRl(
                        "workload.prompts_per_step", "Prompts per step",
                        [](auto& r) -> auto& { return r.promptsPerStep; }, "prompts of one step")
                        .common(FieldGroup::workload, 30)
                        .unit("prompts")
                        .range(1, 1e7)
                        .absent("required for reinforcement learning"));
    lines.push_back(ofRl(
                        "workload.samples_per_prompt", "Samples of each",
                        [](auto& r) -> auto& { return r.samplesPerPrompt; },
                        "responses generated for each prompt")
                        .common(FieldGroup::workload, 31)
                        .unit("responses")
                        .range(1, 1e5)
                        .absent("8, with PPO and REINFORCE++ 1"));
    lines.push_back(ofRl(
                        "workload.prompt_tokens", "Prompt, mean",
                        [](auto& r) -> auto& { return r.promptTokens; }, "mean tokens of a prompt")
                        .common(FieldGroup::workload, 32)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .absent("required for reinforcement learning"));
    lines.push_back(ofRl(
                        "workload.response_tokens", "Response, mean",
                        [](auto& r) -> auto& { return r.responseTokens; },
                        "mean tokens of a response as it comes out, cut ones included")
                        .common(FieldGroup::workload, 33)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .absent("required for reinforcement learning"));
    lines.push_back(ofRl(
                        "workload.response_tokens_cv", "Response length CV",
                        [](auto& r) -> auto& { return r.responseTokensCv; },
                        "standard deviation / mean of the response length before the cut")
                        .inGroup(FieldGroup::workload, 34)
                        .range(0, 20)
                        .absent("0.4 up to 1,000 tokens, 0.8 beyond"));
    lines.push_back(ofRl(
                        "workload.response_limit", "Longest response",
                        [](auto& r) -> auto& { return r.responseLimit; },
                        "tokens after which a response is cut")
                        .common(FieldGroup::workload, 35)
                        .measures(Dimension::tokens)
                        .range(1, 1e8)
                        .absent("4 x the mean"));
    lines.push_back(ofRl(
                        "workload.updates_per_step", "Updates per step",
                        [](auto& r) -> auto& { return r.updatesPerStep; },
                        "optimizer steps (mini-batches) that share the responses of one step")
                        .common(FieldGroup::workload, 36)
                        .range(1, 1e5)
                        .absent("1"));
    lines.push_back(ofRl(
                        "workload.epochs", "Epochs", [](auto& r) -> auto& { return r.epochs; },
                        "times that an update goes over each response")
                        .range(1, 100)
                        .absent("1"));
    lines.push_back(ofRl(
                        "workload.kept_share", "Prompts kept", [](auto& r) -> auto& { return r.keptShare; },
                        "share of the prompts whose responses are used; dynamic sampling (DAPO) drops those "
                        "with all answers right or all wrong, and over-sampling those that come last")
                        .measures(Dimension::ratio)
                        .range(0.01, 1)
                        .absent("100 %"));
    lines.push_back(
        ofRl(
            "workload.steps", "Steps", [](auto& r) -> auto& { return r.steps; }, "steps of the whole run")
            .common(FieldGroup::workload, 37)
            .range(1, 1e9)
            .absent("run time and run cost are not computed"));
}

} // namespace alidade::fields
