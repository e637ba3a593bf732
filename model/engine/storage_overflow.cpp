// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/engine/storage_overflow.h"

#include "model/base/calendar.h"
#include "model/reliability/run_core.h"
#include "model/run/storage_fill.h"
#include "model/scenario/edit.h"
#include "model/units/constants.h"
#include "model/units/format.h"

#include <cmath>

namespace alidade {

namespace {

std::string bytesText(double bytes) { return formatQuantity(bytes, Dimension::bytes); }

std::string daysText(double days) { return formatQuantity(days * secondsPerDay, Dimension::seconds); }

} // namespace

void reportStorageOverflow(const Scenario& scenario, Estimate& estimate) {
    const auto fill = storageFill(estimate);
    const auto full = fill ? fill->fullAfter() : std::nullopt;
    if (!full)
        return;
    const auto start = dayOfDate(estimate.run->start);
    const std::string when =
        (start ? "on " + dateText(*start + static_cast<int>(*full)) + ", " : std::string()) + "after " +
        daysText(*full) + " of " + daysText(fill->days);
    std::string what = bytesText(fill->data) + " of training data";
    if (fill->checkpoint > 0)
        what += " and " + std::to_string(keptCheckpoints) + " checkpoints of " + bytesText(fill->checkpoint);
    const double enough =
        soldCapacity(fill->most(), scenario.inputs[Input::storageLeast], scenario.inputs[Input::storageStep]);
    estimate.problems.push_back(
        {Severity::warning, "/run/storage_bytes",
         "The file system of " + bytesText(fill->capacity) + " is full " + when + ": the run puts " + what +
             " there. Release data that has been read, or provision more",
         Fix{"Provision " + bytesText(enough), {{"run.storage_bytes", editText(enough, Dimension::bytes)}}}});
}

} // namespace alidade
