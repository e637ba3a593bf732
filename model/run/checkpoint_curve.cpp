// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/checkpoint_curve.h"

#include "model/reliability/goodput.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

double effective(const Run& run, double interval, double mtbf) {
    return ettr(interval, run.checkpoint.stall, mtbf, run.recovery + run.checkpoint.drain);
}

/// Planned stops and waiting for nodes do not depend on the interval: they scale both goodputs alike.
double scaled(const Run& run, double effectiveThen) {
    const double present = effective(run, run.checkpoint.interval, run.mtbf);
    return present > 0 ? run.goodput * effectiveThen / present : 0;
}

} // namespace

bool hasInterval(const Run& run) {
    return (run.mode == CheckpointMode::async || run.mode == CheckpointMode::sync) && run.mtbf > 0 &&
           run.checkpoint.interval > 0;
}

double shortestInterval(const Run& run) { return std::max(0.0, run.checkpoint.drain - run.checkpoint.stall); }

double goodputAt(const Run& run, double interval) { return scaled(run, effective(run, interval, run.mtbf)); }

double goodputAtRate(const Run& run, double rate) {
    return scaled(run, effective(run, run.checkpoint.interval, run.mtbf / rate));
}

double daysAt(const Run& run, double interval) {
    return run.days ? run.days->p50 * run.goodput / goodputAt(run, interval) : 0;
}

std::vector<CheckpointPoint> checkpointCurve(const Run& run, double from, double to, int points) {
    std::vector<CheckpointPoint> out;
    out.reserve(static_cast<std::size_t>(std::max(0, points)));
    for (int i = 0; i < points; ++i) {
        const double interval = from * std::pow(to / from, i / (points - 1.0));
        out.push_back({interval, goodputAt(run, interval)});
    }
    return out;
}

} // namespace alidade
