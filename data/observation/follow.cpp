// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/follow.h"

#include "data/observation/device_traffic.h"
#include "data/observation/prepared.h"
#include "data/observation/reading.h"
#include "model/base/not_measured.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace alidade::data {
namespace {

constexpr double askAnew = 600; ///< s of the grid's time after which everything is asked again
constexpr double late = 60;     ///< s that samples may be on their way at least
constexpr int enoughPolls = 3; ///< in a row without a late sample, after which fewer instants are asked again
constexpr int lookAgain = 5;   ///< of so many polls, one looks for late samples all the same

/// Steps from the start of one grid to that of another; nullopt: they do not meet.
std::optional<std::ptrdiff_t> stepsBetween(const TimeGrid& from, const TimeGrid& to) {
    if (from.step != to.step)
        return std::nullopt;
    const double steps = (to.start - from.start) / from.step;
    const double whole = std::round(steps);
    return std::abs(steps - whole) < 1e-6 ? std::optional(static_cast<std::ptrdiff_t>(whole)) : std::nullopt;
}

/// Copies a row of one grid into a row of another, where both have instants.
void lay(std::span<const double> from, std::ptrdiff_t at, std::span<double> into) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::ptrdiff_t place = at + static_cast<std::ptrdiff_t>(i);
        if (place >= 0 && place < static_cast<std::ptrdiff_t>(into.size()))
            into[static_cast<std::size_t>(place)] = from[i];
    }
}

/// Where a row of the earlier table stands, and one of the tail; -1: not there.
using Places = std::map<Entity, std::pair<std::ptrdiff_t, std::ptrdiff_t>>;

Places placesOf(const SignalTable* before, const SignalTable* tail) {
    Places out;
    for (std::size_t i = 0; before != nullptr && i < before->rows.size(); ++i)
        out[before->rows[i]] = {static_cast<std::ptrdiff_t>(i), -1};
    for (std::size_t i = 0; tail != nullptr && i < tail->rows.size(); ++i)
        out.try_emplace(tail->rows[i], -1, -1).first->second.second = static_cast<std::ptrdiff_t>(i);
    return out;
}

/// The grids of a table that goes on.
struct Grids {
    const TimeGrid &before, &tail, &all;
    std::ptrdiff_t toBefore() const { return *stepsBetween(all, before); } ///< -1: it began a step earlier
    std::ptrdiff_t toTail() const { return *stepsBetween(all, tail); }
};

/// The usual case: as many points, the same rows. The values move up in their own memory, which for a cluster
/// is tens of megabytes.
bool moveOn(SignalTable& table, const SignalTable& tail, const Grids& grids) {
    const std::size_t points = grids.all.points;
    if (points != grids.before.points || table.rows != tail.rows || grids.toBefore() > 0)
        return false;
    const std::size_t gone = std::min(static_cast<std::size_t>(-grids.toBefore()), points);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const std::span<double> row = std::span(table.values).subspan(i * points, points);
        const auto free = std::copy(row.begin() + static_cast<std::ptrdiff_t>(gone), row.end(), row.begin());
        std::fill(free, row.end(), notMeasured);
        lay(tail.row(i, grids.tail.points), grids.toTail(), row);
    }
    return true;
}

SignalTable joined(SignalTable* before, const SignalTable* tail, const Grids& grids) {
    const bool signOnly = (before == nullptr || before->signOnly) && (tail == nullptr || tail->signOnly);
    if (before != nullptr && tail != nullptr && moveOn(*before, *tail, grids)) {
        before->signOnly = signOnly;
        before->metric = tail->metric;
        before->expression = tail->expression;
        before->note = tail->note;
        before->window = tail->window;
        return std::move(*before);
    }
    const Places places = placesOf(before, tail);
    SignalTable out = tail != nullptr ? *tail : *before;
    out.signOnly = signOnly;
    out.rows.clear();
    out.values.assign(places.size() * grids.all.points, notMeasured);
    for (const auto& [where, place] : places) {
        const std::span<double> row =
            std::span(out.values).subspan(out.rows.size() * grids.all.points, grids.all.points);
        if (place.first >= 0)
            lay(before->row(static_cast<std::size_t>(place.first), grids.before.points), grids.toBefore(),
                row);
        // What the tail does not have is no longer there, either.
        const std::vector<double> none(place.second < 0 ? grids.tail.points : 0, notMeasured);
        lay(place.second < 0 ? std::span<const double>(none)
                             : tail->row(static_cast<std::size_t>(place.second), grids.tail.points),
            grids.toTail(), row);
        out.rows.push_back(where);
    }
    return out;
}

/// Whether the tail has for the instants before `until` what was known of them.
bool confirms(const Observation& known, const Observation& tail, double until) {
    const std::optional<std::ptrdiff_t> shift = stepsBetween(known.grid, tail.grid);
    for (const SignalTable& table : tail.tables) {
        const SignalTable* before = known.table(table.signal, table.statistic);
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            std::span<const double> had;
            if (before != nullptr) {
                const auto same = std::ranges::lower_bound(before->rows, table.rows[i]);
                if (same != before->rows.end() && *same == table.rows[i])
                    had =
                        before->row(static_cast<std::size_t>(same - before->rows.begin()), known.grid.points);
            }
            const std::span<const double> has = table.row(i, tail.grid.points);
            for (std::size_t k = 0; k < has.size() && tail.grid.at(k) < until; ++k) {
                const std::size_t place = static_cast<std::size_t>(*shift) + k;
                const double was = place < had.size() ? had[place] : notMeasured;
                if (was != has[k] && !(std::isnan(was) && std::isnan(has[k])))
                    return false;
            }
        }
    }
    return true;
}

} // namespace

Observation continued(Observation before, const Observation& tail, const TimeGrid& grid) {
    Observation out = tail;
    out.grid = grid;
    out.tables.clear();
    const Grids grids{before.grid, tail.grid, grid};
    for (SignalTable& table : before.tables)
        out.tables.push_back(joined(&table, tail.table(table.signal, table.statistic), grids));
    for (const SignalTable& table : tail.tables)
        if (out.table(table.signal, table.statistic) == nullptr)
            out.tables.push_back(joined(nullptr, &table, grids));
    std::ranges::stable_sort(out.tables, {},
                             [](const SignalTable& t) { return std::pair(t.signal, t.statistic); });
    std::erase_if(out.missing, [&](const MissingSignal& each) { // it is there, a little earlier
        const bool told = std::ranges::find(before.missing, each) != before.missing.end();
        return !told &&
               std::ranges::any_of(out.tables, [&](const SignalTable& t) { return t.signal == each.signal; });
    });
    for (BlankSpan blank : before.blanks) {
        if (blank.end < grid.start)
            continue;
        blank.start = std::max(blank.start, grid.start);
        const auto same = std::ranges::find_if(out.blanks, [&](const BlankSpan& each) {
            return each.signal == blank.signal && each.where == blank.where &&
                   each.start <= blank.end + grid.step && blank.start <= each.end + grid.step;
        });
        if (same == out.blanks.end())
            out.blanks.push_back(blank);
        else {
            same->start = std::min(same->start, blank.start);
            same->end = std::max(same->end, blank.end);
        }
    }
    for (const std::string& warning : before.warnings)
        if (std::ranges::find(out.warnings, warning) == out.warnings.end())
            out.warnings.push_back(warning);
    return out;
}

struct ObservationFollower::Known {
    Prepared prepared;
    Observation observation;
    std::string job;
    double preparedAt = 0; ///< end of the grid that it was prepared for
    int polls = 0;         ///< since then
    int withoutLate = 0;   ///< polls in a row in which no sample had come late

    /// The instants to ask for: new ones, the last one known, and those before it that late samples may
    /// change.
    TimeGrid tail(const TimeGrid& grid) const {
        const TimeGrid& had = observation.grid;
        const bool far = withoutLate < enoughPolls || polls % lookAgain == 0;
        // An instant is asked for again as long as it is at most so many steps behind the last one known,
        // which is itself a step or more ago when that moves on.
        const double back = far ? std::max(1.0, std::ceil(late / grid.step) - 1) : 0;
        const double from = std::max(grid.start, had.end() - back * grid.step);
        return {from, grid.step, static_cast<std::size_t>(std::round((grid.end() - from) / grid.step)) + 1};
    }

    /// Takes note of whether samples came late. An answer without earlier instants says nothing about it.
    void lookForLate(const Observation& tail) {
        ++polls;
        const double until = observation.grid.end();
        if (tail.grid.start < until)
            withoutLate = confirms(observation, tail, until) ? withoutLate + 1 : 0;
    }
};

ObservationFollower::ObservationFollower() = default;
ObservationFollower::~ObservationFollower() = default;

Result<std::vector<SignalTable>> ObservationFollower::deviceTraffic(PrometheusApi& api,
                                                                    const std::string& host,
                                                                    const TimeGrid& grid,
                                                                    std::stop_token stop) {
    if (!known_)
        return Error{"nothing has been read from the server yet"};
    return readDeviceTraffic(api, known_->prepared, host, grid, std::move(stop));
}

void ObservationFollower::forget() { known_.reset(); }

Result<Observation> ObservationFollower::observe(PrometheusApi& api, const MetricMapping& mapping,
                                                 const ObservationRequest& request, std::stop_token stop) {
    const TimeGrid& grid = request.grid;
    if (known_) {
        const TimeGrid& had = known_->observation.grid;
        const bool same = known_->job == request.job && known_->prepared.mapping == mapping &&
                          stepsBetween(had, grid).has_value() && request.only.empty();
        const bool movesOn = grid.start >= had.start && grid.start < had.end() && grid.end() >= had.end() &&
                             grid.end() < known_->preparedAt + askAnew;
        if (same && movesOn) {
            const TimeGrid tail = known_->tail(grid);
            Result<Observation> read = readPrepared(api, known_->prepared, tail, request.job, stop);
            if (!read)
                return read;
            if (read->unanswered > 0) { // in part: it is not built upon
                Observation whole = continued(known_->observation, *read, grid);
                setBucketWidths(whole, known_->prepared);
                return whole;
            }
            known_->lookForLate(*read);
            known_->observation = continued(std::move(known_->observation), *read, grid);
            setBucketWidths(known_->observation, known_->prepared);
            return known_->observation;
        }
    }
    Result<Prepared> prepared = prepareObservation(api, mapping, request, stop);
    if (!prepared)
        return Error{prepared.error()};
    auto next = std::make_unique<Known>();
    next->prepared = *std::move(prepared);
    Result<Observation> read = readPrepared(api, next->prepared, grid, request.job, stop);
    if (!read || read->unanswered > 0)
        return read;
    next->observation = *read;
    next->job = request.job;
    next->preparedAt = grid.end();
    known_ = std::move(next);
    return read;
}

} // namespace alidade::data
