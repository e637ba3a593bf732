// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/run/run_calendar.h"

#include "model/reliability/failure_causes.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>

namespace alidade {

namespace {

constexpr double day = secondsPerDay;

/// Goes through a drawn run from start to finish. \param take called with each span; false ends it
template <class Take>
void walk(const RunProcess& process, const DrawnRun& run, double detection, Take take) {
    const double cycle = process.interval + process.stall;
    double start = 0; // of the steps after the last stop
    // Steps that count, with a stall after each interval.
    const auto work = [&](double from, double to) {
        while (from < to) {
            const double checkpoint = std::min(from + process.interval, to);
            const bool whole = checkpoint < to;
            if (!take(RunSpan{RunPiece::work, from, checkpoint, whole}))
                return false;
            const double after = std::min(from + cycle, to);
            if (whole && after > checkpoint && !take(RunSpan{RunPiece::stopped, checkpoint, after, false}))
                return false;
            from = after;
        }
        return true;
    };
    for (const DrawnFailure& failure : run.failures) {
        const double lost = std::clamp(failure.lost, 0.0, failure.at - start);
        if (!work(start, failure.at - lost))
            return;
        if (lost > 0 && !take(RunSpan{RunPiece::redone, failure.at - lost, failure.at, false}))
            return;
        const double noticed = failure.at + std::min(detection, failure.stop);
        start = failure.at + failure.stop;
        if (noticed > failure.at && !take(RunSpan{RunPiece::stopped, failure.at, noticed, false}))
            return;
        if (start > noticed && !take(RunSpan{RunPiece::starting, noticed, start, false}))
            return;
    }
    work(start, playedSeconds(process, run));
}

} // namespace

double& secondsOf(RunShares& shares, RunPiece piece) {
    switch (piece) {
    case RunPiece::work:
        return shares.work;
    case RunPiece::redone:
        return shares.redone;
    case RunPiece::stopped:
        return shares.stopped;
    case RunPiece::starting:
        break;
    }
    return shares.starting;
}

RunShares expectedShares(const Run& run, double detection) {
    RunShares out;
    for (const LostTime& lost : run.lost) {
        if (lost.cause == stallCause) {
            out.stopped += lost.redone;
        } else if (isShortage(lost.cause)) {
            out.stopped += lost.restart;
        } else if (lost.cause == plannedCause) {
            out.starting += lost.restart;
        } else {
            const double found = run.recovery > 0 ? std::min(1.0, detection / run.recovery) : 0;
            out.redone += lost.redone;
            out.stopped += lost.restart * found;
            out.starting += lost.restart * (1 - found);
        }
    }
    out.work = (run.days ? run.days->p50 * day : 0) - out.redone - out.stopped - out.starting;
    return out;
}

double playedSeconds(const RunProcess& process, const DrawnRun& run) {
    return std::max(0.0, run.seconds * (1 - process.waitingShare) - run.planned);
}

std::vector<RunDay> drawnDays(const RunProcess& process, const DrawnRun& run, double detection) {
    if (!std::isfinite(run.seconds) || !(run.seconds > 0))
        return {};
    const double played = playedSeconds(process, run);
    const double pace = played / run.seconds; // of the played clock, for each second of the calendar
    std::vector<RunDay> out(static_cast<std::size_t>(std::ceil(run.seconds / day)));
    const auto dayOf = [&](double at) {
        return std::min(static_cast<std::size_t>(at / pace / day), out.size() - 1);
    };
    walk(process, run, detection, [&](const RunSpan& span) {
        double from = span.from;
        for (std::size_t at = dayOf(from); from < span.to; ++at) {
            const bool last = at + 1 >= out.size();
            const double end =
                last ? span.to : std::clamp(static_cast<double>(at + 1) * day * pace, from, span.to);
            secondsOf(out[std::min(at, out.size() - 1)].shares, span.piece) += end - from;
            from = end;
        }
        return true;
    });
    for (const DrawnFailure& failure : run.failures)
        ++out[dayOf(failure.at)].interruptions;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double length = std::min(day, run.seconds - static_cast<double>(i) * day);
        out[i].shares.starting += length * run.planned / run.seconds;
        out[i].shares.stopped += length * process.waitingShare;
    }
    return out;
}

std::vector<RunSpan> drawnSpans(const RunProcess& process, const DrawnRun& run, double detection, double from,
                                double to) {
    std::vector<RunSpan> out;
    walk(process, run, detection, [&](RunSpan span) {
        if (span.to > from && span.from < to) {
            span.saved = span.saved && span.to <= to;
            span.from = std::max(span.from, from);
            span.to = std::min(span.to, to);
            out.push_back(span);
        }
        return span.from < to;
    });
    return out;
}

int tellingFailure(const RunProcess& process, const DrawnRun& run, double window) {
    const double end = playedSeconds(process, run);
    int best = -1;
    bool bestAlone = false;
    for (std::size_t i = 0; i < run.failures.size(); ++i) {
        const DrawnFailure& each = run.failures[i];
        const double before = i > 0 ? run.failures[i - 1].at + run.failures[i - 1].stop : 0;
        const double after = i + 1 < run.failures.size() ? run.failures[i + 1].at : end;
        const bool alone = each.at - before > window / 2 && after - each.at > window / 2 &&
                           each.stop + each.lost < window / 2;
        const auto loses = [&](int at) {
            const DrawnFailure& other = run.failures[static_cast<std::size_t>(at)];
            return other.lost;
        };
        if (best < 0 || (alone && !bestAlone) || (alone == bestAlone && each.lost > loses(best))) {
            best = static_cast<int>(i);
            bestAlone = alone;
        }
    }
    return best;
}

} // namespace alidade
