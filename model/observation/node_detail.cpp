// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/node_detail.h"

#include "model/observation/cluster_digest.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace alidade {
namespace {

constexpr double someAgain = 1e-4; ///< share of retransmitted bytes below which devices are all alike
constexpr double stillNow = 120;   ///< s that a value may be old to be "now"

/// The row of a part of a host; empty: not measured.
std::span<const double> rowOf(const ClusterDigest& cluster, Signal signal, const Entity& where) {
    const SignalTable* table = cluster.table(signal);
    const RowRange rows = table == nullptr ? RowRange{} : rowsOf(*table, where.host);
    for (std::size_t row = rows.begin; row < rows.end; ++row)
        if (table->rows[row].gpu == where.gpu && table->rows[row].part == where.part)
            return table->row(row, cluster.points());
    return {};
}

std::optional<double> newest(const ClusterDigest& cluster, std::span<const double> values) {
    const std::size_t few = std::max<std::size_t>(2, cluster.pointsIn(stillNow));
    for (std::size_t i = values.size(); i-- > values.size() - std::min(few, values.size());)
        if (std::isfinite(values[i]))
            return values[i];
    return std::nullopt;
}

DetailFigure figureOf(const ClusterDigest& cluster, Signal signal, const Entity& where) {
    DetailFigure out;
    const std::span<const double> values = rowOf(cluster, signal, where);
    double sum = 0, n = 0;
    for (const double value : values) {
        if (std::isfinite(value)) {
            sum += value;
            ++n;
            out.least = std::min(out.least.value_or(value), value);
            out.most = std::max(out.most.value_or(value), value);
        }
    }
    if (n > 0) {
        out.mean = sum / n;
        out.now = newest(cluster, values);
    }
    return out;
}

/// Sum of what was counted; nothing where there is no counter.
std::optional<double> countOfRow(const ClusterDigest& cluster, Signal signal, const Entity& where) {
    const std::span<const double> values = rowOf(cluster, signal, where);
    double sum = 0;
    bool known = false;
    for (const double value : values) {
        known = known || std::isfinite(value);
        sum += std::isfinite(value) ? std::max(0.0, value) : 0;
    }
    return known ? std::optional(std::round(sum)) : std::nullopt;
}

std::vector<XidEvent> xidsOf(const ClusterDigest& cluster, const Entity& where) {
    std::vector<XidEvent> out;
    const std::span<const double> values = rowOf(cluster, Signal::xid, where);
    int now = 0;
    bool first = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            continue;
        const int code = static_cast<int>(std::lround(values[i]));
        if (code != 0 && code != now)
            out.push_back({code, cluster.grid().at(i), first});
        now = code;
        first = false;
    }
    return out;
}

/// Indices of the GPUs and names of the devices that any signal tells of.
void findParts(const ClusterDigest& cluster, const std::string& host, std::set<int>& gpus,
               std::set<std::string>& devices) {
    for (const SignalTable& table : cluster.observation().tables) {
        const SignalScope scope = signalInfo(table.signal).scope;
        if (scope != SignalScope::gpu && scope != SignalScope::device)
            continue;
        const RowRange rows = rowsOf(table, host);
        for (std::size_t row = rows.begin; row < rows.end; ++row)
            if (scope == SignalScope::gpu)
                gpus.insert(table.rows[row].gpu);
            else
                devices.insert(table.rows[row].part);
    }
}

GpuDetail gpuOf(const ClusterDigest& cluster, const std::string& host, int gpu) {
    const Entity where{host, gpu, {}};
    const auto figure = [&](Signal signal) { return figureOf(cluster, signal, where); };
    GpuDetail out;
    out.gpu = gpu;
    out.clock = figure(Signal::smClock);
    out.power = figure(Signal::gpuPower);
    out.temperature = figure(Signal::gpuTemperature);
    out.memory = figure(Signal::memoryUsed);
    out.tensor = figure(Signal::tensorActive);
    out.nvlinkSent = figure(Signal::nvlinkTransmit);
    out.nvlinkReceived = figure(Signal::nvlinkReceive);
    out.heatThrottled = figure(Signal::thermalViolation).mean;
    out.powerThrottled = figure(Signal::powerViolation).mean;
    const SignalTable* heat = cluster.table(Signal::thermalViolation);
    out.throttleIsSign = heat != nullptr && heat->signOnly;
    out.singleBit = countOfRow(cluster, Signal::eccSingleBit, where);
    out.doubleBit = countOfRow(cluster, Signal::eccDoubleBit, where);
    out.nvlinkErrors = countOfRow(cluster, Signal::nvlinkErrors, where);
    for (const Signal signal : {Signal::rowsRemappedUncorrectable, Signal::rowsRemappedCorrectable})
        if (const std::optional<double> rows = newest(cluster, rowOf(cluster, signal, where)))
            out.rowsRemapped = out.rowsRemapped.value_or(0) + *rows;
    out.xids = xidsOf(cluster, where);
    return out;
}

/// The mean that was asked for apart.
DetailFigure apart(const std::vector<SignalTable>& traffic, Signal signal, const Entity& where,
                   DetailFigure otherwise) {
    for (const SignalTable& table : traffic) {
        const auto row = std::ranges::find(table.rows, where);
        if (table.signal == signal && row != table.rows.end()) {
            const double mean = table.row(static_cast<std::size_t>(row - table.rows.begin()), 1).front();
            otherwise.mean = std::isfinite(mean) ? std::optional(mean) : otherwise.mean;
        }
    }
    return otherwise;
}

EfaDetail deviceOf(const ClusterDigest& cluster, const std::string& host, const std::string& device,
                   const std::vector<SignalTable>& traffic) {
    const Entity where{host, -1, device};
    EfaDetail out;
    out.device = device;
    out.sent = apart(traffic, Signal::efaTransmit, where, figureOf(cluster, Signal::efaTransmit, where));
    out.received = apart(traffic, Signal::efaReceive, where, figureOf(cluster, Signal::efaReceive, where));
    const DetailFigure again = figureOf(cluster, Signal::efaRetransmitted, where);
    if (again.mean && out.sent.mean && *out.sent.mean > 0)
        out.retransmitShare = *again.mean / *out.sent.mean;
    out.impaired = countOfRow(cluster, Signal::efaImpairedConnections, where);
    out.unresponsive = countOfRow(cluster, Signal::efaUnresponsiveRemotes, where);
    return out;
}

bool isAlive(const GpuDetail& gpu) {
    return gpu.clock.now || gpu.power.now || gpu.temperature.now || gpu.memory.now;
}

} // namespace

NodeDetail nodeDetail(const Observation& observation, const std::string& host,
                      const std::vector<Finding>& findings, const std::vector<SignalTable>& traffic) {
    const ClusterDigest cluster(observation);
    NodeDetail out;
    out.host = host;
    const HostRole role = cluster.role(host);
    out.role = role == HostRole::training ? "trains" : role == HostRole::serving ? "serves" : "idle";
    std::set<int> gpus;
    std::set<std::string> devices;
    findParts(cluster, host, gpus, devices);
    for (const int gpu : gpus)
        out.gpus.push_back(gpuOf(cluster, host, gpu));
    for (const SignalTable& table : traffic) {
        for (const Entity& row : table.rows)
            if (row.host == host)
                devices.insert(row.part);
    }
    const bool any = std::ranges::any_of(out.gpus, isAlive);
    for (GpuDetail& gpu : out.gpus)
        gpu.silent = any && !isAlive(gpu);
    for (const std::string& device : devices)
        out.devices.push_back(deviceOf(cluster, host, device, traffic));
    std::ranges::stable_sort(out.devices, std::ranges::greater(), [](const EfaDetail& device) {
        const double share = device.retransmitShare.value_or(0);
        return share >= someAgain ? share : 0;
    });
    if (const SignalTable* up = cluster.table(Signal::targetUp)) {
        const RowRange rows = rowsOf(*up, host);
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const std::optional<double> now = newest(cluster, up->row(row, cluster.points()));
            out.exporters.emplace_back(up->rows[row].part, now ? std::optional(*now >= 0.5) : std::nullopt);
        }
    }
    out.bootTime = newest(cluster, rowOf(cluster, Signal::bootTime, {host, -1, {}}));
    std::ranges::copy_if(findings, std::back_inserter(out.findings),
                         [&](const Finding& each) { return each.where.host == host; });
    return out;
}

} // namespace alidade
