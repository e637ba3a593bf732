// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/base/result.h"
#include "model/calibration/live_calibration.h"
#include "model/observation/data_gaps.h"
#include "model/observation/health_policy.h"
#include "model/observation/plan_actual.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace alidade::views {

/// A job that a person can choose.
struct LiveJob {
    std::string job;
    std::string kind; ///< "training" or "serving"
    int hosts = 0;    ///< 0: not known
    bool operator==(const LiveJob&) const = default;
};

/// What is asked of a source.
struct LiveRequest {
    std::string job; ///< empty: everything
    TimeGrid grid;
    bool operator==(const LiveRequest&) const = default;
};

/// Where measurements come from: a server, or a snapshot of one. Its functions block, run on a worker thread
/// (one at a time), and give up soon after a stop is asked for. An error is a whole sentence with what would
/// help.
struct LiveSource {
    std::string id;
    std::string name; ///< for a person: "prometheus-a"
    std::function<Result<Observation>(const LiveRequest&, std::stop_token)> observe;
    /// May be empty: then there is no choice of jobs.
    std::function<Result<std::vector<LiveJob>>(double start, double end, std::stop_token)> jobs;
    /// When something was last measured before a time (Unix s); nullopt: nothing was. May be empty.
    std::function<Result<std::optional<double>>(double before, std::stop_token)> newestSample;
    /// Traffic of each EFA device of a host, for nodeDetail. May be empty: then it is not known.
    std::function<Result<std::vector<SignalTable>>(const std::string& host, const TimeGrid& grid,
                                                   std::stop_token)>
        devices;
    /// Of a snapshot: the time that it has, which is shown in place of the last hours; nothing is polled.
    std::optional<TimeGrid> recorded;
};

/// A plan that the job can be held against.
struct LivePlan {
    std::string id;
    std::string name; ///< of the scenario
    /// On the worker thread, for every answer: keep what is costly. An error is said among the notes.
    std::function<Result<std::shared_ptr<const Estimate>>(std::stop_token)> estimate;
};

/// Which time is looked at.
struct LiveSpan {
    double last = 7200;        ///< s before now, where it is not fixed
    double start = 0, end = 0; ///< Unix s, of a fixed one
    bool fixed = false;        ///< history: nothing is polled
    bool operator==(const LiveSpan&) const = default;
};

/// The instants that such a span is asked at: at most 360, whole steps of a round length, so that the same
/// instants are asked again at the next poll.
/// \param now Unix s
TimeGrid gridOf(const LiveSpan& span, double now);

/// A time without a fault in which the job ran.
struct QuietWindow {
    double start = 0, end = 0; ///< Unix s
    std::size_t points = 0;    ///< instants of the grid
};
/// The longest one of at least ten minutes. Findings that cost nothing and last do not disturb.
std::optional<QuietWindow> quietWindow(const Observation& observation, const PlanActual& comparison,
                                       const std::vector<Finding>& findings);

/// One answer with all that follows from it. Immutable once it is shown.
struct LiveResult {
    LiveRequest request;
    std::shared_ptr<const Observation> observation; ///< never null
    std::vector<Finding> findings;
    PlanActual comparison;
    NodeMap nodes;
    /// Of each host of `nodes`: the largest value that was held for three instants in a row; NaN: none.
    std::vector<double> slowest;
    std::optional<QuietWindow> quiet;
    DataGaps gaps; ///< of the observation
    LiveSpan span; ///< that was asked for
    /// Where nothing was measured in the whole time: when something last was, Unix s.
    std::optional<double> lastData;
    std::string detailHost;           ///< node that is looked into; empty: none
    std::vector<SignalTable> traffic; ///< of its EFA devices
    std::string source, policy, plan; ///< ids that it was made with; plan empty: none
    std::string planError;            ///< why the plan has no estimate; empty: it has, or none is chosen
    double asked = 0, answered = 0;   ///< Unix s
};

/// What an answer is judged by.
struct LiveJudging {
    const HealthPolicy& policy;
    const std::vector<HealthPolicy>& presets;
    const Estimate* estimate; ///< nullptr: no plan
};
/// Whether there is a value in it at all.
bool hasValues(const Observation& observation);

/// Fills in findings, comparison, nodes and what follows from them, from the observation. On the worker.
using LiveJudge = std::function<void(LiveResult& result, const LiveJudging& by)>;
/// By the model: judgeHealth, comparePlan, relativeNodeTimes.
void judgeLive(LiveResult& result, const LiveJudging& by);
/// `slowest` and `quiet`, from the rest.
void completeLive(LiveResult& result);

enum class LivePhase {
    none,       ///< no source is chosen
    connecting, ///< the first answer is awaited
    connected,
    stale,  ///< there was an answer, the last attempts failed or it is old
    failed, ///< no answer yet, and the last attempt failed
};

/// What is to be shown now. Immutable: a new one is published with every change.
struct LiveState {
    LivePhase phase = LivePhase::none;
    std::shared_ptr<const LiveResult> result; ///< the last good one; null: none yet
    std::string error;                        ///< of the last attempt; empty: it was answered
    int failures = 0;                         ///< in a row
    std::vector<LiveJob> jobs;
};

} // namespace alidade::views
