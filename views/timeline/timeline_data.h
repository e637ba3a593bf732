// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/estimate/estimate.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace alidade::views {

/// Seconds that a stage, or several, spend on each kind of work within a time.
struct TimelineShares {
    double forward = 0, backward = 0, weight = 0;
    double span = 0; ///< s that there are; what no work takes is waiting

    double busy() const { return forward + backward + weight; }
    double idle() const { return span > busy() ? span - busy() : 0; }
};

/// The pipeline timeline of an estimate, ordered so that a part of it is found without looking at the rest.
/// Immutable once made; made on a worker thread.
class TimelineData {
public:
    TimelineData() = default;
    explicit TimelineData(const Estimate& estimate);

    bool empty() const { return events_.empty(); }
    int stages() const { return static_cast<int>(first_.size()) - 1; }
    int chunks() const { return chunks_; }
    int microbatches() const { return microbatches_; }
    bool hasWeightWork() const { return hasWeightWork_; } ///< weight gradients are separate blocks
    double makespan() const { return makespan_; }         ///< s, until the last stage is done
    double shortest() const { return shortest_; }         ///< s, of the events that take any time
    /// What the estimate takes for the same by its closed form, s; 0: not known.
    double closedForm() const { return closedForm_; }
    double stepTime() const { return stepTime_; }             ///< of the whole estimate, s; 0: not known
    const std::string& schedule() const { return schedule_; } ///< the word of scenario files: "1f1b"

    /// All events, by stage and then by start.
    const std::vector<TimelineEvent>& events() const { return events_; }
    /// First index of a stage; of stages() the number of all.
    int first(int stage) const { return first_[static_cast<std::size_t>(stage)]; }
    /// The first event of a stage that ends after a time; the stage's end if there is none.
    int firstEndingAfter(int stage, double time) const;
    /// The event at a time on a stage; where two run at once, `track` tells which. -1: the stage waits.
    int at(int stage, double time, int track = 0) const;
    /// The first event of a stage that starts at or after a time; -1: none.
    int nextFrom(int stage, double time) const;

    /// Events that run at the same time on one stage lie on separate tracks.
    int track(int event) const { return track_[static_cast<std::size_t>(event)]; }
    int tracks(int event) const { return tracks_[static_cast<std::size_t>(event)]; }

    /// s that the stage waited before this event.
    double idleBefore(int event) const;
    /// The event whose result this one needs: the step before in the way of its micro-batch. -1: none.
    int needs(int event) const;
    /// The event that takes this one's result up next. -1: none.
    int feeds(int event) const;

    TimelineShares shares(int stage, double from, double to) const;
    TimelineShares shares(double from, double to) const; ///< of all stages together

private:
    void order(std::vector<TimelineEvent> events);
    void layTracks(int stage);
    void linkMicrobatches();
    double shared(int event, double from, double to) const;

    std::vector<TimelineEvent> events_;
    std::vector<int> first_{0};
    std::vector<std::uint8_t> track_, tracks_;
    std::vector<int> needs_, feeds_;
    int chunks_ = 1, microbatches_ = 0;
    bool hasWeightWork_ = false;
    double makespan_ = 0, shortest_ = 0, closedForm_ = 0, stepTime_ = 0;
    std::string schedule_;
};

} // namespace alidade::views
