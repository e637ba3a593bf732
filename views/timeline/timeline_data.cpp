// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timeline/timeline_data.h"

#include <algorithm>
#include <cmath>

namespace alidade::views {
namespace {

constexpr double sameTime = 1e-9; // of the makespan: events that touch do not overlap
constexpr int mostTracks = 255;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

} // namespace

TimelineData::TimelineData(const Estimate& estimate) {
    if (!estimate.training)
        return;
    closedForm_ = estimate.training->timelineClosedForm;
    stepTime_ = estimate.training->stepTime;
    schedule_ = estimate.scenario.plan.schedule.value_or(std::string());
    order(estimate.training->timeline);
    for (int stage = 0; stage < stages(); ++stage)
        layTracks(stage);
    linkMicrobatches();
}

void TimelineData::order(std::vector<TimelineEvent> events) {
    events_ = std::move(events);
    std::ranges::stable_sort(events_, {}, [](const TimelineEvent& e) { return std::pair(e.stage, e.start); });
    int chunk = 0;
    shortest_ = 0;
    for (const TimelineEvent& e : events_) {
        makespan_ = std::max(makespan_, e.end);
        microbatches_ = std::max(microbatches_, e.microbatch + 1);
        chunk = std::max(chunk, e.chunk);
        hasWeightWork_ = hasWeightWork_ || e.kind == 'W';
        if (const double length = e.end - e.start; length > 0 && (shortest_ == 0 || length < shortest_))
            shortest_ = length;
    }
    chunks_ = chunk + 1;
    const int count = events_.empty() ? 0 : events_.back().stage + 1;
    first_.assign(index(count) + 1, static_cast<int>(events_.size()));
    for (int i = static_cast<int>(events_.size()); i-- > 0;)
        first_[index(events_[index(i)].stage)] = i;
    for (int stage = count; stage-- > 0;) // a stage without events begins where the next does
        first_[index(stage)] = std::min(first_[index(stage)], first_[index(stage) + 1]);
    track_.assign(events_.size(), 0);
    tracks_.assign(events_.size(), 1);
}

/// Events that overlap are a group, and each of a group takes the first track that is free.
void TimelineData::layTracks(int stage) {
    const double tolerance = sameTime * makespan_;
    std::vector<double> ends;
    for (int begin = first(stage); begin < first(stage + 1);) {
        ends.clear();
        double last = events_[index(begin)].end;
        int i = begin;
        for (; i < first(stage + 1); ++i) {
            const TimelineEvent& e = events_[index(i)];
            if (i > begin && e.start >= last - tolerance)
                break;
            const auto free =
                std::ranges::find_if(ends, [&](double end) { return end <= e.start + tolerance; });
            const auto track = std::min<std::ptrdiff_t>(free - ends.begin(), mostTracks - 1);
            if (free == ends.end())
                ends.push_back(e.end);
            else
                *free = e.end;
            track_[index(i)] = static_cast<std::uint8_t>(track);
            last = std::max(last, e.end);
        }
        std::fill(tracks_.begin() + begin, tracks_.begin() + i,
                  static_cast<std::uint8_t>(std::min<std::size_t>(ends.size(), mostTracks)));
        begin = i;
    }
}

/// Forward and backward of one micro-batch are one way through the stages, whatever the schedule and the
/// placement of layers: each step needs the one that ended before. A weight gradient needs its own backward.
void TimelineData::linkMicrobatches() {
    needs_.assign(events_.size(), -1);
    feeds_.assign(events_.size(), -1);
    std::vector<std::vector<int>> ways(index(microbatches_));
    for (int i = 0; i < static_cast<int>(events_.size()); ++i)
        ways[index(events_[index(i)].microbatch)].push_back(i);
    for (std::vector<int>& way : ways) {
        std::ranges::sort(way, {}, [this](int i) {
            const TimelineEvent& e = events_[index(i)];
            return std::tuple(e.start, e.end, e.kind == 'W');
        });
        int before = -1;
        for (const int i : way) {
            const TimelineEvent& e = events_[index(i)];
            if (e.kind != 'W') {
                needs_[index(i)] = before;
                if (before >= 0)
                    feeds_[index(before)] = i;
                before = i;
                continue;
            }
            const auto own = std::ranges::find_if(way, [&](int j) {
                const TimelineEvent& other = events_[index(j)];
                return other.kind == 'B' && other.stage == e.stage && other.chunk == e.chunk;
            });
            needs_[index(i)] = own == way.end() ? -1 : *own;
        }
    }
}

int TimelineData::firstEndingAfter(int stage, double time) const {
    const auto begin = events_.begin() + first(stage);
    const auto end = events_.begin() + first(stage + 1);
    auto at =
        std::upper_bound(begin, end, time, [](double t, const TimelineEvent& e) { return t < e.start; });
    // What began before may still run; with several tracks not only the last one.
    for (int i = 0; i < mostTracks && at != begin; ++i) {
        const auto before = static_cast<std::size_t>(at - events_.begin()) - 1;
        if (events_[before].end <= time && tracks_[before] == 1)
            break;
        --at;
    }
    while (at != end && at->end <= time)
        ++at;
    return static_cast<int>(at - events_.begin());
}

int TimelineData::at(int stage, double time, int wanted) const {
    int found = -1;
    for (int i = firstEndingAfter(stage, time); i < first(stage + 1); ++i) {
        if (events_[index(i)].start > time)
            break;
        if (events_[index(i)].end > time && (found < 0 || track(i) == wanted))
            found = i;
    }
    return found;
}

int TimelineData::nextFrom(int stage, double time) const {
    const auto end = events_.begin() + first(stage + 1);
    const auto at = std::lower_bound(events_.begin() + first(stage), end, time,
                                     [](const TimelineEvent& e, double t) { return e.start < t; });
    return at == end ? -1 : static_cast<int>(at - events_.begin());
}

double TimelineData::idleBefore(int event) const {
    const TimelineEvent& e = events_[index(event)];
    double end = 0;
    // On several tracks an earlier one may end later.
    for (int i = event, seen = 0; i-- > first(e.stage) && seen < mostTracks; ++seen) {
        end = std::max(end, events_[index(i)].end);
        if (tracks(i) == 1)
            break;
    }
    const double idle = e.start - end;
    return idle > sameTime * makespan_ ? idle : 0;
}

int TimelineData::needs(int event) const { return needs_[index(event)]; }
int TimelineData::feeds(int event) const { return feeds_[index(event)]; }

/// Of a time, what this event shares with others of its stage.
double TimelineData::shared(int event, double from, double to) const {
    if (tracks(event) == 1)
        return 0;
    const TimelineEvent& e = events_[index(event)];
    double seconds = 0;
    const auto meet = [&](int other) {
        const TimelineEvent& o = events_[index(other)];
        const double start = std::max({e.start, o.start, from});
        seconds += std::max(std::min({e.end, o.end, to}) - start, 0.0);
    };
    for (int i = event; i-- > first(e.stage) && tracks(i) > 1 && event - i < mostTracks;)
        meet(i);
    for (int i = event + 1; i < first(e.stage + 1) && events_[index(i)].start < e.end; ++i)
        meet(i);
    return seconds;
}

TimelineShares TimelineData::shares(int stage, double from, double to) const {
    TimelineShares out;
    out.span = std::max(to - from, 0.0);
    for (int i = firstEndingAfter(stage, from); i < first(stage + 1); ++i) {
        const TimelineEvent& e = events_[index(i)];
        if (e.start >= to)
            break;
        const double seconds = std::max(std::min(e.end, to) - std::max(e.start, from), 0.0);
        // Two that run at the same time have half of it each.
        const double own = seconds - shared(i, from, to) / 2;
        (e.kind == 'F' ? out.forward : e.kind == 'W' ? out.weight : out.backward) += own;
    }
    return out;
}

TimelineShares TimelineData::shares(double from, double to) const {
    TimelineShares out;
    for (int stage = 0; stage < stages(); ++stage) {
        const TimelineShares one = shares(stage, from, to);
        out.forward += one.forward;
        out.backward += one.backward;
        out.weight += one.weight;
        out.span += one.span;
    }
    return out;
}

} // namespace alidade::views
