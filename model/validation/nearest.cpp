// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/validation/nearest.h"

#include "model/base/text.h"
#include "model/scenario/choice_names.h"
#include "model/scenario/scenario.h"
#include "model/units/format.h"
#include "model/validation/summaries.h"
#include "model/workload/parameters.h"

#include <algorithm>
#include <cmath>
#include <string_view>

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

/// What a serving deployment is compared by.
struct ServingLikeness {
    const Gpu* gpu = nullptr;
    const Framework* engine = nullptr;
    bool experts = false;
    std::string precision, phase;
    double parameters = 1, activeParameters = 1, gpus = 1, input = 1, output = 1;
    std::optional<double> load;       ///< requests under way on a GPU; absent of arrivals at a rate
    double degrees[4] = {1, 1, 1, 1}; ///< tensor, pipeline, expert, attention data
};

const Gpu* gpuOf(const ClusterSpec& cluster, const Catalog& catalog) {
    if (cluster.custom.gpu)
        return catalog.gpu(*cluster.custom.gpu);
    const UltraServer* ultra = cluster.ultraserver ? catalog.ultraserver(*cluster.ultraserver) : nullptr;
    const Instance* instance = ultra              ? catalog.instance(ultra->instance)
                               : cluster.instance ? catalog.instance(*cluster.instance)
                                                  : nullptr;
    return instance ? catalog.gpu(instance->gpu) : nullptr;
}

const Architecture* modelOf(const ScenarioSpec& spec, const Catalog& catalog) {
    return spec.workload.architecture ? &*spec.workload.architecture
           : spec.workload.model      ? catalog.model(*spec.workload.model)
                                      : nullptr;
}

double atLeastOne(const std::optional<std::int64_t>& value) {
    return static_cast<double>(std::max<std::int64_t>(1, value.value_or(1)));
}

Likeness likenessOf(const ScenarioSpec& spec, const Catalog& catalog) {
    Likeness out;
    out.gpu = gpuOf(spec.cluster, catalog);
    out.framework = catalog.framework(spec.plan.framework.value_or(""));
    if (const Architecture* model = modelOf(spec, catalog)) {
        out.experts = model->moe.has_value();
        out.activeParameters = static_cast<double>(countParameters(*model).active);
    }
    out.precision = spec.plan.precision.value_or("");
    out.recompute = spec.plan.recompute.value_or(std::vector<std::string>{"none"});
    out.gpus = atLeastOne(spec.cluster.gpus);
    out.sequence = atLeastOne(spec.workload.sequenceLength);
    const std::optional<std::int64_t> degrees[] = {spec.plan.tensorParallel, spec.plan.contextParallel,
                                                   spec.plan.pipelineParallel, spec.plan.expertParallel,
                                                   spec.plan.microBatch};
    std::transform(std::begin(degrees), std::end(degrees), std::begin(out.degrees), atLeastOne);
    return out;
}

double logRatio(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log(a / b)) : 0; }

double distanceOfParts(const Gpu* a, const Gpu* b) {
    return a == b ? 0 : a && b && a->architecture == b->architecture ? 1 : 3;
}

double distanceOf(const Likeness& a, const Likeness& b) {
    double out = distanceOfParts(a.gpu, b.gpu);
    out += a.experts != b.experts ? 2 : 0;
    out += a.precision != b.precision ? 1 : 0;
    if (a.framework != b.framework)
        out += a.framework && b.framework && a.framework->stack == b.framework->stack ? 0.25 : 0.5;
    out += a.recompute != b.recompute ? 0.3 : 0;
    out += 0.5 * logRatio(a.activeParameters, b.activeParameters);
    out += 0.15 * (logRatio(a.gpus, b.gpus) + logRatio(a.sequence, b.sequence));
    for (std::size_t i = 0; i < std::size(a.degrees); ++i)
        out += 0.1 / std::log(2.0) * logRatio(a.degrees[i], b.degrees[i]);
    return out;
}

ServingLikeness servingLikenessOf(const ScenarioSpec& spec, const Catalog& catalog) {
    ServingLikeness out;
    const PlanSpec& plan = spec.plan;
    out.gpu = gpuOf(spec.cluster, catalog);
    out.engine = catalog.engine(plan.engine.value_or(""));
    if (const Architecture* model = modelOf(spec, catalog)) {
        const ParameterCount count = countParameters(*model);
        out.experts = model->moe.has_value();
        out.parameters = static_cast<double>(count.total);
        out.activeParameters = static_cast<double>(count.active);
    }
    out.precision = plan.weights.value_or("");
    out.phase = spec.workload.phase.value_or("both");
    out.gpus = atLeastOne(spec.cluster.gpus);
    out.input = spec.workload.inputTokens.value_or(1);
    out.output = spec.workload.outputTokens.value_or(1);
    if (spec.workload.concurrency)
        out.load = *spec.workload.concurrency / out.gpus;
    const std::optional<std::int64_t> degrees[] = {plan.tensorParallel, plan.pipelineParallel,
                                                   plan.expertParallel, plan.attentionDataParallel};
    std::transform(std::begin(degrees), std::end(degrees), std::begin(out.degrees), atLeastOne);
    return out;
}

double distanceOf(const ServingLikeness& a, const ServingLikeness& b) {
    double out = distanceOfParts(a.gpu, b.gpu);
    out += a.experts != b.experts ? 1 : 0;
    out += a.phase != b.phase ? 1 : 0;
    out += a.precision != b.precision ? 0.5 : 0;
    out += a.engine != b.engine ? 0.3 : 0;
    out += a.load.has_value() != b.load.has_value() ? 0.5 : 0;
    out += 0.25 * (logRatio(a.activeParameters, b.activeParameters) + logRatio(a.parameters, b.parameters));
    out +=
        0.1 * logRatio(a.gpus, b.gpus) + 0.15 * (logRatio(a.input, b.input) + logRatio(a.output, b.output));
    out += a.load && b.load ? 0.15 * logRatio(*a.load, *b.load) : 0;
    for (std::size_t i = 0; i < std::size(a.degrees); ++i)
        out += 0.1 / std::log(2.0) * logRatio(a.degrees[i], b.degrees[i]);
    return out;
}

/// One row of each published deployment, with the quantity that says most of it.
std::vector<NearRow> nearServing(const ValidationReport& report, const ScenarioSpec& filled,
                                 const Catalog& catalog) {
    const ServingLikeness wanted = servingLikenessOf(filled, catalog);
    std::vector<NearRow> out;
    for (const ValidationRow& row : report.rows) {
        if (row.kind != RowKind::serving || !row.scenario || !isJudged(row))
            continue;
        // The quantities of a deployment are together.
        if (!out.empty() && out.back().row->id == row.id) {
            if (servingRank(row) < servingRank(*out.back().row))
                out.back().row = &row;
            continue;
        }
        out.push_back({&row, distanceOf(wanted, servingLikenessOf(*row.scenario, catalog))});
    }
    return out;
}

std::vector<NearRow> nearTraining(const ValidationReport& report, const ScenarioSpec& filled,
                                  const Catalog& catalog) {
    const Likeness wanted = likenessOf(filled, catalog);
    std::vector<NearRow> out;
    for (const ValidationRow& row : report.rows) {
        const bool time = asTime(row).quantity == "step_time_s";
        if (row.kind == RowKind::training && row.scenario && time && isJudged(row))
            out.push_back({&row, distanceOf(wanted, likenessOf(*row.scenario, catalog))});
    }
    return out;
}

} // namespace

std::size_t servingRank(const ValidationRow& row) {
    constexpr std::string_view order[] = {"output_tokens_per_s_per_gpu", "tpot_s",    "itl_s",
                                          "input_tokens_per_s_per_gpu",  "prefill_s", "ttft_s"};
    return static_cast<std::size_t>(std::ranges::find(order, summaryQuantity(row)) - std::begin(order));
}

std::vector<NearRow> nearestRows(const ValidationReport& report, const ScenarioSpec& filled,
                                 const Catalog& catalog, std::size_t most) {
    const bool serving = filled.workload.isServing();
    std::vector<NearRow> out =
        serving ? nearServing(report, filled, catalog) : nearTraining(report, filled, catalog);
    std::ranges::stable_sort(out, {}, &NearRow::distance);
    out.resize(std::min(out.size(), most));
    return out;
}

std::string nearestRunText(const Catalog& catalog, const ValidationRow* nearest) {
    if (nearest == nullptr)
        return "No published run is like it: the figures are extrapolated.";
    const ValidationRow& row = *nearest;
    const bool isTime = row.quantity.ends_with("_s") && !row.quantity.ends_with("per_s");
    const double longer = isTime ? row.error : 1 / (1 + row.error) - 1; // predicted time / measured - 1
    const Gpu* gpu = catalog.gpu(row.gpu);
    return "The published run most like it: " + row.model + " on " + formatCount(row.gpus) + " " +
           (gpu ? gpu->name : row.gpu) +
           (row.precision.empty() ? "" : ", " + nameOfChoice("plan.precision", row.precision)) + " (" +
           row.sourceTitle + "); its predicted time is " +
           formatQuantity(std::abs(longer), Dimension::ratio, {.significant = 2}) +
           (longer > 0 ? " too long." : " too short.");
}

std::string nearestRunText(const ValidationReport& report, const ScenarioSpec& plan, const Catalog& catalog,
                           const Profile& profile) {
    if (plan.workload.isReinforcement())
        return {};
    const auto planned = resolve(plan, catalog, profile);
    if (!planned)
        return {};
    const std::vector<NearRow> near = nearestRows(report, planned->spec, catalog, 1);
    return nearestRunText(catalog,
                          near.empty() || near.front().distance > farthestNear ? nullptr : near.front().row);
}

} // namespace alidade
