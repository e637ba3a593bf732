// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic_cluster.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace alidade::tests {

namespace {

using Kind = Trouble::Kind;
constexpr double tick = 5, restartTime = 150, none = std::numeric_limits<double>::quiet_NaN();
enum class Mode : std::uint8_t { run, checkpoint, hang, down };

/// The job, tick by tick: cumulative counters at their beginnings.
struct Job {
    std::vector<Mode> mode;
    std::vector<double> stepTime, steps, inCheckpoint, active, lastStep;

    Job(const SyntheticCluster& of, double seconds) {
        double done = 0, saved = 0, checkpointed = 0, lastCheckpoint = of.warmUp, last = none, until = 0;
        Mode now = of.warmUp > 0 ? Mode::down : Mode::run;
        until = of.warmUp;
        for (double t = 0; t < seconds + 2 * tick; t += tick) {
            if (now != Mode::run && t >= until) {
                if (now == Mode::hang) {
                    until = t + restartTime;
                    now = Mode::down;
                } else {
                    lastCheckpoint = t;
                    now = Mode::run;
                }
            }
            if (now == Mode::run && of.checkpointEvery > 0 && t - lastCheckpoint >= of.checkpointEvery) {
                now = Mode::checkpoint;
                until = t + of.checkpointLength;
            }
            double slow = 1, network = 1;
            for (const Trouble& each : of.troubles) {
                const bool on = t >= each.start && t < each.end;
                if (each.kind == Kind::straggler && on) {
                    slow = std::max(slow, each.amount);
                } else if (each.kind == Kind::retransmits && on) {
                    network += each.amount;
                } else if (each.kind == Kind::hang && on && now != Mode::hang && now != Mode::down) {
                    now = Mode::hang;
                    until = each.end;
                } else if (each.kind == Kind::xid && each.crash && std::abs(t - each.start) < tick / 2) {
                    now = Mode::down;
                    until = t + restartTime;
                }
            }
            const double step = of.stepTime * (1 + 0.9 * (slow - 1)) * network;
            mode.push_back(now);
            stepTime.push_back(step);
            steps.push_back(done);
            inCheckpoint.push_back(checkpointed);
            active.push_back(saved);
            lastStep.push_back(last);
            const double runs = now == Mode::run ? tick : 0;
            done += runs / step;
            saved += runs / step; // tensor work, in steps
            checkpointed += now == Mode::checkpoint ? tick : 0;
            last = now == Mode::run ? t + tick - std::fmod(done, 1.0) * step : last;
        }
    }
    std::size_t index(double t) const {
        return std::min(mode.size() - 1, static_cast<std::size_t>(std::max(0.0, t / tick)));
    }
    /// Mean rate over a window that ends at t.
    double rate(const std::vector<double>& counter, double t, double window) const {
        const std::size_t end = index(t), begin = index(t - window);
        return end > begin ? (counter[end] - counter[begin]) / (tick * static_cast<double>(end - begin)) : 0;
    }
};

} // namespace

std::string SyntheticCluster::host(int index) {
    const std::string digits = std::to_string(index + 1);
    return "gpu-" + std::string(4 - std::min<std::size_t>(4, digits.size()), '0') + digits;
}

Observation SyntheticCluster::observe() const {
    const Job job(*this, hours * 3600);
    Observation out;
    out.server = "http://prometheus.example:9090";
    out.job = "pretrain";
    out.grid = {start, step, static_cast<std::size_t>(hours * 3600 / step)};
    out.newest = out.grid.end();
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const auto noisy = [&](double value, double scale = 1) {
        return value * (1 + noise * scale * std::clamp(normal(generator), -3.5, 3.5));
    };
    const auto on = [&](Kind kind, int node, int gpu, double t) -> const Trouble* {
        for (const Trouble& each : troubles) {
            if (each.kind == kind && each.host == node && (gpu < 0 || each.gpu == gpu) && t >= each.start &&
                t < each.end) {
                return &each;
            }
        }
        return nullptr;
    };
    const auto silent = [&](int node, double t) {
        const Trouble* xid = on(Kind::xid, node, -1, t);
        const bool boots = xid != nullptr && xid->crash && t >= xid->start + 30 && t < xid->start + 100;
        return on(Kind::down, node, -1, t) != nullptr || boots;
    };
    const auto dark = [&](double t) {
        return std::ranges::find_if(blackouts,
                                    [t](const Blackout& each) { return t >= each.start && t < each.end; });
    };
    /// Part of a rate's window that has samples: rates look back into a blackout and out of it.
    const auto filled = [&](double t) {
        double missing = 0;
        for (const Blackout& each : blackouts)
            missing += std::max(0.0, std::min(t, each.end) - std::max(t - rateWindow, each.start));
        return 1 - missing / rateWindow;
    };
    const auto trains = [&](int node) { return node < nodes - spares; };
    for (int node = 0; node < nodes; ++node)
        out.hosts.push_back(host(node));
    // A table: rows in order, and a value of each at t seconds.
    const auto add = [&](Signal signal, const std::vector<Entity>& rows, auto value) {
        SignalTable table;
        table.signal = signal;
        table.rows = rows;
        table.metric = std::string(signalInfo(signal).id);
        for (const Entity& row : rows) {
            for (std::size_t i = 0; i < out.grid.points; ++i) {
                const bool lost = gaps > 0 && uniform(generator) < gaps;
                const double t = step * static_cast<double>(i);
                const bool rate = signal == Signal::efaTransmit || signal == Signal::checkpointShare ||
                                  signal == Signal::efaRetransmitted;
                const double measured = value(row, t);
                const bool isDark = dark(t) != blackouts.end();
                if (signal == Signal::targetUp && isDark)
                    table.values.push_back(dark(t)->silent ? 0.0 : none);
                else if (rate)
                    table.values.push_back(lost || filled(t) < 0.3 ? none : measured * filled(t));
                else
                    table.values.push_back(lost || isDark ? none : measured);
            }
        }
        out.tables.push_back(std::move(table));
    };
    const auto nodeOf = [](const Entity& row) { return std::stoi(row.host.substr(4)) - 1; };
    std::vector<Entity> gpuRows, nodeRows, deviceRows, upRows;
    for (int node = 0; node < nodes; ++node) {
        for (int gpu = 0; gpu < gpus; ++gpu)
            gpuRows.push_back({host(node), gpu, {}});
        for (int device = 0; device < devices; ++device)
            deviceRows.push_back({host(node), -1, "rdmap" + std::to_string(100 + device) + "s0"});
        nodeRows.push_back({host(node), -1, {}});
        for (const char* part : {"dcgm_exporter", "efa_exporter", "lustre_exporter", "node_exporter"})
            upRows.push_back({host(node), -1, part});
    }
    const auto gpuValue = [&](Signal signal, bool profiled, auto value) {
        add(signal, gpuRows, [&, profiled](const Entity& row, double t) {
            const int node = nodeOf(row);
            const bool lost = on(Kind::lostGpu, node, row.gpu, t) != nullptr;
            const bool blank = profiled && on(Kind::blank, node, -1, t) != nullptr;
            return silent(node, t) || lost || blank ? none : value(node, row.gpu, t);
        });
    };
    const auto modeAt = [&](int node, double t) {
        return trains(node) ? job.mode[job.index(t)] : Mode::down;
    };
    const auto slowGpu = [&](int node, int gpu, double t) { return on(Kind::straggler, node, gpu, t); };
    gpuValue(Signal::smClock, false, [&](int node, int gpu, double t) {
        const Mode mode = modeAt(node, t);
        if (mode != Mode::run)
            return mode == Mode::down ? 345e6 : 1980e6;
        const Trouble* slow = slowGpu(node, gpu, t);
        return 15e6 * std::round(noisy(slow != nullptr ? 1755e6 / slow->amount : 1755e6, 0.5) / 15e6);
    });
    gpuValue(Signal::gpuTemperature, false, [&](int node, int gpu, double t) {
        const bool hot = slowGpu(node, gpu, t) != nullptr || on(Kind::heat, node, gpu, t) != nullptr;
        return hot ? 87.0 : std::round(noisy(modeAt(node, t) == Mode::down ? 35 : 60, 3));
    });
    gpuValue(Signal::gpuPower, false,
             [&](int node, int, double t) { return noisy(modeAt(node, t) == Mode::down ? 118 : 600); });
    gpuValue(Signal::gpuUtilization, false, [&](int node, int, double t) {
        switch (modeAt(node, t)) {
        case Mode::run:
            return 0.99;
        case Mode::hang:
            return 1.0;
        case Mode::checkpoint:
            return 0.12;
        default:
            return 0.0;
        }
    });
    gpuValue(Signal::memoryUsed, false,
             [&](int node, int, double t) { return modeAt(node, t) == Mode::down ? 4e6 : 70e9; });
    gpuValue(Signal::tensorActive, true, [&](int node, int gpu, double t) {
        const Trouble* slow = slowGpu(node, gpu, t);
        const double work = trains(node) ? job.rate(job.active, t, std::max(30.0, step)) : 0;
        return std::min(1.0, noisy(work * stepTime * 0.45 * (slow != nullptr ? slow->amount : 1)));
    });
    gpuValue(Signal::dramActive, true, [&](int node, int, double t) {
        return trains(node) ? noisy(job.rate(job.active, t, std::max(30.0, step)) * stepTime * 0.25) : 0.0;
    });
    gpuValue(Signal::thermalViolation, false, [&](int node, int gpu, double t) {
        return slowGpu(node, gpu, t) != nullptr || on(Kind::heat, node, gpu, t) != nullptr ? 0.62 : 0.0;
    });
    gpuValue(Signal::powerViolation, false,
             [&](int node, int, double t) { return modeAt(node, t) == Mode::run ? noisy(0.11, 10) : 0.0; });
    gpuValue(Signal::xid, false, [&](int node, int gpu, double t) {
        const Trouble* xid = on(Kind::xid, node, gpu, t);
        return xid != nullptr && !(xid->crash && t > xid->start + 90) ? static_cast<double>(xid->code) : 0.0;
    });
    const auto happensNow = [&](const Trouble& each, double t) {
        return t >= each.start && t < each.start + step;
    };
    gpuValue(Signal::eccDoubleBit, false, [&](int node, int gpu, double t) {
        const Trouble* xid = on(Kind::xid, node, gpu, t);
        return xid != nullptr && xid->crash && happensNow(*xid, t) ? 1.0 : 0.0;
    });
    gpuValue(Signal::rowRemapPending, false, [&](int node, int gpu, double t) {
        const Trouble* xid = on(Kind::xid, node, gpu, t);
        return xid != nullptr && xid->crash && t < xid->start + 90 ? 1.0 : 0.0;
    });
    gpuValue(Signal::rowRemapFailure, false, [&](int node, int gpu, double t) {
        return on(Kind::remapFailure, node, gpu, t) != nullptr ? 1.0 : 0.0;
    });
    gpuValue(Signal::rowsRemappedUncorrectable, false, [&](int node, int gpu, double t) {
        const Trouble* xid = on(Kind::xid, node, gpu, t);
        return (node * 8 + gpu) % 37 == 5     ? 1.0
               : xid != nullptr && xid->crash ? 1.0
                                              : 0.0; // some have old ones
    });
    gpuValue(Signal::eccSingleBit, false, [&](int node, int gpu, double t) {
        const Trouble* rising = on(Kind::risingErrors, node, gpu, t);
        const auto count = [&](double x) {
            return x <= 0 ? 0 : std::floor(3 * (x / 600) * (x / 600) + x / 400);
        };
        if (rising != nullptr)
            return count(t - rising->start) - count(t - step - rising->start);
        const Trouble* steady = on(Kind::steadyErrors, node, gpu, t);
        return steady == nullptr ? 0.0
                                 : static_cast<double>(std::poisson_distribution<int>(steady->amount * step /
                                                                                      3600)(generator));
    });
    const auto nodeValue = [&](Signal signal, const std::vector<Entity>& rows, auto value) {
        add(signal, rows, [&](const Entity& row, double t) {
            return silent(nodeOf(row), t) ? none : value(row, nodeOf(row), t);
        });
    };
    const double traffic = 45e9 * stepTime; // bytes of a node and step
    nodeValue(Signal::efaTransmit, nodeRows, [&](const Entity&, int node, double t) {
        return trains(node) ? noisy(job.rate(job.steps, t, rateWindow) * traffic) : 0.0;
    });
    nodeValue(Signal::efaRetransmitted, deviceRows, [&](const Entity& row, int node, double t) {
        const Trouble* bad = on(Kind::retransmits, node, -1, t);
        const bool mine = bad != nullptr && std::stoi(row.part.substr(5, 3)) - 100 < bad->devices;
        return trains(node) ? job.rate(job.steps, t, rateWindow) * traffic / devices * (mine ? 0.008 : 2e-8)
                            : 0.0;
    });
    nodeValue(Signal::efaImpairedConnections, deviceRows, [&](const Entity& row, int node, double t) {
        const Trouble* bad = on(Kind::connections, node, -1, t);
        return bad != nullptr && happensNow(*bad, t) && row.part == "rdmap100s0" ? bad->amount : 0.0;
    });
    nodeValue(Signal::bootTime, nodeRows, [&](const Entity&, int node, double t) {
        const Trouble* xid = on(Kind::xid, node, -1, t);
        return xid != nullptr && xid->crash && t > xid->start + 60 ? start + xid->start + 60 : start - 86400;
    });
    add(Signal::targetUp, upRows,
        [&](const Entity& row, double t) { return silent(nodeOf(row), t) ? 0.0 : 1.0; });
    if (!jobMetrics)
        return out;
    const std::vector<Entity> jobRow{{{}, -1, {}}};
    const auto jobValue = [&](Signal signal, auto value) {
        add(signal, jobRow, [&](const Entity&, double t) {
            return job.mode[job.index(t)] == Mode::down || job.index(t) == 0 ? none : value(t);
        });
    };
    jobValue(Signal::stepTime, [&](double t) { return noisy(job.stepTime[job.index(t)]); });
    jobValue(Signal::tokensPerSecond, [&](double t) { return noisy(4e6 / job.stepTime[job.index(t)]); });
    jobValue(Signal::lastStep, [&](double t) { return start + job.lastStep[job.index(t)]; });
    jobValue(Signal::loss, [&](double t) {
        return on(Kind::badLoss, 0, -1, t) != nullptr ? none : noisy(2 + 4 * std::exp(-t / 3000));
    });
    if (checkpointMetric) {
        jobValue(Signal::checkpointShare,
                 [&](double t) { return job.rate(job.inCheckpoint, t, rateWindow); });
    }
    if (ownTimes) {
        std::vector<Entity> rows(nodeRows.begin(), nodeRows.end() - spares);
        add(Signal::nodeComputeTime, rows, [&](const Entity& row, double t) {
            const Trouble* slow = slowGpu(nodeOf(row), -1, t);
            return job.mode[job.index(t)] == Mode::down
                       ? none
                       : noisy(0.7 * stepTime * (slow != nullptr ? slow->amount : 1));
        });
    }
    return out;
}

} // namespace alidade::tests
