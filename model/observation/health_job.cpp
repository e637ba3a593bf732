// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/health_evidence.h"

#include <algorithm>
#include <cmath>
#include <ranges>

namespace alidade {
namespace {

/// A loss that is not a number while the job goes on telling its other figures. A gap of all of them is none.
void findBadLoss(const HealthView& view, EvidenceList& out) {
    const ClusterDigest& cluster = view.cluster;
    const SignalTable* loss = cluster.table(Signal::loss);
    if (loss == nullptr)
        return;
    // The step time may look minutes back: what is told at the moment itself says whether the job still
    // tells.
    const SignalTable* moment = cluster.table(Signal::lastStep);
    const auto tells = [&](std::size_t i) {
        if (cluster.unobserved(i) || i >= view.job.stepTime.size() || !std::isfinite(view.job.stepTime[i]))
            return false;
        return moment == nullptr ||
               std::ranges::any_of(
                   std::views::iota(std::size_t{0}, moment->rows.size()),
                   [&](std::size_t row) { return std::isfinite(moment->row(row, cluster.points())[i]); });
    };
    for (std::size_t row = 0; row < loss->rows.size(); ++row) {
        const std::span<const double> values = loss->row(row, cluster.points());
        double missing = 0, known = 0;
        std::size_t seen = 0; // some time before: the loss is measured at all
        const auto bad = [&](std::size_t i) {
            if (std::isinf(values[i]))
                return Sign::yes;
            return std::isfinite(values[i]) ? Sign::no : tells(i) && seen <= i ? Sign::yes : Sign::unknown;
        };
        while (seen < values.size() && !std::isfinite(values[seen]))
            ++seen;
        std::vector<PointSpan> spans = spansWhere(values.size(), bad, 0, 2);
        std::size_t longest = 0;
        for (const PointSpan& span : spans)
            longest = std::max(longest, span.hits);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Sign sign = bad(i);
            missing += sign == Sign::yes;
            known += sign != Sign::unknown;
        }
        for (const PointSpan& span : spans) {
            const auto hits = static_cast<double>(span.hits);
            const bool infinite = std::isinf(values[span.begin]);
            const double gaps = (missing - hits) / (known - hits);
            const std::size_t least = std::max<std::size_t>(
                cluster.step() < 60 ? 3 : 2, tellingGap(gaps, static_cast<double>(values.size())));
            if (!infinite && span.hits < least)
                continue;
            Evidence event = evidenceOver(view, FaultKind::badLoss, {}, span);
            event.facts.emplace_back(infinite ? "the loss is infinite"
                                              : "the job reports step times but no loss");
            out.push_back(std::move(event));
        }
    }
}

} // namespace

void findJobFaults(const HealthView& view, EvidenceList& out) {
    for (std::size_t i = 0; i < view.job.stops.size(); ++i) {
        const JobStop& stop = view.job.stops[i];
        const double length = stop.end - stop.start;
        const bool hang = !stop.processGone || stop.hung >= 60;
        Evidence event = evidenceOver(view, hang ? FaultKind::stall : FaultKind::restart, {}, stop.span);
        event.start = stop.start;
        event.last = stop.end;
        event.stops.push_back(i);
        if (stop.processGone && hang)
            event.what = stop.lasts ? "hang, then the end of its processes" : "hang, then restart";
        else if (stop.processGone)
            event.what = stop.lasts ? "down" : "restart";
        else
            event.what = stop.hung > 0 ? "hang" : "stalled";
        if (stop.hung > 0)
            event.facts.push_back("GPUs busy without work or traffic for " + durationText(stop.hung));
        event.facts.push_back("no step for " + durationText(length));
        out.push_back(std::move(event));
    }
    findBadLoss(view, out);
}

} // namespace alidade
