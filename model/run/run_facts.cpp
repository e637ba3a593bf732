// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/run_facts.h"

#include "model/estimate/evaluate.h"
#include "model/estimate/rent.h"
#include "model/reliability/failure_causes.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double mostFailures = 3e7; // of all outcomes together: some seconds
constexpr int leastOutcomes = 200;

} // namespace

RunFacts runFacts(const Scenario& scenario) {
    const Inputs& in = scenario.inputs;
    RunFacts out;
    out.spread = {in[stepTimeSpread(scenario)], in[Input::failureLogSd]};
    out.detection = in[Input::failureDetection];
    out.nodes = std::max(1.0, in[Input::gpus] / in[Input::gpusPerHost]);
    if (scenario.hasPrice && in[Input::paidItems] > 0) {
        // An UltraServer is rented as one, and is several nodes.
        const double ofItem = scenario.hasBase() ? rentPerHour(in) / in[Input::paidItems] : in[Input::price];
        out.nodeDollarsPerHour = ofItem / std::max(1.0, scenario.hosts / in[Input::paidItems]);
    }
    out.elasticReplicas = scenario.run.elastic ? in[Input::elasticReplicas] : 0;
    out.goodputGiven = scenario.hasGoodput;
    return out;
}

NodeShortage shortageOf(const RunFacts& facts, const Run& run) {
    const double growth = run.checkpoint.stall + run.checkpoint.drain + run.recovery - facts.detection;
    return {.nodes = facts.nodes,
            .meanInRepair = run.nodesInRepair,
            .elasticReplicas = facts.elasticReplicas,
            .growthShare = nodeLossShare() * growth / run.mtbf};
}

double nodeRent(const RunFacts& facts, const RunProcess& process, const Run& run) {
    const double days = run.days ? run.days->p50 * (1 - process.waitingShare) : 0;
    return facts.nodeDollarsPerHour > 0 ? facts.nodeDollarsPerHour * 24 * days : days;
}

int lastDayOf(int start, double days) { return start + static_cast<int>(std::ceil(days)) - 1; }

int outcomesToDraw(int wanted, double failures) {
    if (!(failures > 0) || failures * wanted <= mostFailures)
        return wanted;
    const double affordable = mostFailures / failures;
    return affordable < leastOutcomes ? 0 : static_cast<int>(affordable);
}

double shareWithin(const std::vector<double>& ascending, double limit) {
    if (ascending.empty())
        return 0;
    const auto within = std::ranges::upper_bound(ascending, limit) - ascending.begin();
    return static_cast<double>(within) / static_cast<double>(ascending.size());
}

} // namespace alidade
