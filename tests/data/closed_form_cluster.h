// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/observation/observation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

// A cluster whose truth is known, in closed form and with noise: the physics of tests/cluster, without a
// server. One job trains Llama 3.1 70B on p5.48xlarge (tensor parallel inside a node, data parallel across),
// one node serves it.
namespace alidade::test {

struct ClusterTruth {
    // machine
    double peak = 989.5e12, hbm = 3.35e12, nvlink = 450e9, efaNode = 400e9;
    double sheetClock = 1830e6, loadClock = 1755e6;
    int trainNodes = 3, gpusPerNode = 8;
    // training
    double parameters = 70.55e9, layers = 80, hidden = 8192, sequence = 8192, sequencesPerNode = 8;
    double recompute = 1.04, tiles = 1.03, gemmEfficiency = 0.62, hbmEfficiency = 0.82;
    double nvlinkEfficiency = 0.78, nvlinkExposed = 0.45, efaEfficiency = 0.85, efaExposed = 0.35;
    double memoryBytes = 2e12, gemmBytes = 3e12, dataStall = 0.05, host = 0.1;
    double checkpointSeconds = 12, checkpointEvery = 40;
    // serving
    double weightBytes = 141.1e9, kvBytes = 327680, decodeEfficiency = 0.78, decodeOverhead = 2.9e-3;
    double prefillEfficiency = 0.52, prefillOverhead = 0.012;
    double rate = 4, swing = 0.5, period = 2400, prompt = 2048, output = 256, hits = 0.3;
    double noise = 0.01; ///< of what is measured, relative sd
    unsigned seed = 7;
};

class ClosedFormCluster {
public:
    explicit ClosedFormCluster(const ClusterTruth& truth, TimeGrid grid = {1767225600, 30, 120})
        : t_(truth)
        , grid_(grid)
        , random_(truth.seed) {}

    double gemmTime() const { return modelFlopsPerGpu() * t_.recompute / (t_.peak * t_.gemmEfficiency); }
    double memoryTime() const { return t_.memoryBytes / (t_.hbm * t_.hbmEfficiency); }
    double stepTime() const {
        return gemmTime() + memoryTime() +
               t_.nvlinkExposed * nvlinkBytes() / (t_.nvlink * t_.nvlinkEfficiency) +
               t_.efaExposed * efaBytes() / (t_.efaNode * t_.efaEfficiency) + t_.dataStall + t_.host;
    }
    double tokensPerStep() const { return t_.trainNodes * t_.sequencesPerNode * t_.sequence; }
    double modelFlopsPerGpu() const {
        return (6 * t_.parameters + 6 * t_.layers * t_.hidden * t_.sequence) * tokensPerStep() /
               (t_.trainNodes * t_.gpusPerNode);
    }

    /// \param slow factor of the step time at an instant; 0: the job stands still
    Observation training(const std::function<double(double seconds)>& slow = {}) {
        Observation o = empty();
        o.job = "llama70b-pretrain";
        const double step = stepTime();
        std::vector<double> running, checkpoint;
        const double cycle = t_.checkpointEvery * step + t_.checkpointSeconds;
        for (std::size_t i = 0; i < grid_.points; ++i) {
            const double at = std::fmod(grid_.at(i) - grid_.start, cycle);
            const bool saves =
                at < t_.checkpointSeconds + 2 * grid_.step && grid_.at(i) - grid_.start > cycle / 2;
            checkpoint.push_back(saves ? t_.checkpointSeconds / 120 : 0);
            running.push_back(slow ? slow(grid_.at(i) - grid_.start) : 1);
        }
        const auto pace = [&](std::size_t i) { return running[i]; };
        const auto jobs = std::vector<Entity>{{}};
        add(o, Signal::stepTime, jobs,
            [&](std::size_t i) { return pace(i) > 0 ? step * pace(i) * noisy() : step; });
        add(o, Signal::stepsPerSecond, jobs, [&](std::size_t i) {
            return pace(i) > 0 ? (1 - checkpoint[i]) / (step * pace(i)) * noisy() : 0;
        });
        add(o, Signal::tokensPerSecond, jobs,
            [&](std::size_t i) { return pace(i) > 0 ? tokensPerStep() / (step * pace(i)) * noisy() : 0; });
        add(o, Signal::checkpointShare, jobs, [&](std::size_t i) { return checkpoint[i]; });
        std::vector<Entity> nodes, gpus;
        for (int n = 0; n < t_.trainNodes; ++n) {
            o.hosts.push_back("gpu-000" + std::to_string(n + 1));
            nodes.push_back({o.hosts.back(), -1, {}});
            for (int g = 0; g < t_.gpusPerNode; ++g)
                gpus.push_back({o.hosts.back(), g, {}});
        }
        const double own = gemmTime() + memoryTime(), share = own / step;
        const double tensor =
            modelFlopsPerGpu() * t_.recompute * t_.tiles / (t_.peak * step) * t_.sheetClock / t_.loadClock;
        const auto busy = [&](double value) {
            return [this, value, &pace, &checkpoint](std::size_t i) {
                return pace(i) > 0 ? value / pace(i) * (1 - checkpoint[i]) * noisy() : 0;
            };
        };
        add(o, Signal::nodeComputeTime, nodes, [&](std::size_t) { return own * noisy(); });
        add(o, Signal::tensorActive, gpus, busy(tensor));
        add(o, Signal::smActive, gpus, busy(0.97 * share + (1 - share) * 16 / 132));
        add(o, Signal::dramActive, gpus, busy((t_.memoryBytes + t_.gemmBytes) / (t_.hbm * step)));
        add(o, Signal::smClock, gpus, [&](std::size_t) { return t_.loadClock; });
        add(o, Signal::gpuPower, gpus, [&](std::size_t) { return 610 * noisy(); });
        add(o, Signal::nvlinkTransmit, gpus, busy(1.06 * nvlinkBytes() / step));
        add(o, Signal::efaTransmit, nodes, busy(1.02 * efaBytes() / step));
        return o;
    }

    Observation serving() {
        Observation o = empty();
        o.job = "vllm";
        o.hosts = {"gpu-0004"};
        const std::vector<Entity> engine{{"gpu-0004", -1, "gpu-0004:8000"}};
        std::vector<State> states;
        for (std::size_t i = 0; i < grid_.points; ++i)
            states.push_back(stateAt(grid_.at(i) - grid_.start - 60));
        const auto of = [&](double State::* member, double noise = 1) {
            return [&, member, noise](std::size_t i) { return states[i].*member * noisy(noise); };
        };
        add(o, Signal::interTokenLatency, engine, of(&State::itl, 0.3), Statistic::mean);
        add(o, Signal::timeToFirstToken, engine, of(&State::ttft, 0.3), Statistic::mean);
        add(o, Signal::prefillShare, engine, of(&State::share, 0.3));
        add(o, Signal::generationTokensPerSecond, engine, of(&State::tokens, 0.3));
        add(o, Signal::requestsPerSecond, engine, of(&State::rate, 0.3));
        add(o, Signal::requestsRunning, engine, [&](std::size_t i) {
            return std::max(0.0, std::round(states[i].batch + 1.2 * normal_(random_)));
        });
        add(o, Signal::promptTokens, engine, [&](std::size_t) { return t_.prompt; }, Statistic::mean);
        add(o, Signal::outputTokens, engine, [&](std::size_t) { return t_.output; }, Statistic::mean);
        add(o, Signal::prefixHitShare, engine, [&](std::size_t) { return t_.hits; });
        add(
            o, Signal::prefillTime, engine, [&](std::size_t) { return prefillTime() * noisy(0.3); },
            Statistic::mean);
        add(o, Signal::kvCacheBlocks, engine, [&](std::size_t) { return 73800.0 * 16; });
        return o;
    }

    double prefillTime() const {
        return 2 * t_.parameters * t_.prompt * (1 - t_.hits) / t_.gpusPerNode /
                   (t_.peak * t_.prefillEfficiency) +
               t_.prefillOverhead;
    }
    /// Of a batch of requests in the middle of their output, s.
    double decodeStep(double batch) const {
        const double bytes =
            (t_.weightBytes + batch * (t_.prompt + t_.output / 2) * t_.kvBytes) / t_.gpusPerNode;
        return bytes / (t_.hbm * t_.decodeEfficiency) + t_.decodeOverhead;
    }
    /// At the mean request rate, s.
    double interTokenLatency() const { return decodeStep(batch(t_.rate)) / (1 - prefillShare(t_.rate)); }
    double timeToFirstToken() const {
        const double share = prefillShare(t_.rate);
        return prefillTime() * (1 + share / (2 * (1 - share)));
    }
    const TimeGrid& grid() const { return grid_; }

private:
    struct State {
        double rate = 0, share = 0, batch = 0, itl = 0, ttft = 0, tokens = 0;
    };

    double prefillShare(double rate) const { return std::min(0.93, rate * prefillTime()); }
    /// By Little's law, sequences that decode.
    double batch(double rate) const {
        double out = 1;
        for (int i = 0; i < 60; ++i)
            out = rate * t_.output * decodeStep(out) / (1 - prefillShare(rate));
        return out;
    }

    double nvlinkBytes() const {
        const double act = t_.sequencesPerNode * t_.sequence * t_.hidden * 2;
        return 10 * t_.layers * act * (t_.gpusPerNode - 1) / t_.gpusPerNode;
    }
    double efaBytes() const {
        const double shard = 2 * t_.parameters / t_.gpusPerNode;
        return 2 * shard * (t_.trainNodes - 1) / t_.trainNodes * t_.gpusPerNode;
    }
    State stateAt(double seconds) const {
        State s;
        s.rate = t_.rate * (1 + t_.swing * std::sin(2 * 3.14159265358979 * seconds / t_.period));
        s.share = prefillShare(s.rate);
        s.batch = batch(s.rate);
        s.itl = decodeStep(s.batch) / (1 - s.share);
        s.ttft = prefillTime() * (1 + s.share / (2 * (1 - s.share)));
        s.tokens = s.rate * t_.output;
        return s;
    }
    double noisy(double share = 1) { return 1 + share * t_.noise * std::clamp(normal_(random_), -3.0, 3.0); }

    Observation empty() const {
        Observation o;
        o.server = "http://prometheus.test:9090";
        o.grid = grid_;
        return o;
    }
    template <class F>
    void add(Observation& o, Signal signal, const std::vector<Entity>& rows, F value,
             Statistic statistic = Statistic::value) const {
        SignalTable table;
        table.signal = signal;
        table.statistic = statistic;
        table.rows = rows;
        table.expression =
            signal == Signal::stepsPerSecond || statistic == Statistic::mean ? "rate(x[2m])" : "x";
        for (std::size_t r = 0; r < rows.size(); ++r)
            for (std::size_t i = 0; i < grid_.points; ++i)
                table.values.push_back(value(i));
        o.tables.push_back(std::move(table));
    }

    ClusterTruth t_;
    TimeGrid grid_;
    std::mt19937 random_;
    std::normal_distribution<double> normal_{0, 1};
};

} // namespace alidade::test
