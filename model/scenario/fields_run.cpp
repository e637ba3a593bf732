// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/plan_words.h"
#include "model/scenario/fields_builder.h"

namespace alidade::fields {

namespace {

bool takesCheckpoints(const ScenarioSpec& spec, const Catalog&) {
    const std::string mode = spec.run.checkpointMode.value_or("async");
    return mode == "async" || mode == "sync";
}

bool countsSpares(const ScenarioSpec& spec, const Catalog&) {
    return spec.run.spares.has_value() || spec.run.elastic.value_or(false);
}

} // namespace

void appendRun(Lines& lines) {
    constexpr FieldGroup group = FieldGroup::run;
    lines.push_back(Line(
                        "run.checkpoint_mode", "Checkpoints",
                        [](auto& s) -> auto& { return s.run.checkpointMode; },
                        "how the training state is protected: written in the background, written while "
                        "training stops, in peer memory, or rebuilt from replicas")
                        .common(group, 510)
                        .oneOf(wordsOf(checkpointModeWords))
                        .training()
                        .absent("async"));
    lines.push_back(Line(
                        "run.checkpoint_interval_s", "Interval",
                        [](auto& s) -> auto& { return s.run.checkpointIntervalS; },
                        "training time between two checkpoints")
                        .common(group, 520)
                        .when(takesCheckpoints)
                        .measures(Dimension::seconds)
                        .range(0.1, 1e7)
                        .training()
                        .absent("the interval of the highest goodput"));
    lines.push_back(Line(
                        "run.storage", "Storage", [](auto& s) -> auto& { return s.run.storage; },
                        "where checkpoints and training data are: an FSx for Lustre file system or S3")
                        .common(group, 530)
                        .idOf("storage")
                        .learning()
                        .absent("fsx-lustre-persistent2-1000"));
    lines.push_back(Line(
                        "run.storage_bytes", "Capacity", [](auto& s) -> auto& { return s.run.storageBytes; },
                        "provisioned capacity of the file system, which its throughput follows")
                        .common(group, 540)
                        .measures(Dimension::bytes)
                        .range(1e9, 1e18)
                        .learning()
                        .absent("three checkpoints, and one written within a minute"));
    lines.push_back(Line(
                        "run.bytes_per_token", "Data per token",
                        [](auto& s) -> auto& { return s.run.bytesPerToken; },
                        "bytes of training data read per token")
                        .measures(Dimension::bytes)
                        .range(0, 1e9)
                        .training()
                        .absent("4 bytes: token ids"));
    lines.push_back(Line(
                        "run.standby", "Standby nodes", [](auto& s) -> auto& { return s.run.standby; },
                        "spare nodes already run the image of the job, so that a restart skips scheduling")
                        .common(group, 550)
                        .training()
                        .absent("false"));
    lines.push_back(Line(
                        "run.spares", "Spare instances", [](auto& s) -> auto& { return s.run.spares; },
                        "instances that wait for a failure; paid like the others")
                        .common(group, 560)
                        .unit("instances")
                        .range(0, 65'536)
                        .training()
                        .absent("none; a failed instance is replaced by the provider within a restart"));
    lines.push_back(Line(
                        "run.elastic", "Elastic", [](auto& s) -> auto& { return s.run.elastic; },
                        "continues with fewer data-parallel replicas while failed nodes are repaired, and "
                        "takes them back from a checkpoint")
                        .training()
                        .absent("false"));
    lines.push_back(
        Line(
            "run.restart_read", "Restart reads", [](auto& s) -> auto& { return s.run.restartRead; },
            "who reads the checkpoint after a failure: one replica, which sends it to the others, "
            "or every rank all that it holds")
            .when(takesCheckpoints)
            .oneOf(wordsOf(restartReadWords))
            .named({{"all", "Every rank"}})
            .training()
            .absent("one_replica"));
    lines.push_back(Line(
                        "run.dataset_tokens", "Data set",
                        [](auto& s) -> auto& { return s.run.datasetTokens; },
                        "different tokens in the training data; a longer run reads them again")
                        .unit("tokens")
                        .countsTokens()
                        .range(1, 1e18)
                        .training()
                        .absent("all tokens of the run; of fine-tuning, those of one epoch"));
    lines.push_back(Line(
                        "run.shuffle", "Shuffle", [](auto& s) -> auto& { return s.run.shuffle; },
                        "reads sequences in random order, one request each")
                        .training()
                        .absent("true"));
    lines.push_back(
        Line(
            "run.linked_repository", "Linked bucket", [](auto& s) -> auto& { return s.run.linkedRepository; },
            "the training data is in an S3 bucket linked to the file system, which loads it at its "
            "first read")
            .training()
            .absent("false"));
    lines.push_back(Line(
                        "run.nvme_cache", "Cache on NVMe", [](auto& s) -> auto& { return s.run.nvmeCache; },
                        "nodes keep the data that they have read on their local drives")
                        .training()
                        .absent("false"));
    lines.push_back(Line(
                        "run.repair_s", "Repair", [](auto& s) -> auto& { return s.run.repairS; },
                        "time until a failed node is back among the spares")
                        .when(countsSpares)
                        .measures(Dimension::seconds)
                        .range(0, 1e8)
                        .training()
                        .absent("24 hours"));
    lines.push_back(Line(
                        "run.start", "Start", [](auto& s) -> auto& { return s.run.start; },
                        "first day of the run: year-month-day")
                        .common(group, 570)
                        .date()
                        .training()
                        .absent("no calendar dates"));
    lines.push_back(Line(
                        "run.deadline", "Deadline", [](auto& s) -> auto& { return s.run.deadline; },
                        "last day by which the run has to end: year-month-day")
                        .common(group, 580)
                        .date()
                        .training()
                        .absent("none"));
}

} // namespace alidade::fields
