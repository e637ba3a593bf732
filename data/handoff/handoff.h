// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/catalog/catalog.h"
#include "model/estimate/estimate.h"
#include "model/scenario/scenario.h"

#include <string>
#include <string_view>
#include <vector>

namespace alidade::data {

namespace handoff {
class Tools;
}

/// One file of a hand-off. Names are relative to its folder.
struct HandoffFile {
    std::string name, text;
    bool executable = false;
};

/// A field of the scenario that a target has no word for.
struct LeftOut {
    std::string path, value, why;
    bool operator==(const LeftOut&) const = default;
};

struct Handoff {
    std::vector<HandoffFile> files; ///< the one that is run first, then what it reads, then the README
    std::vector<LeftOut> leftOut;
    std::vector<std::string> warnings;     ///< what a person should look at before running the job
    std::vector<std::string> placeholders; ///< CHANGE_ME_... words in the files, in alphabetical order
};

enum class TargetKind : std::uint8_t { training, serving, cluster, observation };

struct TargetInfo {
    std::string id, name, version;
    TargetKind kind = TargetKind::training;
    std::string writes; ///< "train.sh"
    std::string
        apply; ///< of a cluster: the command that takes the file, "kubectl apply -f "; empty: another way
};

/// All targets, in the order in which a person is offered them.
const std::vector<TargetInfo>& handoffTargets();
const TargetInfo* handoffTarget(std::string_view id);

struct HandoffSource {
    const ScenarioSpec& written; ///< as in the file; `estimate.scenario` has everything filled in
    const Estimate& estimate;
    const Scenario& scenario;
    const Catalog& catalog;
    std::string program;                   ///< "alidade 0.1.0"
    const Profile* profile = nullptr;      ///< of the estimate; nullptr: the one that the scenario names
    const handoff::Tools* tools = nullptr; ///< with a user's versions; nullptr: the shipped ones
};

/// Whether a cluster target runs a framework or engine, by ids.
bool runsOn(std::string_view tool, std::string_view cluster);

/// A target for a scenario.
struct TargetChoice {
    const TargetInfo* target = nullptr;
    std::string why; ///< it cannot hold the plan: "serves, and this plan trains"; empty: it can
};

/// All targets, those that can hold the plan first.
/// \param tool that clusters are to run; empty: that of the scenario's framework or engine
std::vector<TargetChoice> handoffChoices(const ScenarioSpec& spec, std::string_view tool = {});

/// Returns the targets that can hold the plan, but those of observation, by id.
std::vector<std::string> handoffTargetsFor(const ScenarioSpec& spec);

/// Returns the tool that the scenario's framework or engine represents: "megatron-lm", "vllm".
std::string toolOf(const ScenarioSpec& spec);

/// Writes the files of one framework target, one cluster target, or one of each. A cluster target alone takes
/// the tool of the scenario's framework or engine. Kueue's queues or a node pool (kueue, karpenter, eksctl)
/// are next to a job of Kubernetes, or alongside the usual one where none is named. A tool may be followed by
/// one of its versions: "vllm@0.11.0". The same source gives the same bytes.
/// \returns an error for an unknown target or version, two of a kind, a tool of the other kind of workload,
/// and a plan that is not legal
Result<Handoff> handOff(const HandoffSource& source, const std::vector<std::string>& targets);

} // namespace alidade::data
