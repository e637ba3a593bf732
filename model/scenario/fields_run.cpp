// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/plan/plan_words.h"
#include "model/scenario/fields_builder.h"

namespace alidade::fields {

namespace {

bool takesCheckpoints(const ScenarioSpec& spec, const Catalog&) {
    const std::string mode = spec.run.checkpointMode.value_or("async");
    return mode == "async" || mode == "sync";
}

bool countsSpares(const ScenarioSpec& spec, const Catalog&) { return spec.run.spares.has_value(); }

} // namespace

void appendRun(Lines& lines) {
    constexpr FieldGroup group = FieldGroup::run;
    lines.push_back(Line(
                        "run.checkpoint_mode", "Checkpoints",
                        [](auto& s) -> auto& { return s.run.checkpointMode; },
                        "how the training state is protected: written in the background, written while "
                        "training stops, in the memory of other nodes, or rebuilt from replicas")
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
