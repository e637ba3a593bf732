// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "data/handoff/settings.h"

#include <string>
#include <vector>

namespace alidade::data::handoff {

/// How the processes of a program find each other.
enum class Launcher : std::uint8_t { torchrun, accelerate, vllm, sglang, trtllm, ray };

/// One command of a job and how often it runs.
struct Program {
    std::string role; ///< "train", "serve", "prefill" or "decode"
    Launcher launcher = Launcher::torchrun;
    int replicas = 1;        ///< copies of the whole, each on instances (or a share of one) of its own
    int nodes = 1;           ///< instances of one replica
    int gpusPerNode = 8;     ///< of one replica
    int attentionGroups = 1; ///< attention-data-parallel groups of one replica
    std::string instance;    ///< instance type
    int instanceGpus = 8;    ///< GPUs of that instance
    std::vector<std::string> command; ///< "pretrain_gpt.py"; "vllm", "serve", "MODEL"
    Settings arguments;
    bool overrides = false; ///< arguments are key=value
    bool ordered = false;   ///< the number of an instance decides its ranks
    std::vector<EnvironmentVariable> environment;

    /// Replicas that share an instance.
    int perNode() const {
        return nodes > 1 ? 1 : std::min(replicas, std::max(1, instanceGpus / gpusPerNode));
    }
    /// Instances, or groups of instances, that the replicas fill.
    int groups() const { return (replicas + perNode() - 1) / perNode(); }
    /// Whether some instances take one replica less than others.
    bool isUneven() const { return replicas % groups() != 0; }
    /// Of the first server of an instance; each further one has the next.
    int port() const { return launcher == Launcher::sglang ? 30000 : 8000; }
    /// Whether the program sends between instances: pools send the key-value cache to each other.
    bool leavesInstance() const { return nodes > 1 || role == "prefill" || role == "decode"; }
};

/// What a framework target makes of a scenario, before a cluster target wraps it.
struct Job {
    std::string extra;                     ///< objects of the cluster alongside the job: "kueue"; empty: none
    std::string queue = "CHANGE_ME_QUEUE"; ///< that the job waits in
    const Tool* tool = nullptr;
    bool savesAsPlanned = false; ///< the program saves as often as the plan
    std::string toolName, toolVersion;
    std::vector<Program> programs;
    std::vector<HandoffFile> files; ///< configuration that the programs read
    std::vector<LeftOut> leftOut;
    std::vector<std::string> warnings;
};

/// The configuration by which `trtllm-serve disaggregated -c` sends requests to both pools. On Kubernetes the
/// frontend or the gateway does.
inline constexpr const char* disaggregatedFile = "disagg.yaml";

/// One argument with its values, as a line of a script has them.
std::vector<std::vector<std::string>> argumentLines(const Program& program);

/// The heading comment of each file: scenario, versions, degrees, prediction, what is not expressed.
std::vector<std::string> headerLines(const HandoffSource& source, const Job& job, const std::string& cluster);

/// "Step time 3.2 s (2.9 s to 3.6 s)", for headers and the README.
std::vector<std::string> predictionLines(const Estimate& estimate);

/// The region of a text that names a region or one of its zones: "us-east-1" of "us-east-1-dfw-2a"; a
/// placeholder if it names neither.
std::string regionOf(std::string_view place);

/// A name that Kubernetes and Slurm accept: lower case letters, digits and dashes, at most 40.
std::string slugOf(std::string_view words);
std::string slugOf(const HandoffSource& source); ///< of its model

/// The repository name that the tools load the model by; a placeholder if none is known.
std::string repositoryOf(const ScenarioSpec& spec, std::vector<std::string>& warnings);

// One function a framework target. Each appends to `job`.
void writeMegatronLm(const HandoffSource& source, Job& job);
void writeMegatronBridge(const HandoffSource& source, Job& job);
void writeTorchtitan(const HandoffSource& source, Job& job);
void writeDeepSpeed(const HandoffSource& source, Job& job);
void writeAccelerate(const HandoffSource& source, Job& job);
void writePyTorch(const HandoffSource& source, Job& job);
void writeVerl(const HandoffSource& source, Job& job);
void writeVllm(const HandoffSource& source, Job& job);
void writeSglang(const HandoffSource& source, Job& job);
void writeTensorRtLlm(const HandoffSource& source, Job& job);

/// A training program on the whole cluster of the scenario.
Program trainingProgram(const HandoffSource& source);
/// The serving programs of the scenario: one, or prefill and decode.
std::vector<Program> servingPrograms(const HandoffSource& source);
/// Whether a worker of a pool reaches the other pool over EFA.
bool sendsOverEfa(const HandoffSource& source, const Program& program);
/// Tokens of the whole run, also where the plan counts examples; 0: not given.
double tokensOf(const HandoffSource& source);
/// Whether the plan is a fine-tune of all weights rather than a run from the first token.
bool tunesAllWeights(const HandoffSource& source);
/// Whole steps between two checkpoints of the predicted run; a placeholder where none is predicted.
std::string checkpointSteps(const HandoffSource& source);
/// The environment that the cluster and the tool need, each variable with its reason.
std::vector<EnvironmentVariable> environmentOf(const HandoffSource& source, std::string_view tool,
                                               const Program& program);

// One function a cluster target. Each appends files to `out`.
void writeShell(const HandoffSource& source, const Job& job, Handoff& out);
void writeSlurm(const HandoffSource& source, Job& job, Handoff& out);
/// \param kind "jobset", "trainjob", "pytorchjob", "leaderworkerset", "volcano", "kai", "hyperpod-eks"
void writeKubernetes(const HandoffSource& source, Job& job, const std::string& kind, Handoff& out);
/// A graph of a frontend and workers for Dynamo.
void writeDynamo(const HandoffSource& source, Job& job, Handoff& out);
/// Values of the chart of llm-d. \pre the tool is vLLM
void writeLlmD(const HandoffSource& source, Job& job, Handoff& out);
/// Objects of the cluster rather than of the job: "kueue", "karpenter", "eksctl", "parallelcluster", "pcs",
/// "hyperpod-slurm".
void writeClusterObjects(const HandoffSource& source, const Job& job, const std::string& kind, Handoff& out);
/// Whether files of the hand-off make the instances, spare ones included: a group for each way in which they
/// are bought. (The objects of Kueue are about instances that there are.)
bool makesInstances(const Job& job, const std::string& cluster);

void writeReadme(const HandoffSource& source, const Job& job, const std::string& cluster, Handoff& out);

} // namespace alidade::data::handoff
