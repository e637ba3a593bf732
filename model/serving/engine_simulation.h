// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/serving/request_load.h"
#include "model/serving/time_distribution.h"
#include "model/units/constants.h"

#include <cstdint>
#include <deque>
#include <random>
#include <stop_token>
#include <utility>
#include <vector>

namespace alidade {

struct SimulationOptions {
    std::uint64_t seed = 1;
    int requests =
        10000;         ///< that are measured, >= 1; in a closed loop made up to the same number of each user
    int warmUp = 2000; ///< requests before them
    std::stop_token stop{}; ///< asked once a step
};

/// A value with a weight; sorted by value in results.
using WeightedSample = std::pair<double, double>;

/// A request that is played as it was recorded.
struct RecordedRequest {
    double time = 0;           ///< s at which it is sent
    int input = 1, output = 1; ///< tokens, >= 1
    int cached = 0;            ///< tokens of the prompt that the prefix cache holds, < input
};

/// What became of it.
struct PlayedRequest {
    double sent = 0;          ///< s
    double ttft = 0, e2e = 0; ///< s from then on
    int output = 1;           ///< tokens
};

struct SimulationResult {
    ServingState state;
    std::vector<double> ttft, tpot, e2e; ///< s, of the measured requests, ascending
    std::vector<WeightedSample> itl;     ///< s and number of gaps, ascending
    std::uint64_t requestsIn = 0;        ///< arrived, of the whole run
    std::uint64_t requestsOut = 0;       ///< completed, of the whole run
    std::uint64_t tokensAsked = 0;       ///< output tokens of the completed requests, as asked
    std::uint64_t tokensMade = 0;        ///< output tokens of the completed requests, as made
    std::uint64_t preemptions = 0;       ///< of the whole run
    std::uint64_t steps = 0;
    bool stopped = false; ///< ended early
};

/// Quantiles of ascending values; NaN of none.
Percentiles percentilesOf(const std::vector<double>& ascending);
Percentiles percentilesOf(const std::vector<WeightedSample>& ascending);

/// Two engines of one deployment as one: means over engines of what is counted over time, over requests of
/// what is counted over them. Samples are thinned to the proportion of the requests. \param share engines of
/// the second kind, 0..1
SimulationResult mixed(const SimulationResult& first, const SimulationResult& second, double share);

/// The state of an engine between steps; `simulate` drives it. Users are rounded up, and what is counted over
/// time is scaled down to those that were asked for.
class EngineSimulation {
public:
    EngineSimulation(const RequestLoad& load, const EngineLimits& limits, const SimulationOptions& options);

    /// An engine that gets recorded requests by `send` instead of drawing them.
    /// \param hour s of each of the `gaps`
    EngineSimulation(const EngineLimits& limits, double hour);
    /// A recorded request; a request longer than the cache is cut. \pre not before the one sent last
    void send(const RecordedRequest& recorded);
    /// Recorded requests that are not yet answered.
    std::size_t open() const { return arriving_.size() + waiting_.size() + running_.size(); }
    double now() const { return now_; } ///< s
    /// No decode step is taken together with others beyond this time, s: more requests may come then.
    void playTo(double horizon) { nextArrival_ = horizon; }
    /// Recorded requests in the order in which they ended.
    const std::vector<PlayedRequest>& played() const { return played_; }
    /// Gaps between tokens, s, by the hour in which they ended.
    const std::vector<TimeDistribution>& gaps() const { return gaps_; }

    /// Admits, preempts and fixes the next step; waits for the next arrival if there is nothing to do. False
    /// when all measured requests are done.
    bool plan();
    const StepWork& work() const { return work_; }
    /// True if the step mixes prefill and decode, so that its decode part alone is of interest: in the window
    /// in which means over time are taken.
    bool wantsDecodeOnly() const {
        return inWindow() && work_.prefillTokens > 0 && work_.decodeSequences > 0;
    }
    StepWork decodeOnly() const;
    /// Ends the step. \param decodeSeconds of its decodes without prefill
    void advance(double seconds, double decodeSeconds);
    /// Steps from now on that only decode the same sequences, in which nothing ends but in the last one and
    /// no sequence is preempted; arrivals are not counted. 0 if the next step is of another kind.
    std::int64_t quietSteps() const;
    /// Work of the decode step after so many quiet ones.
    StepWork workAfter(double steps) const;
    /// Ends up to so many quiet steps, with the one in which a request arrives as the last. \param first,
    /// last s of the first and of the last of them, those between on a line
    void advance(std::int64_t steps, double first, double last);
    SimulationResult result();

private:
    struct Request {
        double sent = 0, admitted = 0, firstToken = 0, lastToken = 0; // s
        int input = 1, cached = 0, output = 1;                        // tokens
        int made = 0;                                                 // output tokens so far, when it joined
        int prefillLeft = 0, context = 0;                             // tokens; the context when it joined
        std::int64_t joined = 0;                                      // decode steps
        int place = -1;                                               // in running_
        std::uint32_t turn = 0;                                       // counts admissions
        bool decoding = false;
    };
    struct Ending {
        std::int64_t step;
        int request;
        std::uint32_t turn;
        bool operator>(const Ending& other) const {
            return step != other.step ? step > other.step : request > other.request;
        }
    };

    Request& request(int index) { return requests_[static_cast<std::size_t>(index)]; }
    const Request& request(int index) const { return requests_[static_cast<std::size_t>(index)]; }
    int tokensOf(double mean, double cv);
    void drawArrival();
    void send(double when);
    void arriveUntil(double time);
    bool measured(int index) const;
    bool inWindow() const { return windowStart_ >= 0 && windowEnd_ < 0; }
    double contextOf(const Request& r) const;
    double bytesOf(const Request& r) const;
    double bytesInUse();
    double bytesWhenDone(const Request& r) const;
    bool admitOne();
    void admit();
    void preemptYoungest();
    void makeRoom();
    std::int64_t stepsOfRoom(double bytes);
    void planPrefill(double budget);
    void endPrefill(int index);
    void endDecodes();
    void countTime(double seconds);
    double nextArrival() const;
    void finishThoseAtEnd();
    void join(int index);
    void leaveBatch(Request& r);
    void finish(int index);
    void recordGap(double gap, double tokens);
    bool overloaded() const;

    bool recorded_ = false;        ///< requests are sent from outside
    double hour_ = secondsPerHour; ///< s, of recorded requests
    std::vector<PlayedRequest> played_;
    std::vector<TimeDistribution> gaps_;
    RequestLoad load_;
    EngineLimits limits_;
    SimulationOptions options_;
    std::mt19937_64 lengths_, arrivals_;
    std::vector<Request> requests_;
    std::deque<int> arriving_, waiting_, prefilling_;
    std::vector<int> running_;           // holds KV cache, any order
    std::pair<int, int> refused_{-1, 0}; // request and context that had no room since a sequence last left
    std::vector<std::pair<int, std::uint32_t>>
        order_;                               // admissions, the youngest last; stale ones are skipped
    std::vector<Ending> endings_;             // a heap, the next one first
    std::vector<std::pair<int, int>> chunks_; // of this step: request, tokens
    std::vector<int> fresh_;                  // decode for the first time since they joined
    StepWork work_;

    double longest_ = 0;               // context that fits into the cache
    double left_ = 0;                  // users beyond those that are played
    double share_ = 1;                 // users that were asked for / played, which is a whole number; <= 1
    double now_ = 0, nextArrival_ = 0; // s
    int ofQuestion_ = 0;               ///< requests of the present question that are still to come, and one
    double lastDecodeEnd_ = 0;         // s
    std::int64_t decodeSteps_ = 0;
    int decoding_ = 0;
    double contextBase_ = 0;     // sum over decoding sequences of context - tokensPerStep x joined
    double reserved_ = 0;        // bytes if all running sequences grow to their end
    double used_ = 0;            // bytesInUse, of the decode step
    std::int64_t usedAt_ = -1;   // that comes after so many
    std::int64_t roomUntil_ = 0; // decode steps before this one fit; then the bytes must be counted again
    std::vector<double> begun_;  // scratch of stepsOfRoom
    bool preempted_ = false;     // in this step
    int measuredDone_ = 0, completedInWindow_ = 0;
    double windowStart_ = -1, windowEnd_ = -1; // s, arrivals of the first and after the last measured request
    double batchTime_ = 0, flightTime_ = 0, queueTime_ = 0, extraTime_ = 0; // s in the window
    double decodeStepSum_ = 0, decodeStepWeight_ = 0, waitSum_ = 0;
    std::size_t queuedAtStart_ = 0, queuedAtEnd_ = 0; // of the window
    SimulationResult out_;
};

} // namespace alidade
