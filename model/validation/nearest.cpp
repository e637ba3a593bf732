// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/nearest.h"

#include "model/validation/summaries.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// What a configuration is compared by.
struct Likeness {
    const Gpu* gpu = nullptr;
    const Framework* framework = nullptr;
    bool experts = false;
    std::string precision;
    std::vector<std::string> recompute;
    double activeParameters = 1, gpus = 1, sequence = 1;
    double degrees[5] = {1, 1, 1, 1, 1}; ///< tensor, context, pipeline, expert, micro-batch
};

const Gpu* gpuOf(const ClusterSpec& cluster, const Catalog& catalog) {
    if (cluster.custom.gpu) {
        return catalog.gpu(*cluster.custom.gpu);
    }
    const UltraServer* ultra = cluster.ultraserver ? catalog.ultraserver(*cluster.ultraserver) : nullptr;
    const Instance* instance = ultra              ? catalog.instance(ultra->instance)
                               : cluster.instance ? catalog.instance(*cluster.instance)
                                                  : nullptr;
    return instance ? catalog.gpu(instance->gpu) : nullptr;
}

Likeness likenessOf(const ScenarioSpec& spec, const Catalog& catalog) {
    Likeness out;
    out.gpu = gpuOf(spec.cluster, catalog);
    out.framework = catalog.framework(spec.plan.framework.value_or(""));
    const Architecture* model = spec.workload.architecture ? &*spec.workload.architecture
                                : spec.workload.model      ? catalog.model(*spec.workload.model)
                                                           : nullptr;
    if (model) {
        out.experts = model->moe.has_value();
        out.activeParameters = static_cast<double>(countParameters(*model).active);
    }
    out.precision = spec.plan.precision.value_or("");
    out.recompute = spec.plan.recompute.value_or(std::vector<std::string>{"none"});
    const auto number = [](const std::optional<std::int64_t>& value) {
        return static_cast<double>(std::max<std::int64_t>(1, value.value_or(1)));
    };
    out.gpus = number(spec.cluster.gpus);
    out.sequence = number(spec.workload.sequenceLength);
    const std::optional<std::int64_t> degrees[] = {spec.plan.tensorParallel, spec.plan.contextParallel,
                                                   spec.plan.pipelineParallel, spec.plan.expertParallel,
                                                   spec.plan.microBatch};
    std::transform(std::begin(degrees), std::end(degrees), std::begin(out.degrees), number);
    return out;
}

double logRatio(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log(a / b)) : 0; }

double distanceOf(const Likeness& a, const Likeness& b) {
    double out = 0;
    if (a.gpu != b.gpu) {
        out += a.gpu && b.gpu && a.gpu->architecture == b.gpu->architecture ? 1 : 3;
    }
    out += a.experts != b.experts ? 2 : 0;
    out += a.precision != b.precision ? 1 : 0;
    if (a.framework != b.framework) {
        out += a.framework && b.framework && a.framework->stack == b.framework->stack ? 0.25 : 0.5;
    }
    out += a.recompute != b.recompute ? 0.3 : 0;
    out += 0.5 * logRatio(a.activeParameters, b.activeParameters);
    out += 0.15 * (logRatio(a.gpus, b.gpus) + logRatio(a.sequence, b.sequence));
    for (std::size_t i = 0; i < std::size(a.degrees); ++i) {
        out += 0.1 / std::log(2.0) * logRatio(a.degrees[i], b.degrees[i]);
    }
    return out;
}

} // namespace

std::vector<NearRow> nearestRows(const ValidationReport& report, const ScenarioSpec& filled,
                                 const Catalog& catalog, std::size_t most) {
    const Likeness wanted = likenessOf(filled, catalog);
    std::vector<NearRow> out;
    for (const ValidationRow& row : report.rows) {
        const bool time = asTime(row).quantity == "step_time_s";
        if (row.kind == "training" && row.scenario && time && isJudged(row)) {
            out.push_back({&row, distanceOf(wanted, likenessOf(*row.scenario, catalog))});
        }
    }
    std::ranges::stable_sort(out, {}, &NearRow::distance);
    out.resize(std::min(out.size(), most));
    return out;
}

} // namespace alidade
