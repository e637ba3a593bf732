// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/posttraining/rl_step.h"
#include "model/scenario/fields_builder.h"
#include "model/scenario/role_scenarios.h"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <string>

namespace alidade::fields {

namespace {

template <class Member>
Line ofRoles(std::string_view path, std::string_view label, Member member, std::string_view doc) {
    // Reading must not create a role plan, writing must.
    struct Access {
        Member member;
        auto& operator()(ScenarioSpec& s) const { return member(s.roles.write()); }
        const auto& operator()(const ScenarioSpec& s) const { return member(s.roles.read()); }
    };
    return Line(path, label, Access{member}, doc).reinforcement();
}

using Side = PlanSpec RolePlanSpec::*;

/// The field of a side's plan that a field of a plan is: "plan.train.micro_batch" for "plan.micro_batch".
Field nested(const Field& plain, std::string_view path, Side side, std::string_view label) {
    Field out = plain;
    out.path = path;
    out.label = label;
    out.appliesTo = AppliesTo::reinforcement;
    out.common = false;
    out.group = FieldGroup::roles;
    out.place = Field::lastPlace;
    out.when = nullptr;
    out.degree = false;
    out.excludes.clear();
    out.get = [plain, side](const ScenarioSpec& spec) {
        if (spec.roles.empty())
            return FieldValue();
        ScenarioSpec alone;
        alone.plan = spec.roles.read().*side;
        return plain.get(alone);
    };
    out.set = [plain, side](ScenarioSpec& spec, const FieldValue& value) {
        if (std::holds_alternative<std::monostate>(value) && spec.roles.empty())
            return;
        ScenarioSpec alone;
        alone.plan = spec.roles.read().*side;
        plain.set(alone, value);
        spec.roles.write().*side = std::move(alone.plan);
    };
    return out;
}

std::string_view kept(std::string text) {
    static std::deque<std::string> all; // paths and labels live as long as the table
    return all.emplace_back(std::move(text));
}

bool isShared(std::string_view path, std::initializer_list<std::string_view> paths) {
    return std::find(paths.begin(), paths.end(), path) != paths.end();
}

void appendSide(Lines& lines, std::string_view section, std::string_view title, Side side, AppliesTo which) {
    const std::size_t plain = lines.size();
    int place = side == &RolePlanSpec::train ? 40 : 20;
    for (std::size_t i = 0; i < plain; ++i) {
        const Field field = lines[i];
        if (!field.path.starts_with("plan.") || field.path.starts_with("plan.disaggregated.") ||
            (field.appliesTo != which && field.appliesTo != AppliesTo::both) ||
            field.path == "plan.goodput") {
            continue;
        }
        const std::string path = "plan." + std::string(section) + std::string(field.path.substr(4));
        lines.push_back(nested(field, kept(path), side, kept(std::string(title) + std::string(field.label))));
        if (isShared(field.path, {"plan.framework", "plan.engine", "plan.tensor_parallel"}) ||
            (which == AppliesTo::training &&
             isShared(field.path, {"plan.pipeline_parallel", "plan.expert_parallel", "plan.sharding"})) ||
            (which == AppliesTo::serving && field.path == "plan.weights")) {
            lines.back().common = true;
            lines.back().place = place++;
        }
    }
    // Fields of a section must follow each other; those of a plan surround its sections.
    const std::size_t direct = std::string("plan.").size() + section.size();
    std::stable_partition(lines.begin() + static_cast<std::ptrdiff_t>(plain), lines.end(),
                          [direct](const Field& field) { return field.path.rfind('.') == direct; });
}

} // namespace

void appendRoles(Lines& lines) {
    Lines roles;
    roles.push_back(ofRoles(
                        "plan.placement", "Placed", [](auto& r) -> auto& { return r.placement; },
                        "colocated: rollout and training take turns on the same GPUs; split: in two pools; "
                        "one_step_off: the rollout of the next step overlaps with the training of this one; "
                        "async: responses stream, with bounded staleness")
                        .common(FieldGroup::roles, 10)
                        .oneOf(wordsOf(placementWords))
                        .absent("colocated"));
    roles.push_back(ofRoles(
                        "plan.staleness", "Staleness", [](auto& r) -> auto& { return r.staleness; },
                        "steps that responses may be ahead of the weights, fractions too")
                        .common(FieldGroup::roles, 11)
                        .when(isAsynchronous)
                        .range(0, 64)
                        .absent("0.5"));
    roles.push_back(ofRoles(
                        "plan.partial_rollout", "Partial rollout",
                        [](auto& r) -> auto& { return r.partialRollout; },
                        "responses in progress continue with the new weights after a synchronization, which "
                        "does not wait for them")
                        .inGroup(FieldGroup::roles, 12)
                        .when(isAsynchronous)
                        .absent("true"));
    roles.push_back(ofRoles(
                        "plan.weight_sync", "Weights move", [](auto& r) -> auto& { return r.weightSync; },
                        "path of the weights from training to the engines")
                        .common(FieldGroup::roles, 13)
                        .oneOf({"refit", "broadcast", "bucketed", "host_staged", "reshard", "rdma", "delta"})
                        .absent("refit if colocated, else bucketed"));
    roles.push_back(ofRoles(
                        "plan.phase_offload", "Offload in rollout",
                        [](auto& r) -> auto& { return r.phaseOffload; },
                        "what leaves the GPUs while the engines use them")
                        .inGroup(FieldGroup::roles, 14)
                        .when(takesTurns)
                        .oneOf(wordsOf(phaseOffloadWords))
                        .named({{"all", "All"}})
                        .absent("as little as fits"));
    roles.push_back(ofRoles(
                        "plan.rollout.gpus", "Rollout GPUs", [](auto& r) -> auto& { return r.rolloutGpus; },
                        "GPUs of the engines")
                        .common(FieldGroup::roles, 15)
                        .when(hasTwoPools)
                        .unit("GPUs")
                        .range(1, 1e6)
                        .absent("the remaining GPUs; half if neither is set"));
    roles.push_back(ofRoles(
                        "plan.train.gpus", "Training GPUs", [](auto& r) -> auto& { return r.trainGpus; },
                        "GPUs of training")
                        .common(FieldGroup::roles, 16)
                        .when(hasTwoPools)
                        .unit("GPUs")
                        .range(1, 1e6)
                        .absent("the remaining GPUs; half if neither is set"));
    roles.push_back(ofRoles(
                        "plan.train.micro_batch_tokens", "Micro-batch tokens",
                        [](auto& r) -> auto& { return r.microbatchTokens; },
                        "tokens packed into one micro-batch of a data-parallel rank")
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 1e8)
                        .absent("16,384, or plan.train.micro_batch sequences"));
    // Fields of a section must follow each other.
    const auto take = [&](std::string_view prefix) {
        for (const Field& field : roles)
            if (field.path.starts_with(prefix))
                lines.push_back(field);
    };
    for (const Field& field : roles)
        if (!field.path.starts_with("plan.train.") && !field.path.starts_with("plan.rollout."))
            lines.push_back(field);
    take("plan.rollout.");
    appendSide(lines, "rollout", "Rollout: ", &RolePlanSpec::rollout, AppliesTo::serving);
    take("plan.train.");
    appendSide(lines, "train", "Training: ", &RolePlanSpec::train, AppliesTo::training);
}

} // namespace alidade::fields
