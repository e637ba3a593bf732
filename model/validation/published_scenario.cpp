// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/published_scenario.h"

#include <algorithm>

namespace alidade {

namespace {

bool isComplete(const PublishedTraining& row) {
    const PublishedParallelism& p = row.parallelism;
    return row.globalBatch && row.microBatch && p.tensor && p.pipeline && p.context && p.data &&
           !row.precision.empty();
}

/// Values that are in the row, although its source does not say them.
void listInferred(const PublishedTraining& row, std::vector<std::string>& assumed) {
    constexpr std::pair<std::string_view, const char*> fields[] = {
        {"batch.mbs", "plan.micro_batch"},
        {"batch.gbs", "workload.global_batch"},
        {"precision", "plan.precision"},
        {"parallelism.tp", "plan.tensor_parallel"},
        {"parallelism.pp", "plan.pipeline_parallel"}};
    for (const auto& [inferred, path] : fields)
        if (std::ranges::find(row.inferred, inferred) != row.inferred.end())
            assumed.emplace_back(path);
}

} // namespace

const Framework* publishedFramework(const PublishedTraining& row, const Catalog& catalog) {
    const std::string& software = !row.software.empty()               ? row.software
                                  : !row.parallelism.sharding.empty() ? row.parallelism.sharding
                                                                      : row.source.title;
    return softwareNamed(catalog.frameworks, software, row.notes);
}

const Framework* publishedEngine(const PublishedServing& row, const Catalog& catalog) {
    const std::string words = row.engine + (row.engineVersion.empty() ? "" : " ") + row.engineVersion;
    return softwareNamed(catalog.engines, words, row.notes);
}

PublishedScenario publishedScenario(const PublishedTraining& row, const Catalog& catalog) {
    PublishedScenario out;
    out.complete = isComplete(row);
    ScenarioSpec spec;
    spec.name = row.id;
    spec.workload.kind = WorkloadKind::training;
    if (row.model.sequenceLength) {
        spec.workload.sequenceLength = *row.model.sequenceLength;
    } else {
        out.lacks = "the source does not give the sequence length";
        return out;
    }
    std::string model;
    out.lacks = publishedArchitecture(row.model, catalog, out.architecture, model, out.assumed);
    if (out.lacks.empty())
        out.lacks = publishedCluster(row.hardware, catalog, spec.cluster, out.assumed);
    if (out.lacks.empty())
        out.lacks = publishedPlan(row, catalog, spec, out.architecture, out.assumed);
    if (!out.lacks.empty())
        return out;
    if (model.empty())
        spec.workload.architecture = out.architecture;
    else
        spec.workload.model = model;
    listInferred(row, out.assumed);
    out.framework = spec.plan.framework ? catalog.framework(*spec.plan.framework) : nullptr;
    out.spec = std::make_shared<const ScenarioSpec>(std::move(spec));
    return out;
}

} // namespace alidade
