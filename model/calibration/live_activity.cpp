// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/calibration/live_activity.h"

#include "model/base/not_measured.h"
#include "model/explain/normal.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

using Keep = std::function<bool(const Entity&)>;

double meanUsed(const Observation& o, const UsableTime& time, Signal signal, const Keep& keep) {
    const SignalTable* table = o.table(signal);
    return table ? meanOf(usedValues(time, meanOfRows(*table, o.grid.points, keep))) : notMeasured;
}

/// Mean of tensor activity x clock of each GPU and instant: the mean of the product, not the product of
/// means.
double meanProduct(const Observation& o, const UsableTime& time, const Keep& keep) {
    const SignalTable *tensor = o.table(Signal::tensorActive), *clock = o.table(Signal::smClock);
    if (!tensor || !clock)
        return notMeasured;
    const std::size_t n = o.grid.points;
    double sum = 0, count = 0;
    std::size_t c = 0; // both lists are sorted
    for (std::size_t r = 0; r < tensor->rows.size(); ++r) {
        while (c < clock->rows.size() && clock->rows[c] < tensor->rows[r])
            ++c;
        if (c == clock->rows.size() || clock->rows[c] != tensor->rows[r] || !keep(tensor->rows[r]))
            continue;
        for (std::size_t i = 0; i < n; ++i) {
            const double product = tensor->row(r, n)[i] * clock->row(c, n)[i];
            if (time.used[i] && std::isfinite(product)) {
                sum += product;
                ++count;
            }
        }
    }
    return count > 0 ? sum / count : notMeasured;
}

/// The hosts that train: those of the job, or of its nodes' own times; among all hosts of a cluster those
/// whose tensor pipes work at least half as much as those of the busiest.
std::set<std::string> trainingHosts(const Observation& o, const UsableTime& time) {
    std::set<std::string> out;
    if (const SignalTable* own = o.table(Signal::nodeComputeTime)) {
        for (const Entity& row : own->rows)
            out.insert(row.host);
        out.erase("");
    }
    const SignalTable* tensor = o.table(Signal::tensorActive);
    if (!out.empty() || !tensor)
        return out.empty() ? std::set<std::string>(o.hosts.begin(), o.hosts.end()) : out;
    std::vector<std::pair<double, std::string>> busy;
    double most = 0;
    for (const std::string& host : o.hosts) {
        const double mean =
            meanUsed(o, time, Signal::tensorActive, [&host](const Entity& row) { return row.host == host; });
        busy.emplace_back(mean, host);
        most = std::max(most, std::isfinite(mean) ? mean : 0);
    }
    for (const auto& [mean, host] : busy)
        if (mean > most / 2)
            out.insert(host);
    return out;
}

} // namespace

std::optional<double> sheetClock(const Gpu& gpu) {
    // Dense 16-bit FLOP of the tensor cores of one SM in a cycle (architecture white papers).
    const double perCycle = gpu.architecture == "Ampere"                ? 2048
                            : gpu.architecture == "Hopper"              ? 4096
                            : gpu.architecture.starts_with("Blackwell") ? 8192
                                                                        : 0;
    if (perCycle <= 0 || !gpu.bf16 || !gpu.streamingMultiprocessors)
        return std::nullopt;
    return gpu.bf16->si() / (perCycle * *gpu.streamingMultiprocessors);
}

JobActivity jobActivity(const Observation& o, const UsableTime& time) {
    JobActivity out;
    out.hosts = trainingHosts(o, time);
    const Keep keep = [&out](const Entity& row) { return out.hosts.empty() || out.hosts.contains(row.host); };
    out.tensor = meanUsed(o, time, Signal::tensorActive, keep);
    out.sm = meanUsed(o, time, Signal::smActive, keep);
    if (!std::isfinite(out.sm)) {
        out.sm = meanUsed(o, time, Signal::engineActive, keep);
        out.smIsEngine = std::isfinite(out.sm);
    }
    out.dram = meanUsed(o, time, Signal::dramActive, keep);
    out.clock = meanUsed(o, time, Signal::smClock, keep);
    out.tensorClock = meanProduct(o, time, keep);
    out.power = meanUsed(o, time, Signal::gpuPower, keep);
    out.nvlink = meanUsed(o, time, Signal::nvlinkTransmit, keep);
    out.efa = meanUsed(o, time, Signal::efaTransmit, keep);
    out.compute = out.efaMost = notMeasured;
    if (const SignalTable* table = o.table(Signal::tensorActive))
        out.gpus = static_cast<double>(std::ranges::count_if(table->rows, keep));
    const std::size_t n = o.grid.points;
    if (const SignalTable* table = o.table(Signal::efaTransmit)) {
        for (std::size_t r = 0; r < table->rows.size(); ++r) {
            for (const double v :
                 keep(table->rows[r]) ? usedValues(time, table->row(r, n)) : std::vector<double>{}) {
                out.efaMost = std::isfinite(out.efaMost) ? std::max(out.efaMost, v) : v;
            }
        }
    }
    if (const SignalTable* table = o.table(Signal::nodeComputeTime)) {
        std::vector<double> nodes;
        for (std::size_t r = 0; r < table->rows.size(); ++r)
            nodes.push_back(meanOf(usedValues(time, table->row(r, n))));
        out.compute = spreadOf(nodes).median;
    }
    return out;
}

PoissonInterval poissonInterval(double events, double exposure) {
    // Wilson and Hilferty 1931 for the chi-squared quantiles; exact without an event.
    const double z = normalQuantile(0.9);
    const auto bound = [z](double n, double sign) {
        const double cube = 1 - 1 / (9 * n) + sign * z / (3 * std::sqrt(n));
        return n * cube * cube * cube;
    };
    return {events > 0 ? bound(events, -1) / exposure : 0,
            (events > 0 ? bound(events + 1, 1) : -std::log(0.1)) / exposure};
}

} // namespace alidade
