// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/storage_fill.h"

#include "model/units/constants.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

bool writesCheckpoints(CheckpointMode mode) {
    return mode == CheckpointMode::async || mode == CheckpointMode::sync;
}

} // namespace

double StorageFill::dataAt(double at) const { return days > 0 ? data * std::clamp(at / days, 0.0, 1.0) : 0; }

double StorageFill::checkpointsAt(double at, int kept) const {
    if (!(period > 0) || !(at > 0))
        return 0;
    return checkpoint * std::min(std::floor(std::min(at, days) / period), static_cast<double>(kept));
}

std::optional<double> StorageFill::fullAfter(int kept) const {
    const double perDay = days > 0 ? data / days : 0;
    const double written = period > 0 ? std::floor(days / period) : 0;
    const double most = std::min(written, static_cast<double>(kept));
    for (double count = 0; count <= most; ++count) {
        const double from = count * period; // this many are there from now on
        const double left = capacity - count * checkpoint;
        const double full = left < 0 ? from : perDay > 0 ? std::max(from, left / perDay) : HUGE_VAL;
        const double to = count < most ? from + period : days;
        if (full < to)
            return full;
    }
    return std::nullopt;
}

std::optional<StorageFill> storageFill(const Estimate& estimate) {
    if (!estimate.run || !estimate.run->days || !(estimate.run->storageBytes > 0))
        return std::nullopt;
    const Run& run = *estimate.run;
    if (run.storage.starts_with("s3")) // whatever capacity the scenario names
        return std::nullopt;
    StorageFill out{.capacity = run.storageBytes, .days = run.days->p50};
    if (!(out.days > 0) || !std::isfinite(out.days))
        return std::nullopt;
    const double epochs = std::max(1.0, run.dataEpochs); // data of later passes is there already
    out.data = run.dataRate * out.days * secondsPerDay * run.goodput / epochs;
    if (writesCheckpoints(run.mode) && run.checkpoint.interval > 0 && run.goodput > 0) {
        out.checkpoint = run.checkpoint.bytes;
        out.period = run.checkpoint.count > 0 ? out.days / run.checkpoint.count
                                              : run.checkpoint.interval / run.goodput / secondsPerDay;
    }
    return out;
}

} // namespace alidade
