// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/run/run_simulation.h"

#include <cstdint>
#include <vector>

namespace alidade {

// Where the time of a run goes, in the mean and in a drawn outcome.

enum class RunPiece : std::uint8_t {
    work,    ///< that counts
    redone,  ///< work that is lost and done again
    stopped, ///< nothing runs: a checkpoint stalls, a failure is being found, no node is free
    starting ///< restart, reading the state
};

/// Seconds of each piece.
struct RunShares {
    double work = 0, redone = 0, stopped = 0, starting = 0;
    double total() const { return work + redone + stopped + starting; }
};

/// The part of a piece.
double& secondsOf(RunShares& shares, RunPiece piece);
inline double secondsOf(const RunShares& shares, RunPiece piece) {
    RunShares copy = shares;
    return secondsOf(copy, piece);
}

/// Of a run with days. Sums to its length. \param detection s until a failure is noticed
RunShares expectedShares(const Run& run, double detection);

struct RunDay {
    RunShares shares; ///< of the day; the last one may be short
    int interruptions = 0;
};

/// A drawn run by days of 86,400 s from its start. Planned stops and waiting for nodes lie evenly between the
/// other pieces.
std::vector<RunDay> drawnDays(const RunProcess& process, const DrawnRun& run, double detection);

/// A stretch of one piece, in seconds of the drawn run without planned stops and waiting, as
/// DrawnFailure::at.
struct RunSpan {
    RunPiece piece = RunPiece::work;
    double from = 0, to = 0;
    bool saved = false; ///< a checkpoint follows its end
};

/// The spans that meet the window, in order and without gaps, cut at its ends and those of the run.
std::vector<RunSpan> drawnSpans(const RunProcess& process, const DrawnRun& run, double detection, double from,
                                double to);

/// Length of a drawn run without planned stops and waiting, s.
double playedSeconds(const RunProcess& process, const DrawnRun& run);

/// A failure to show: the one that loses most among those with a window of this length around them inside the
/// run and without another failure; else the one that loses most. -1: the run has none.
int tellingFailure(const RunProcess& process, const DrawnRun& run, double window);

} // namespace alidade
