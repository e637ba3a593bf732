// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/estimate/assemble_run.h"

#include "model/base/quantiles.h"
#include "model/cost/storage_price.h"
#include "model/estimate/evaluate.h"
#include "model/explain/normal.h"
#include "model/units/constants.h"

#include <cmath>
#include <string_view>

namespace alidade {

namespace {

constexpr Dimension seconds = Dimension::seconds;

/// Standard deviation of ln(run time): error of the step time, uncertainty of the failure rate in the share
/// of the time that follows it, and the Poisson number of failures.
template <class N>
N runLogSd(const Scenario& scenario, const InputsT<N>& in, const TotalsT<N>& t, const N& lostPerFailure) {
    using std::sqrt;
    const N step = in[stepTimeSpread(scenario)];
    if (scenario.hasGoodput)
        return step;
    const N lossShare = named(1 - t.goodput, "lost_share", Dimension::ratio);
    const N rate = lossShare * in[Input::failureLogSd];
    const N chance = named(lostPerFailure * sqrt(1 / (t.runTime * t.run.mtbf)), "chance_of_failures",
                           Dimension::ratio, "loss of a failure x sqrt(failures) / run time");
    return named(sqrt(step * step + rate * rate + chance * chance), "run_log_sd", Dimension::number,
                 "step time, failure rate and chance, independent");
}

template <class N>
RunDaysT<N> daysOf(const N& runTime, const N& logSd) {
    using std::exp;
    constexpr Dimension number = Dimension::number;
    RunDaysT<N> out;
    out.p50 = named(runTime / secondsPerDay, "days", number, "run time / 86,400 s");
    const N factor = named(exp(quantile90 * logSd), "band_factor", number,
                           "exp(1.2816 x sd of ln): 10 % and 90 % quantiles");
    out.p10 = named(out.p50 / factor, "days_low", number);
    out.p90 = named(out.p50 * factor, "days_high", number);
    out.mean = named(out.p50 * exp(logSd * logSd / 2), "days_mean", number, "of a log-normal distribution");
    return out;
}

template <class N>
class LostTimes {
public:
    LostTimes(const Scenario& scenario, const TotalsT<N>& t, RunT<N>& out)
        : scenario_(scenario)
        , t_(t)
        , out_(out) {}

    /// \returns s of training that a failure costs, its stop included
    N fill() {
        if (scenario_.hasGoodput) {
            add("Planned goodput", N(0), N(0),
                named(t_.runTime * (1 - t_.goodput), "lost_time", seconds, "run time x (1 - goodput)"));
            return N(0);
        }
        const RunCore<N>& run = t_.run;
        using std::exp;
        const N useful = named(t_.runTime * t_.goodput, "useful_time", seconds, "run time x goodput");
        const N exposed =
            named(t_.runTime * (1 - run.plannedShare) * (1 - run.waitingShare), "time_exposed_to_failures",
                  seconds, "without planned stops and waiting for nodes");
        const N failures =
            named(exposed / run.mtbf, "failures", Dimension::number, "time / mean time between failures");
        // Failures during a stop start it again: a stop that lasts R is in progress for less than R each.
        const N stop = named(run.mtbf * (1 - exp(0 - run.recovery / run.mtbf)), "stop_per_failure", seconds,
                             "MTBF x (1 - e^(-recovery / MTBF))");
        const N stalls =
            named(useful * run.stall / run.interval, "stalls", seconds, "checkpoints x stall of one");
        const N stopped = named(failures * stop, "stopped_time", seconds, "failures x stop of one");
        const N redone = named(exposed - useful - stalls - stopped, "repeated_work", seconds,
                               "what is left of the lost time: work after the last checkpoint");
        out_.interruptions = failures;
        for (const FailureCause& cause : failureCauses) {
            const N share(cause.share);
            add(std::string(cause.name),
                named(failures * share, "times", Dimension::number, "failures x share"),
                named(stopped * share, "restart_time", seconds),
                named(redone * share, "redone_time", seconds));
        }
        const N planned = named(t_.runTime * run.plannedShare, "planned_time", seconds);
        if (valueOf(planned) > 0) {
            const N times = named(planned / run.plannedStop, "planned_stops", Dimension::number);
            add(std::string(plannedCause), times, planned, N(0));
            out_.interruptions = named(failures + times, "interruptions", Dimension::number);
        }
        const N waiting =
            named(t_.runTime * (1 - run.plannedShare) * run.waitingShare, "waiting_time", seconds);
        if (valueOf(waiting) > 0)
            add(std::string(scenario_.run.elastic ? elasticCause : waitingCause), N(0), waiting, N(0));
        if (valueOf(stalls) > 0) {
            const N count =
                named(useful / run.interval, "checkpoints", Dimension::number, "useful time / interval");
            out_.checkpoint.count = count;
            add(std::string(stallCause), count, N(0), stalls);
        }
        return named((stopped + redone) / failures, "lost_per_failure", seconds);
    }

private:
    void add(std::string cause, const N& times, const N& restart, const N& redone) {
        LostTimeT<N> lost{
            std::move(cause), times, restart, redone, named(restart + redone, "lost_seconds", seconds), {}};
        if (scenario_.hasPrice) {
            lost.dollars = named(lost.seconds / secondsPerHour * t_.dollarsPerHour, "lost_dollars",
                                 Dimension::dollars, "hours x rent of the cluster");
        }
        out_.lost.push_back(std::move(lost));
    }

    const Scenario& scenario_;
    const TotalsT<N>& t_;
    RunT<N>& out_;
};

bool isFileSystem(const Scenario& scenario) {
    return scenario.spec.run.storage.value_or("").starts_with("fsx");
}

/// What limits the shared storage: itself, or the nodes, which reach S3 without EFA.
template <class N>
Bound storageBound(const Scenario& scenario, const RunCore<N>& run) {
    return !run.storage.clientsLimit ? Bound::storage
           : isFileSystem(scenario)  ? scenario.networkBound
                                     : Bound::network;
}

template <class N>
CheckpointT<N> checkpointOf(const Scenario& scenario, const InputsT<N>& in, const RunCore<N>& run) {
    CheckpointT<N> out;
    out.bytes = run.checkpointBytes;
    out.interval = run.interval;
    out.bestInterval = run.bestInterval;
    out.young = youngInterval(run.stall, run.mtbf);
    out.daly = dalyInterval(run.stall, run.mtbf);
    out.stall = run.stall;
    out.drain = run.drain;
    out.restore = run.restore;
    const auto tier = [&](std::string name, const N& rate, Bound bound) {
        if (valueOf(rate) > 0) {
            const N named_ = named(rate, "tier_rate", Dimension::bytesPerSecond);
            out.tiers.push_back({std::move(name), named_,
                                 named(run.checkpointBytes / named_, "tier_time", seconds, "bytes / rate"),
                                 bound});
        }
    };
    tier("host memory", N(run.checkpointBytes / run.copy), Bound::c2c);
    tier("local NVMe", run.storage.hosts * in[Input::nvmeWrite], Bound::storage);
    const bool file = isFileSystem(scenario);
    tier(file ? "file system" : "shared storage", run.storage.rate, storageBound(scenario, run));
    if (file) {
        tier("S3", run.storage.hosts * in[Input::objectClient], Bound::network);
        // To a linked bucket a checkpoint goes out of the file system, at most as fast as that is read.
        tier("S3 by export", run.storage.system, Bound::storage);
    }
    return out;
}

} // namespace

double chanceWithin(const RunDaysT<double>& days, double limit) {
    if (!(limit > 0) || !(days.p50 > 0))
        return 0;
    const double logSd = std::log(days.p90 / days.p50) / quantile90;
    if (!(logSd > 0))
        return limit >= days.p50 ? 1 : 0;
    return normalBelow(std::log(limit / days.p50) / logSd);
}

template <class N>
RunT<N> assembleRun(const Scenario& scenario, const InputsT<N>& in, const TotalsT<N>& t) {
    const RunCore<N>& run = t.run;
    RunT<N> out;
    out.mode = scenario.run.mode;
    out.goodput = run.goodput;
    out.mtbf = run.mtbf;
    out.recovery = run.recovery;
    out.checkpoint = checkpointOf(scenario, in, run);
    if (scenario.hasTokens) {
        const N lostPerFailure = LostTimes<N>(scenario, t, out).fill();
        out.days = daysOf(t.runTime, runLogSd(scenario, in, t, lostPerFailure));
        out.energyKwh = t.energyKwh;
        out.carbonKg = t.carbonKg;
    }
    out.dataRate = t.dataRate;
    out.dataSupply = scenario.run.nvmeCache ? t.data.cachedRate : t.data.laterRate;
    out.dataFirst = t.data.firstRate;
    out.dataEpochs = t.data.epochs;
    out.cacheHit = t.data.cacheHit;
    out.cacheSaves = t.dataSaved;
    out.dataBound = storageBound(scenario, run);
    out.dataExposed = t.parts[static_cast<std::size_t>(StepPart::dataLoading)];
    out.storageBytes = run.storage.capacity;
    out.storage = scenario.spec.run.storage.value_or("");
    out.storageDollarsPerMonth =
        billedGigabytes(valueOf(run.storage.capacity)) * valueOf(in[Input::storagePrice]);
    const N idle = named(in[Input::paidItems] * 0 + scenario.hosts - run.storage.hosts, "idle_nodes",
                         Dimension::number, "nodes of the cluster - nodes in use");
    out.spares = scenario.run.countsSpares ? in[Input::spares] : idle;
    out.nodesInRepair = nodesInRepair(in, run.mtbf);
    out.bestSpares =
        cheapestSpares({.nodes = valueOf(run.storage.hosts),
                        .meanInRepair = valueOf(out.nodesInRepair),
                        .elasticReplicas = scenario.run.elastic ? valueOf(in[Input::elasticReplicas]) : 0,
                        .growthShare = nodeLossShare() * valueOf(growthStop(run)) / valueOf(run.mtbf)});
    out.meanWatts = t.power.mean;
    out.peakWatts = t.power.peak;
    out.steppingWatts = t.power.stepping;
    out.stoppedWatts = t.power.stopped;
    out.start = scenario.spec.run.start.value_or("");
    out.deadline = scenario.spec.run.deadline.value_or("");
    return out;
}

template RunT<double> assembleRun(const Scenario&, const InputsT<double>&, const TotalsT<double>&);
template RunT<Traced> assembleRun(const Scenario&, const InputsT<Traced>&, const TotalsT<Traced>&);

} // namespace alidade
