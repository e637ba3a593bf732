// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/document/latest_worker.h"
#include "views/live/live_state.h"

#include <QObject>
#include <QTimer>

#include <cstdint>

namespace alidade::views {

/// What is looked at of a running cluster, and the newest answer. Sources are asked and answers are judged on
/// a worker thread; what comes back for an older request is dropped. Follows the present by asking again and
/// again: at least 5 s apart, after failures 1, 2, 4, ... 60 s; the last good answer stays. A fixed time
/// (history) is asked once. GUI thread only.
class LiveSession : public QObject {
    Q_OBJECT
public:
    /// Unix s; by default the clock of the system.
    using Clock = std::function<double()>;
    explicit LiveSession(QObject* parent = nullptr, Clock clock = {}, LiveJudge judge = judgeLive);
    ~LiveSession() override;

    /// What can be chosen. The chosen one stays while it is among them (a source is then asked anew); else
    /// the first plan and policy are chosen, and no source.
    void setSources(std::vector<LiveSource> sources);
    void setPlans(std::vector<LivePlan> plans);
    void setPolicies(std::vector<HealthPolicy> policies);
    const std::vector<LiveSource>& sources() const { return sources_; }
    const std::vector<LivePlan>& plans() const { return plans_; }
    const std::vector<HealthPolicy>& policies() const { return policies_; }

    /// By id. An unknown or empty one chooses nothing.
    void chooseSource(const std::string& id);
    void choosePlan(const std::string& id);
    void choosePolicy(const std::string& id);
    /// Without a value: the first job that the source finds.
    void chooseJob(std::optional<std::string> job);
    void setSpan(const LiveSpan& span);
    /// Whether the present is followed; a paused one asks nothing but what is chosen anew.
    void setFollowing(bool on);
    /// How often the present is asked for, s; 0: as often as there is a new point, at least 5 s apart.
    void setInterval(double seconds);
    double interval() const { return interval_; }
    /// Node whose EFA devices are read, too; empty: none.
    void setDetailHost(std::string host);
    /// Time that a calibration left out, hatched on the charts.
    void setExcluded(std::vector<ExcludedWindow> windows);

    /// Time that a person leaves out of calibrations.
    void setLeftOut(std::vector<ExcludedWindow> windows);
    const std::vector<ExcludedWindow>& leftOut() const { return leftOut_; }
    /// Keeps the present answer to compare others with; without one, nothing.
    void pin();
    void unpin();
    const std::shared_ptr<const LiveResult>& pinned() const { return pinned_; }
    /// Whether what is shown is an answer to what is chosen now.
    bool isCurrent() const;

    const LiveSource* source() const; ///< null: none is chosen
    const LivePlan* plan() const;
    const HealthPolicy* policy() const;
    const std::optional<std::string>& job() const { return job_; }
    const LiveSpan& span() const { return span_; }
    bool isFollowing() const { return following_; }
    /// Whether the present is asked for again and again: following, not fixed, not a snapshot.
    bool isPolling() const;
    const std::vector<ExcludedWindow>& excluded() const { return excluded_; }

    /// Never null.
    std::shared_ptr<const LiveState> state() const { return state_; }
    bool isAsking() const { return asking_; }
    double now() const { return clock_(); }
    /// s since the last answer; 0 without one.
    double age() const;
    /// s until it is asked again; absent: it will not be.
    std::optional<double> nextAsk() const;

public slots:
    /// Asks now, as a person does with "Try again".
    void ask();

signals:
    void choicesChanged(); ///< anything but the state
    void stateChanged();
    void excludedChanged(); ///< excluded() or leftOut()
    void pinnedChanged();

private:
    struct Answer;
    void start(bool observe);
    void take(std::uint64_t generation, std::shared_ptr<const Answer> answer);
    void publish(const LiveState& state);
    void schedule();
    void forget();
    void rejudge();

    Clock clock_;
    LiveJudge judge_;
    std::vector<LiveSource> sources_;
    std::vector<LivePlan> plans_;
    std::vector<HealthPolicy> policies_;
    std::vector<ExcludedWindow> excluded_, leftOut_;
    std::shared_ptr<const LiveResult> pinned_;
    std::string sourceId_, planId_, policyId_;
    std::optional<std::string> job_;
    std::string detailHost_;
    LiveSpan span_;
    double interval_ = 0;
    bool following_ = true;
    bool asking_ = false, observing_ = false, rejudgeAfter_ = false;
    std::uint64_t generation_ = 0;
    std::shared_ptr<const LiveState> state_;
    QTimer timer_;
    double due_ = 0; ///< Unix s
    LatestWorker worker_{this, Work::waiting};
};

} // namespace alidade::views
