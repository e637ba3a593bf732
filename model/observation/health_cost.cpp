// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade {
namespace {

constexpr double leastLoss = 0.005;   ///< of the pace: below it noise and faults look alike
constexpr std::size_t leastAlone = 3; ///< points at which a fault is alone, to know what it takes by itself

bool slowsTheJob(const Evidence& each, const ClusterDigest& cluster) {
    switch (each.kind) {
    case FaultKind::straggler:
    case FaultKind::thermal:
    case FaultKind::power:
    case FaultKind::efaRetransmits:
    case FaultKind::efaConnections:
        return each.where.host.empty() || cluster.trains(each.where.host);
    default:
        return false;
    }
}

/// Where a point's loss belongs to: a stop, or faults that slow the job.
class Ledger {
public:
    Ledger(const HealthView& view, const EvidenceList& evidence)
        : view_(view)
        , evidence_(evidence)
        , slow_(view.cluster.points())
        , inStop_(view.cluster.points(), false) {
        for (const JobStop& stop : view.job.stops) {
            std::fill(inStop_.begin() + static_cast<std::ptrdiff_t>(stop.span.begin),
                      inStop_.begin() + static_cast<std::ptrdiff_t>(stop.span.end), true);
        }
        for (std::size_t i = 0; i < evidence.size(); ++i) {
            if (slowsTheJob(evidence[i], view.cluster))
                for (std::size_t at = evidence[i].span.begin; at < evidence[i].span.end; ++at)
                    slow_[at].push_back(i);
        }
        findPace();
        widen();
        losses_.assign(view.cluster.points(), 0);
        for (std::size_t at = 0; at < losses_.size(); ++at)
            losses_[at] = lossAt(at);
    }

    double quiet() const { return quiet_; }

    /// Seconds that each slow fault took.
    std::vector<double> slowSeconds() const {
        const std::size_t n = evidence_.size();
        std::vector<double> alone(n, 0), seconds(n, 0);
        std::vector<std::size_t> count(n, 0), known(n, 0), points(n, 0);
        for (std::size_t at = 0; at < slow_.size(); ++at) {
            if (slow_[at].size() == 1 && std::isfinite(losses_[at])) {
                alone[slow_[at].front()] += losses_[at];
                ++count[slow_[at].front()];
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            alone[i] = count[i] >= leastAlone ? std::max(0.0, alone[i] / static_cast<double>(count[i])) : -1;
        for (std::size_t at = 0; at < slow_.size(); ++at) {
            for (const std::size_t i : slow_[at]) {
                points[i] += !inStop_[at];
                if (std::isfinite(losses_[at])) {
                    seconds[i] += losses_[at] * shareOf(i, at, alone) * view_.cluster.step();
                    ++known[i];
                }
            }
        }
        for (std::size_t i = 0; i < n; ++i) {
            if (known[i] == 0) {
                seconds[i] = 0;
                continue;
            }
            const auto measured = static_cast<double>(known[i]);
            const double mean = seconds[i] / measured / view_.cluster.step();
            const bool shows = mean > std::max(leastLoss, 3 * noise_ / std::sqrt(measured));
            seconds[i] *= shows ? static_cast<double>(points[i]) / measured : 0; // gaps as the rest
        }
        return seconds;
    }

private:
    /// Share of a point's loss: by what each takes alone; what is left over goes to those never alone.
    double shareOf(std::size_t i, std::size_t at, const std::vector<double>& alone) const {
        const std::vector<std::size_t>& who = slow_[at];
        if (who.size() == 1)
            return 1;
        double sum = 0, unknown = 0;
        for (const std::size_t each : who) {
            sum += std::max(0.0, alone[each]);
            unknown += alone[each] < 0;
        }
        const double loss = losses_[at];
        if (unknown > 0) {
            const double left = loss > 0 ? std::max(0.0, 1 - sum / loss) : 1;
            return alone[i] < 0 ? left / unknown : sum > 0 ? (1 - left) * alone[i] / sum : 0;
        }
        return sum > 0 ? alone[i] / sum : 1 / static_cast<double>(who.size());
    }

    /// Share of the time that made no progress at a point, against the quiet pace; may be a little negative.
    double lossAt(std::size_t at) const {
        if (slow_[at].empty() || inStop_[at] || at >= view_.job.stepTime.size())
            return std::numeric_limits<double>::quiet_NaN();
        return 1 - quiet_ / view_.job.stepTime[at];
    }

    void findPace() {
        std::vector<double> quiet;
        for (std::size_t at = 0; at < view_.job.stepTime.size(); ++at) {
            const bool after = at > 0 && (inStop_[at - 1] || !slow_[at - 1].empty());
            if (slow_[at].empty() && !inStop_[at] && !after && std::isfinite(view_.job.stepTime[at]))
                quiet.push_back(view_.job.stepTime[at]);
        }
        if (quiet.size() < 3) { // ill all the time: its best tenth represents health
            quiet_ = quantileOf(view_.job.stepTime, 0.1);
            return;
        }
        quiet_ = quantileOf(quiet, 0.5);
        std::vector<double> off;
        for (const double value : quiet)
            off.push_back(std::abs(value / quiet_ - 1));
        noise_ = 1.48 * quantileOf(off, 0.5); // standard deviation from the median deviation
    }

    /// The step time may be a mean over minutes, which stays high when a fault is over: those points are its.
    void widen() {
        const std::size_t most = view_.cluster.pointsIn(600);
        for (std::size_t i = 0; i < evidence_.size(); ++i) {
            if (!slowsTheJob(evidence_[i], view_.cluster))
                continue;
            const PointSpan span = evidence_[i].span;
            double sum = 0, n = 0;
            for (std::size_t at = span.begin; at < span.end && at < view_.job.stepTime.size(); ++at) {
                if (std::isfinite(view_.job.stepTime[at]) && !inStop_[at]) {
                    sum += view_.job.stepTime[at] / quiet_ - 1;
                    ++n;
                }
            }
            const double excess = n > 0 ? sum / n : 0;
            if (!(excess > std::max(leastLoss, 3 * noise_)))
                continue;
            const auto high = [&](std::size_t at, double share) {
                return at < view_.job.stepTime.size() && slow_[at].empty() && !inStop_[at] &&
                       view_.job.stepTime[at] / quiet_ - 1 > share * excess;
            };
            for (std::size_t at = span.end; at < span.end + most && high(at, 0.25); ++at)
                slow_[at].push_back(i);
            for (std::size_t at = span.begin; at > 0 && at + 3 > span.begin && high(at - 1, 0.5); --at)
                slow_[at - 1].push_back(i);
        }
    }

    const HealthView& view_;
    const EvidenceList& evidence_;
    std::vector<std::vector<std::size_t>> slow_; ///< evidence that slows the job, each point
    std::vector<bool> inStop_;
    std::vector<double> losses_;
    double quiet_ = std::numeric_limits<double>::quiet_NaN(), noise_ = 0;
};

} // namespace

std::vector<std::optional<FaultCost>> faultCosts(const HealthView& view, const EvidenceList& evidence,
                                                 std::optional<double> dollarsPerHour) {
    std::vector<std::optional<FaultCost>> out(evidence.size());
    if (view.cluster.points() == 0)
        return out;
    const Ledger ledger(view, evidence);
    std::vector<double> seconds = ledger.slowSeconds();
    const PointSpan span = timeOfJob(view.job, view.cluster.points());
    const bool hasJob = span.end > span.begin;
    const std::size_t points =
        view.cluster.gaps().observedIn(hasJob ? span.begin : 0, hasJob ? span.end : view.cluster.points());
    const double time = static_cast<double>(std::max<std::size_t>(1, points)) * view.cluster.step();
    for (std::size_t i = 0; i < evidence.size(); ++i) {
        for (const std::size_t index : evidence[i].stops) {
            const JobStop& stop = view.job.stops[index];
            const double start = std::max(stop.start, view.cluster.grid().start);
            seconds[i] += stop.end - start + stop.redone.value_or(0);
        }
        if (!(seconds[i] > 0))
            continue;
        FaultCost cost;
        cost.seconds = seconds[i];
        const bool known = !view.job.stepTimeIsRelative && ledger.quiet() > 0;
        cost.steps = known ? seconds[i] / ledger.quiet() : 0;
        cost.share = seconds[i] / time;
        if (dollarsPerHour)
            cost.dollars = seconds[i] / secondsPerHour * *dollarsPerHour;
        out[i] = cost;
    }
    return out;
}

} // namespace alidade
