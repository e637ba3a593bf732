// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/cost/capacity_block.h"
#include "model/cost/run_cost.h"
#include "model/reliability/goodput.h"
#include "model/reliability/power.h"
#include "model/reliability/spares.h"
#include "tests/oracle/adaptors.h"
#include "tests/oracle/reference/capacity_block_size.h"

#include <algorithm>

namespace alidade::oracle {

using namespace reference;

namespace {

Json meanTime(const Json& a) {
    return jobMtbf<double>(number(a, "gpus"), number(a, "gpu_hours_per_failure"));
}
Json young(const Json& a) { return youngInterval<double>(number(a, "delta"), number(a, "M")); }
Json daly(const Json& a) { return dalyInterval<double>(number(a, "delta"), number(a, "M")); }
Json optimal(const Json& a) { return optimalInterval(number(a, "delta"), number(a, "M")); }

/// The program's law to first order in 1/MTBF and in the stall, as papers print it: 1 + its slope at 0.
double firstOrder(double interval, double delta, double mtbf, double restart) {
    const auto at = [&](double part) { return ettr<double>(interval, part * delta, mtbf / part, restart); };
    constexpr double part = 1e-4;
    return 1 + (4 * at(part / 2) - at(part) - 3) / part; // a parabola through these and at(0) = 1
}

Json timeRatio(const Json& a) {
    const double interval = number(a, "tau"), delta = number(a, "delta"), mtbf = number(a, "M"),
                 restart = number(a, "restart");
    return number(a, "exact", 1) != 0 ? ettr<double>(interval, delta, mtbf, restart)
                                      : firstOrder(interval, delta, mtbf, restart);
}

Json timeRatioOfNodes(const Json& a) {
    const double mtbf = 86400 / (number(a, "nodes") * number(a, "fail_per_node_day"));
    return firstOrder(number(a, "dt"), 0, mtbf, number(a, "u0"));
}

/// A run of one-node replicas without spares, which pays `reconf` for each failure. The others count.
Json elastic(const Json& a) {
    const double mtbf = number(a, "M"), nodes = 1 / number(a, "lost_fraction");
    const NodeShortage run{.nodes = nodes,
                           .meanInRepair = number(a, "repair") / mtbf,
                           .elasticReplicas = nodes,
                           .growthShare = number(a, "reconf") / mtbf};
    return 1 - shortageShare(run, 0);
}

Json checkpoint(const Json& a) {
    const double nodes = number(a, "nodes");
    const auto time = checkpointTime<double>(number(a, "bytes_total"), nodes * number(a, "d2h_node"),
                                             std::min(nodes * number(a, "nvme_node"), number(a, "fs_total")));
    return choose<double>({{"sync", time.copy + time.write}, {"async", time.copy}, {"drain", time.write}},
                          word(a, "mode", ""));
}

/// The fewest with which the run does not wait with this probability.
Json spares(const Json& a) {
    const double inRepair =
        number(a, "nodes") * number(a, "fail_per_node_day") * number(a, "repair_hours") / 24;
    int count = 0;
    while (outOfSpares(inRepair, count) > 1 - number(a, "quantile"))
        ++count;
    return count;
}

Json cost(const Json& a) {
    const RunCost<double> c = runCost(number(a, "tokens"), number(a, "tokens_per_s"), number(a, "ratio"),
                                      number(a, "instances"), number(a, "usd_instance_hour"));
    return {{"hours", c.hours}, {"usd", c.dollars}};
}

Json orRefuse(const Result<int>& result) {
    if (!result)
        throw Refused(result.error());
    return *result;
}

Json blockDays(const Json& a) { return orRefuse(capacityBlockDays(number(a, "hours"))); }
Json blockSize(const Json& a) { return orRefuse(capacityBlockSize(whole(a, "instances", 0))); }

Json energy(const Json& a) {
    const double gpu = number(a, "gpu_watt") * number(a, "utilisation");
    return kilowattHours<double>(
        number(a, "gpus") * facilityWatts<double>(gpu, 0, number(a, "host_watt_per_gpu"), number(a, "pue")),
        number(a, "hours"));
}

} // namespace

void addReliability(Adaptors& table) {
    table["mtbf"] = meanTime;
    table["young"] = young;
    table["daly"] = daly;
    table["optimal_interval"] = optimal;
    table["ettr"] = timeRatio;
    table["ettr_nodes"] = timeRatioOfNodes;
    table["elastic_ettr"] = elastic;
    table["checkpoint_stall"] = checkpoint;
    table["spares"] = spares;
}

void addCost(Adaptors& table) {
    table["run_cost"] = cost;
    table["capacity_block_days"] = blockDays;
    table["capacity_block_size"] = blockSize;
    table["energy_kwh"] = energy;
}

} // namespace alidade::oracle
