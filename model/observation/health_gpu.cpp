// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/base/text.h"
#include "model/observation/health_evidence.h"
#include "model/units/constants.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace alidade {
namespace {

/// A code that persists for hours is one event: the metric keeps the last XID until a reset. It counts again
/// only after it was 0 in between.
void findXidsOf(const HealthView& view, const Entity& where, std::span<const double> values,
                EvidenceList& out) {
    int now = 0;
    bool first = true;
    std::size_t open = values.size(); // index of the event in `out`, while it stands
    std::vector<std::pair<int, std::size_t>> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || values[i] < 0)
            continue;
        const int code = static_cast<int>(std::lround(values[i]));
        if (code == now && code != 0) {
            out[open].span.end = i + 1;
            out[open].last = view.cluster.grid().at(i);
        } else if (code != 0) {
            const auto again = std::ranges::find(seen, code, &std::pair<int, std::size_t>::first);
            if (again != seen.end()) {
                open = again->second;
                ++out[open].times;
                out[open].span.end = i + 1;
                out[open].last = view.cluster.grid().at(i);
            } else {
                Evidence event = evidenceOver(view, FaultKind::xid, where, {i, i + 1, 1});
                event.code = code;
                event.before = first;
                open = out.size();
                seen.emplace_back(code, open);
                out.push_back(std::move(event));
            }
        }
        now = code;
        first = false;
    }
    for (const auto& [code, index] : seen)
        out[index].lasts = now == code;
}

double sumOf(std::span<const double> values, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i)
        sum += std::isfinite(values[i]) ? std::max(0.0, values[i]) : 0;
    return sum;
}

/// What was counted in some points, as if all of them had been measured.
struct WindowCount {
    double errors = 0;
    bool known = false; ///< at least half of the points are
};

/// Prefix sums of a row of events, for windows of it.
struct EventSums {
    std::vector<double> events, measured;

    explicit EventSums(std::span<const double> values)
        : events(values.size() + 1, 0)
        , measured(values.size() + 1, 0) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool known = std::isfinite(values[i]);
            events[i + 1] = events[i] + (known ? std::max(0.0, values[i]) : 0);
            measured[i + 1] = measured[i] + (known ? 1 : 0);
        }
    }
    WindowCount over(std::size_t begin, std::size_t end) const {
        const double known = measured[end] - measured[begin], all = static_cast<double>(end - begin);
        return {known > 0 ? (events[end] - events[begin]) * all / known : 0, 2 * known >= all && known >= 2};
    }
};

/// Corrected errors that come ever faster: more in a window than `growth` times those of the window before
/// it, beyond what chance makes of a steady rate (4 standard deviations of the difference: there are many
/// windows).
void findRisingErrors(const HealthView& view, const Entity& where, std::span<const double> values,
                      EvidenceList& out) {
    const auto error = std::ranges::find_if(values, [](double value) { return value > 0; });
    if (error == values.end())
        return;
    const auto first = static_cast<std::size_t>(error - values.begin());
    const EventSums sums(values);
    const double growth = view.limits.singleBitGrowth;
    std::size_t fired = 0, window = 0;
    double now = 0, before = 0;
    for (const double seconds : {600.0, 1800.0, secondsPerHour}) {
        const std::size_t width = view.cluster.pointsIn(seconds);
        for (std::size_t end = 2 * width; width >= 2 && end <= values.size(); ++end) {
            const WindowCount late = sums.over(end - width, end),
                              early = sums.over(end - 2 * width, end - width);
            const double beyond = late.errors - growth * early.errors;
            if (late.known && early.known && late.errors > view.limits.singleBitErrors && beyond > 0 &&
                beyond >= 4 * std::sqrt(late.errors + growth * growth * early.errors) && end >= fired) {
                fired = end;
                window = width;
                now = late.errors;
                before = early.errors;
            }
        }
    }
    if (fired == 0)
        return;
    Evidence event = evidenceOver(view, FaultKind::singleBitErrors, where, {first, fired, fired - first});
    event.lasts = fired + window / 2 >= values.size();
    const std::string span = durationText(static_cast<double>(window) * view.cluster.step());
    event.facts.push_back(countOf(now, "corrected error", "corrected errors") + " in " + span + ", " +
                          formatCount(std::llround(before)) + " in the " + span + " before");
    event.facts.push_back(formatCount(std::llround(sums.events.back())) + " in the observed time");
    out.push_back(std::move(event));
}

void findDoubleBitErrors(const HealthView& view, const Entity& where, std::span<const double> values,
                         EvidenceList& out) {
    for (const PointSpan& span : spansWhere(
             values.size(),
             [&](std::size_t i) {
                 return !std::isfinite(values[i]) ? Sign::unknown : values[i] > 0.3 ? Sign::yes : Sign::no;
             },
             view.cluster.pointsIn(900), view.cluster.pointsIn(900))) {
        Evidence event = evidenceOver(view, FaultKind::doubleBitErrors, where, span);
        event.lasts = false;
        event.facts.push_back(countOf(std::max(1.0, sumOf(values, span.begin, span.end)), "double-bit error",
                                      "double-bit errors"));
        out.push_back(std::move(event));
    }
}

/// A flag that is up.
void findFlag(const HealthView& view, Signal signal, int code, std::string_view what, EvidenceList& out) {
    const SignalTable* table = view.cluster.table(signal);
    for (std::size_t row = 0; table != nullptr && row < table->rows.size(); ++row) {
        const std::span<const double> values = table->row(row, view.cluster.points());
        for (const PointSpan& span : spansWhere(
                 values.size(),
                 [&](std::size_t i) {
                     return !std::isfinite(values[i]) ? Sign::unknown
                            : values[i] > 0.5         ? Sign::yes
                                                      : Sign::no;
                 },
                 view.cluster.pointsIn(300), view.cluster.points())) {
            Evidence event = evidenceOver(view, FaultKind::rowRemap, table->rows[row], span);
            event.code = code;
            event.facts.emplace_back(what);
            out.push_back(std::move(event));
        }
    }
}

/// A lifetime count that grew; what it was before says nothing of this time.
void findNewRemaps(const HealthView& view, Signal signal, std::string_view of, EvidenceList& out) {
    const SignalTable* table = view.cluster.table(signal);
    for (std::size_t row = 0; table != nullptr && row < table->rows.size(); ++row) {
        const std::span<const double> values = table->row(row, view.cluster.points());
        double known = std::nan("");
        Evidence event;
        double grown = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (!std::isfinite(values[i]))
                continue;
            if (values[i] > known + 0.5) {
                if (grown == 0)
                    event = evidenceOver(view, FaultKind::rowRemap, table->rows[row], {i, i + 1, 1});
                event.span.end = i + 1;
                event.last = view.cluster.grid().at(i);
                grown += values[i] - known;
            }
            known = values[i];
        }
        if (grown > 0) {
            event.lasts = false;
            event.facts.push_back(countOf(grown, "row", "rows") + " remapped after " + std::string(of) +
                                  ", " + formatCount(std::llround(known)) + " in all");
            out.push_back(std::move(event));
        }
    }
}

template <class F>
void eachRow(const HealthView& view, Signal signal, F take) {
    const SignalTable* table = view.cluster.table(signal);
    for (std::size_t row = 0; table != nullptr && row < table->rows.size(); ++row)
        take(table->rows[row], table->row(row, view.cluster.points()));
}

} // namespace

void findXids(const HealthView& view, EvidenceList& out) {
    eachRow(view, Signal::xid, [&](const Entity& where, std::span<const double> values) {
        findXidsOf(view, where, values, out);
    });
}

void findMemoryErrors(const HealthView& view, EvidenceList& out) {
    eachRow(view, Signal::eccDoubleBit, [&](const Entity& where, std::span<const double> values) {
        findDoubleBitErrors(view, where, values, out);
    });
    eachRow(view, Signal::eccSingleBit, [&](const Entity& where, std::span<const double> values) {
        findRisingErrors(view, where, values, out);
    });
    findFlag(view, Signal::rowRemapFailure, remapFailed, "row remap failed", out);
    findFlag(view, Signal::rowRemapPending, remapPending, "row remap pending", out);
    findNewRemaps(view, Signal::rowsRemappedUncorrectable, "uncorrectable errors", out);
    findNewRemaps(view, Signal::rowsRemappedCorrectable, "corrected errors", out);
}

Evidence evidenceOver(const HealthView& view, FaultKind kind, Entity where, const PointSpan& span) {
    Evidence out;
    out.kind = kind;
    out.where = std::move(where);
    out.span = span;
    out.start = view.cluster.grid().at(span.begin);
    out.last = view.cluster.grid().at(span.end - 1);
    // What the data end (or begin) with goes on, as far as known.
    out.lasts = view.cluster.gaps().observedIn(span.end, view.cluster.points()) == 0;
    out.before = view.cluster.gaps().observedIn(0, span.begin) == 0;
    return out;
}

std::size_t tellingGap(double gaps, double rowsTimesPoints) {
    if (!(gaps > 0))
        return 1;
    const double wanted = std::log(1e-3 / std::max(1.0, rowsTimesPoints)) / std::log(std::min(gaps, 0.98));
    return static_cast<std::size_t>(std::ceil(std::max(1.0, wanted)));
}

} // namespace alidade
