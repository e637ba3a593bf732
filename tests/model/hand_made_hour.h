// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/plan_parts.h"
#include "tests/model/hand_made_cluster.h"

#include <QByteArray>

#include <algorithm>
#include <optional>
#include <vector>

namespace alidade::tests {

/// Four GPUs on two machines at $100 an hour, 6 s a step, 4,000 tokens/s.
inline Estimate planOf(double stepTime = 6) {
    Estimate out;
    out.runs = true;
    out.gpus = 4;
    out.scenario.cluster.instances = 2;
    Training training;
    training.stepTime = stepTime;
    training.tokensPerSecond = 4000;
    training.tokensPerSecondPerGpu = 1000;
    out.training = training;
    Cost cost;
    cost.dollarsPerHour = 100;
    out.cost = cost;
    return out;
}

inline Finding finding(FaultKind kind, double seconds, double steps = 0, int code = 0) {
    Finding out;
    out.kind = kind;
    out.code = code;
    out.where = {"a", 0, {}};
    out.cost = FaultCost{seconds, steps, 0, {}};
    return out;
}

/// Two hosts of two GPUs; the job makes a step in 6 s, for an hour.
struct Hour {
    HandMade cluster;
    JobTimeline job;
    std::optional<Estimate> plan = planOf();
    std::vector<Finding> findings;
    std::size_t gpus = 4;
    bool serves = false;
    std::vector<ChartLine> charts;

    explicit Hour(std::size_t points = 60, double step = 60)
        : cluster(points, step) {
        for (const char* host : {"a", "b"})
            for (int gpu = 0; gpu < 2; ++gpu)
                cluster.flat(Signal::gpuPower, {host, gpu, {}}, 600);
        job.stepTime.assign(points, 6);
        job.stopped.assign(points, Sign::no);
    }
    PlanActual balance() const {
        const ClusterDigest digest(cluster.observation);
        const PlanView view{digest, job, plan ? &*plan : nullptr, gpus, serves};
        PlanActual out;
        out.charts = charts;
        addBalance(view, findings, out);
        return out;
    }
    QByteArray sentences() const {
        const PlanActual out = balance();
        return QByteArray::fromStdString(out.verdict + (out.because.empty() ? "" : " | " + out.because));
    }
    QByteArray losses() const {
        QByteArray out;
        for (const LossLine& each : balance().losses) {
            out += QByteArray::fromStdString(each.name) + ": " + number(each.steps) + " steps, " +
                   number(each.share) + (each.dollars ? ", $" + number(*each.dollars) : QByteArray()) + '\n';
        }
        return out;
    }
    QByteArray money() const {
        const PlanActual out = balance();
        QByteArray said;
        const auto add = [&](const char* what, std::optional<double> value) {
            if (value)
                said += QByteArray(said.isEmpty() ? "" : ", ") + what + ' ' + number(*value);
        };
        add("spent", out.dollarsSpent);
        add("lost", out.dollarsLost);
        add("a step", out.dollarsPerStep);
        add("a million tokens", out.dollarsPerMillionTokens);
        add("idle", out.dollarsIdle);
        return said;
    }
    QByteArray notes() const {
        QByteArray out;
        for (const std::string& note : balance().notes)
            out += QByteArray::fromStdString(note) + '\n';
        return out;
    }
    QByteArray steps() const {
        const PlanActual out = balance();
        return number(out.stepsDone) + " of " + number(out.stepsPlanned);
    }
    /// Of the last five points, the newest five minutes.
    Hour& now(double stepTime) {
        std::fill(job.stepTime.end() - 5, job.stepTime.end(), stepTime);
        return *this;
    }
};

inline Hour planned(double stepTime) {
    Hour out;
    out.plan = planOf(stepTime);
    return out;
}

inline ChartLine chart(const char* id, const char* title, double mean, std::optional<double> plan,
                       double band = 0.1) {
    ChartLine out;
    out.id = id;
    out.title = title;
    out.mean = mean;
    if (plan)
        out.plan = PlannedFigure{*plan, *plan * (1 - band), *plan * (1 + band)};
    return out;
}

} // namespace alidade::tests
