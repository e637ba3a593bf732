// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/live/live_session.h"

#include <QDateTime>
#include <QPointer>

#include <algorithm>
#include <cmath>
#include <utility>

namespace alidade::views {
namespace {

constexpr double shortestInterval = 5; // s between polls
constexpr double longestWait = 60;     // s after failures

template <class T>
const T* ofId(const std::vector<T>& all, const std::string& id) {
    const auto found = std::ranges::find(all, id, &T::id);
    return found == all.end() ? nullptr : &*found;
}

} // namespace

/// What a worker found out.
struct LiveSession::Answer {
    std::shared_ptr<const LiveResult> result; ///< null: it failed
    std::string error;
    std::optional<std::vector<LiveJob>> jobs; ///< where they were asked for
};

LiveSession::LiveSession(QObject* parent, Clock clock, LiveJudge judge)
    : QObject(parent)
    , clock_(std::move(clock))
    , judge_(std::move(judge))
    , state_(std::make_shared<LiveState>()) {
    if (!clock_)
        clock_ = [] { return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1e3; };
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &LiveSession::ask);
}

LiveSession::~LiveSession() = default;

const LiveSource* LiveSession::source() const { return ofId(sources_, sourceId_); }
const LivePlan* LiveSession::plan() const { return ofId(plans_, planId_); }
const HealthPolicy* LiveSession::policy() const { return ofId(policies_, policyId_); }

bool LiveSession::isPolling() const {
    const LiveSource* from = source();
    return from != nullptr && following_ && !span_.fixed && !from->recorded;
}

double LiveSession::age() const {
    return state_->result ? std::max(0.0, now() - state_->result->answered) : 0;
}

std::optional<double> LiveSession::nextAsk() const {
    if (!timer_.isActive())
        return {};
    return std::max(0.0, due_ - now());
}

void LiveSession::setSources(std::vector<LiveSource> sources) {
    sources_ = std::move(sources);
    if (!sourceId_.empty() && source() == nullptr) {
        sourceId_.clear();
        forget();
    } else if (!sourceId_.empty())
        ask();
    emit choicesChanged();
}

void LiveSession::setPlans(std::vector<LivePlan> plans) {
    plans_ = std::move(plans);
    if (plan() == nullptr && !plans_.empty())
        planId_ = plans_.front().id;
    emit choicesChanged();
    rejudge();
}

void LiveSession::setPolicies(std::vector<HealthPolicy> policies) {
    policies_ = std::move(policies);
    if (policy() == nullptr && !policies_.empty())
        policyId_ = policies_.front().id;
    emit choicesChanged();
    rejudge();
}

void LiveSession::chooseSource(const std::string& id) {
    const bool known = ofId(sources_, id) != nullptr;
    if (known && id == sourceId_)
        return;
    sourceId_ = known ? id : std::string();
    job_.reset();
    forget();
    emit choicesChanged();
    ask();
}

void LiveSession::choosePlan(const std::string& id) {
    if (std::exchange(planId_, id) == id)
        return;
    emit choicesChanged();
    rejudge();
}

void LiveSession::choosePolicy(const std::string& id) {
    if (std::exchange(policyId_, id) == id)
        return;
    emit choicesChanged();
    rejudge();
}

void LiveSession::chooseJob(std::optional<std::string> job) {
    if (job == job_)
        return;
    job_ = std::move(job);
    emit choicesChanged();
    ask();
}

void LiveSession::setSpan(const LiveSpan& span) {
    if (span == span_)
        return;
    span_ = span;
    emit choicesChanged();
    ask();
}

void LiveSession::setFollowing(bool on) {
    if (on == following_)
        return;
    following_ = on;
    emit choicesChanged();
    if (isPolling() && !observing_)
        ask();
    else if (!isPolling())
        timer_.stop();
}

void LiveSession::setInterval(double seconds) {
    if (seconds == interval_)
        return;
    interval_ = seconds;
    emit choicesChanged();
    schedule();
}

void LiveSession::setDetailHost(std::string host) {
    if (host == detailHost_)
        return;
    detailHost_ = std::move(host);
    if (!detailHost_.empty() && source() != nullptr && source()->devices)
        ask();
}

void LiveSession::setExcluded(std::vector<ExcludedWindow> windows) {
    excluded_ = std::move(windows);
    emit excludedChanged();
}

void LiveSession::setLeftOut(std::vector<ExcludedWindow> windows) {
    leftOut_ = std::move(windows);
    emit excludedChanged();
}

void LiveSession::pin() {
    if (!state_->result || pinned_ == state_->result)
        return;
    pinned_ = state_->result;
    emit pinnedChanged();
}

void LiveSession::unpin() {
    if (std::exchange(pinned_, nullptr))
        emit pinnedChanged();
}

bool LiveSession::isCurrent() const {
    const auto& result = state_->result;
    return result && result->source == sourceId_ && result->span == span_ &&
           (!job_ || result->request.job == *job_);
}

void LiveSession::ask() {
    timer_.stop();
    if (source() == nullptr)
        return;
    start(true);
}

/// The same measurements with another plan or policy.
void LiveSession::rejudge() {
    if (observing_)
        rejudgeAfter_ = true;
    else if (state_->result)
        start(false);
}

void LiveSession::start(bool observe) {
    const LiveSource* from = source();
    const std::uint64_t generation = ++generation_;
    asking_ = true;
    observing_ = observe;
    rejudgeAfter_ = false;
    struct Task {
        LiveSource source;
        std::optional<LivePlan> plan;
        HealthPolicy policy;
        std::vector<HealthPolicy> presets;
        std::optional<std::string> job;
        LiveRequest request;
        std::shared_ptr<const LiveResult> old;
        std::string detailHost;
        bool findJobs = false;
        double asked = 0;
        LiveSpan span;
        Clock clock;
        LiveJudge judge;
    };
    auto task = std::make_shared<Task>();
    if (from != nullptr)
        task->source = *from;
    if (plan() != nullptr)
        task->plan = *plan();
    if (policy() != nullptr)
        task->policy = *policy();
    task->presets = policies_;
    task->asked = now();
    task->span = span_;
    task->clock = clock_;
    task->judge = judge_;
    task->job = job_;
    task->detailHost = detailHost_;
    if (observe) {
        const bool recorded = task->source.recorded && !span_.fixed;
        task->request.grid = recorded ? *task->source.recorded : gridOf(span_, now());
        task->findJobs = task->source.jobs && state_->jobs.empty();
    } else
        task->old = state_->result;
    if (observe && !state_->result && state_->phase != LivePhase::failed) {
        LiveState waiting = *state_;
        waiting.phase = LivePhase::connecting;
        publish(waiting);
    }

    worker_.start([this, generation, task](const LatestWorker::Turn& turn) {
        const std::stop_token& stop = turn.superseded();
        auto answer = std::make_shared<Answer>();
        const auto send = [&] { turn.post([this, generation, answer] { take(generation, answer); }); };
        auto result = std::make_shared<LiveResult>();
        if (task->old) {
            *result = *task->old;
        } else {
            if (task->findJobs) {
                const TimeGrid& grid = task->request.grid;
                Result<std::vector<LiveJob>> jobs = task->source.jobs(grid.start, grid.end(), stop);
                if (!jobs) {
                    answer->error = jobs.error();
                    return send();
                }
                if (!task->job && !jobs->empty())
                    task->job = jobs->front().job;
                answer->jobs = *std::move(jobs);
            }
            task->request.job = task->job.value_or(std::string());
            Result<Observation> seen = task->source.observe(task->request, stop);
            if (!seen) {
                answer->error = seen.error();
                return send();
            }
            result->request = task->request;
            result->source = task->source.id;
            result->asked = task->asked;
            result->span = task->span;
            result->answered = task->clock();
            result->observation = std::make_shared<const Observation>(*std::move(seen));
            if (task->source.devices && !task->detailHost.empty()) {
                auto traffic = task->source.devices(task->detailHost, task->request.grid, stop);
                if (traffic) { // the answer is no worse for it
                    result->detailHost = task->detailHost;
                    result->traffic = *std::move(traffic);
                }
            }
            if (task->source.newestSample && !hasValues(*result->observation)) {
                const auto last = task->source.newestSample(task->request.grid.end(), stop);
                result->lastData = last ? *last : std::nullopt; // the answer is no worse for it
            }
        }
        if (stop.stop_requested())
            return; // superseded: no longer awaited
        std::shared_ptr<const Estimate> estimate;
        result->plan.clear();
        result->planError.clear();
        if (task->plan && task->plan->estimate) {
            result->plan = task->plan->id;
            Result<std::shared_ptr<const Estimate>> made = task->plan->estimate(stop);
            if (made)
                estimate = *std::move(made);
            else
                result->planError = made.error();
        }
        result->policy = task->policy.id;
        task->judge(*result, {task->policy, task->presets, estimate.get()});
        answer->result = std::move(result);
        send();
    });
}

void LiveSession::take(std::uint64_t generation, std::shared_ptr<const Answer> answer) {
    if (generation != generation_)
        return; // of an older request
    const bool observed = std::exchange(observing_, false);
    asking_ = false;
    LiveState next = *state_;
    if (answer->jobs)
        next.jobs = *answer->jobs;
    if (answer->jobs && !job_ && !answer->jobs->empty())
        job_ = answer->jobs->front().job; // also where it then gave no measurements
    const bool part = answer->result && observed && answer->result->observation->unanswered > 0;
    const bool keeps = part && next.result && next.result->observation->unanswered == 0 &&
                       next.result->source == answer->result->source &&
                       next.result->request.job == answer->result->request.job;
    if (keeps) { // a page that is whole is not replaced by a part of one
        next.error = answer->result->observation->warnings.back();
        ++next.failures;
        next.phase = LivePhase::stale;
    } else if (answer->result) {
        next.result = answer->result;
        if (observed) {
            next.error = part ? answer->result->observation->warnings.back() : std::string();
            next.failures = part ? next.failures + 1 : 0;
            next.phase = part ? LivePhase::stale : LivePhase::connected;
        }
        if (!job_ && observed && !answer->result->request.job.empty())
            job_ = answer->result->request.job;
    } else {
        next.error = answer->error;
        ++next.failures;
        // What another job measured is not shown as this one's.
        if (next.result && job_ && next.result->request.job != *job_)
            next.result = nullptr;
        next.phase = next.result ? LivePhase::stale : LivePhase::failed;
    }
    publish(next);
    if (answer->jobs)
        emit choicesChanged();
    if (std::exchange(rejudgeAfter_, false))
        rejudge();
}

void LiveSession::publish(const LiveState& state) {
    state_ = std::make_shared<const LiveState>(state);
    // The wait depends on what is published, so it is set here and not where it is decided.
    schedule();
    emit stateChanged();
}

void LiveSession::schedule() {
    timer_.stop();
    if (!isPolling() || asking_)
        return;
    double wait = longestWait;
    if (state_->failures > 0)
        wait = std::min(longestWait, std::exp2(std::min(state_->failures - 1, 10)));
    else if (state_->result)
        wait = interval_ > 0 ? std::max(shortestInterval, interval_)
                             : std::max(shortestInterval, state_->result->request.grid.step);
    due_ = now() + wait;
    timer_.start(static_cast<int>(wait * 1000));
}

void LiveSession::forget() {
    timer_.stop();
    ++generation_;
    worker_.cancel();
    asking_ = observing_ = rejudgeAfter_ = false;
    publish({});
}

} // namespace alidade::views
