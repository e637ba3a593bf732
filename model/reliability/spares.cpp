// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/reliability/spares.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

/// Probabilities of 0, 1, 2 ... nodes in repair. In logarithms: e^-mean underflows for a large fleet.
class InRepair {
public:
    explicit InRepair(double mean)
        : mean_(mean)
        , logTerm_(-mean)
        , covered_(std::exp(-mean)) {}

    double covered() const { return covered_; } ///< P(count <= nodes())
    int nodes() const { return nodes_; }
    /// Goes on to one node more. \returns false once what is left of the tail is lost in rounding
    bool next() {
        ++nodes_;
        logTerm_ += std::log(mean_ / nodes_);
        const double term = std::exp(logTerm_);
        covered_ = std::min(1.0, covered_ + term);
        return nodes_ <= mean_ || term >= 1e-17;
    }

private:
    double mean_, logTerm_, covered_;
    int nodes_ = 0;
};

} // namespace

double outOfSpares(double meanInRepair, int spares) {
    if (!(meanInRepair > 0))
        return 0;
    InRepair count(meanInRepair);
    while (count.nodes() < spares && count.next()) {
    }
    return 1 - count.covered();
}

ElasticLoss elasticLoss(double meanInRepair, int spares, double nodes, double replicas) {
    ElasticLoss out;
    if (!(meanInRepair > 0) || !(nodes > 0))
        return out;
    const double nodesOfReplica = nodes / std::max(1.0, replicas);
    const auto idleWith = [&](int missing) {
        const double lost = std::ceil(missing / nodesOfReplica - 1e-9) * nodesOfReplica;
        return std::min(1.0, std::max<double>(lost, missing) / nodes);
    };
    InRepair count(meanInRepair);
    double covered = count.covered();
    const auto take = [&](double probability) {
        const int missing = count.nodes() - spares;
        if (missing < 0)
            return;
        out.idleShare += missing > 0 ? probability * idleWith(missing) : 0;
        // Arrivals see the long-run distribution: the next failure takes one replica more, which comes back.
        if (idleWith(missing + 1) > idleWith(missing))
            out.growths += probability;
    };
    take(covered);
    while (count.next()) {
        take(count.covered() - covered);
        covered = count.covered();
    }
    return out;
}

int cheapestSpares(double nodes, double meanInRepair) {
    if (!(meanInRepair > 0))
        return 0;
    // The fleet waits a share P(out) of the time, so that a run of time 1 takes 1 / (1 - P). The cost of
    // nodes + spares for that time has one minimum: a further spare pays until it no longer shortens the wait
    // by its own rent.
    InRepair count(meanInRepair);
    double best = (nodes + count.nodes()) / std::max(count.covered(), 1e-300);
    int bestSpares = 0;
    while (count.next()) {
        const double cost = (nodes + count.nodes()) / count.covered();
        if (cost < best) {
            best = cost;
            bestSpares = count.nodes();
        } else if (count.nodes() > meanInRepair) {
            break;
        }
    }
    return bestSpares;
}

double shortageShare(const NodeShortage& run, int spares) {
    if (!(run.elasticReplicas > 0))
        return outOfSpares(run.meanInRepair, spares);
    const ElasticLoss loss = elasticLoss(run.meanInRepair, spares, run.nodes, run.elasticReplicas);
    return std::min(1.0, loss.idleShare + loss.growths * run.growthShare);
}

int cheapestSpares(const NodeShortage& run) {
    if (!(run.elasticReplicas > 0))
        return cheapestSpares(run.nodes, run.meanInRepair);
    int best = 0;
    double lowest = HUGE_VAL;
    const double most = run.meanInRepair + 8 * std::sqrt(run.meanInRepair) + 8; // beyond, none is missing
    for (int spares = 0; spares <= most; ++spares) {
        const double counts = 1 - shortageShare(run, spares);
        if (counts > 0 && (run.nodes + spares) / counts < lowest) {
            lowest = (run.nodes + spares) / counts;
            best = spares;
        }
    }
    return best;
}

} // namespace alidade
