// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/plan_parts.h"
#include "tests/model/hand_made_cluster.h"

#include <QByteArray>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace alidade::tests {

inline QByteArray number(std::optional<double> value) { return value ? number(*value) : QByteArray("-"); }

/// "now 1, mean 2, planned 3 (2 to 4)".
inline QByteArray told(const ChartLine& line) {
    QByteArray out = "now " + number(line.now) + ", mean " + number(line.mean);
    if (line.plan)
        out += ", planned " + number(line.plan->value) + " (" + number(line.plan->low) + " to " +
               number(line.plan->high) + ')';
    return out;
}
inline QByteArray told(const PlanActual& of, std::string_view id) {
    const auto found = std::ranges::find(of.charts, id, &ChartLine::id);
    return found == of.charts.end() ? QByteArray("none") : told(*found);
}
inline QByteArray ids(const PlanActual& of) {
    QByteArray out;
    for (const ChartLine& each : of.charts)
        out += (out.isEmpty() ? "" : " ") + QByteArray::fromStdString(each.id);
    return out;
}
inline const ChartLine& line(const PlanActual& of, std::string_view id) {
    const auto found = std::ranges::find(of.charts, id, &ChartLine::id);
    if (found == of.charts.end())
        qFatal("no chart");
    return *found;
}

/// A throughput of 100 that is 80 to 125: times are 0.8 to 1.25 of the planned.
inline Estimate banded() {
    Estimate out;
    out.runs = true;
    out.headline = HeadlineT<double>{"Throughput", "tokens/s", 100, 80, 125, Bound::compute, 0.7};
    return out;
}
inline void assume(Estimate& estimate, const char* name, double value) {
    AssumptionT<double> each;
    each.name = name;
    each.value = value;
    estimate.assumptions.push_back(each);
}
inline Estimate trainingPlan() {
    Estimate out = banded();
    Training training;
    training.stepTime = 2;
    training.tokensPerSecond = 4000;
    training.tokensPerSecondPerGpu = 1000;
    training.mfu = 0.4;
    training.hfu = 0.5;
    training.mfuPeakFlopsPerSecond = 800e12;
    training.microbatches = 3;
    training.flopsConvention = "6 N";
    Communication tensor;
    tensor.networkBytes = 1e9;
    tensor.nvlinkBytes = 2e9;
    Operation op;
    op.bytes = 5e9;
    Layer layer;
    layer.count = 8;
    layer.communication = {tensor};
    layer.ops = {op};
    training.layers = {layer};
    training.communication = {tensor};
    out.training = training;
    out.scenario.plan.pipelineParallel = 2; // each layer's work is done 8 x 3 / 2 = 12 times on a GPU
    return out;
}

/// Hosts a and b train with two GPUs each, twenty minutes; c serves.
struct Charts {
    HandMade cluster{20};
    JobTimeline job;
    std::optional<Estimate> plan;
    std::size_t gpus = 4;
    bool serves = false;
    std::optional<std::size_t> until;

    Charts() {
        job.stopped.assign(20, Sign::no);
        cluster.flat(Signal::requestsRunning, {"c", -1, "x"}, 1);
    }
    Charts& gpuValues(Signal signal, double first, double second, double serving = 1e6) {
        for (const char* host : {"a", "b"}) {
            cluster.flat(signal, {host, 0, {}}, first);
            cluster.flat(signal, {host, 1, {}}, second);
        }
        cluster.flat(signal, {"c", 0, {}}, serving);
        return *this;
    }
    PlanActual made(void (*add)(const PlanView&, PlanActual&)) const {
        const ClusterDigest digest(cluster.observation);
        const PlanView view{digest, job, plan ? &*plan : nullptr, gpus, serves, until};
        PlanActual out;
        add(view, out);
        return out;
    }
    PlanActual training() const { return made(addTrainingCharts); }
    PlanActual serving() const { return made(addServingCharts); }
    QByteArray shares() const {
        QByteArray out;
        for (const ActivityShare& each : made(addShares).shares)
            out += QByteArray::fromStdString(each.name) + ' ' + number(each.modeled) + ' ' +
                   number(each.measured) + '\n';
        return out;
    }
};

} // namespace alidade::tests
