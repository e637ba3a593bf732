// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/coverage.h"

#include "data/observation/signal_rows.h"
#include "model/base/not_measured.h"

#include <algorithm>
#include <cmath>

namespace alidade::data {
namespace {

/// Slots of a window at most; more would make the query as costly as the data.
constexpr double mostSlots = 8;
/// A scrape that is late still counts.
constexpr double lateness = 1.25;

/// Whether a value of this rule is spread over a window.
bool looksOverWindow(const MetricRule& rule) {
    // Of a count of events, a part is better than nothing: what was counted did happen.
    if (signalInfo(rule.signal).kind == SignalKind::events)
        return false;
    return rule.kind == MetricKind::counter || rule.kind == MetricKind::histogram ||
           rule.kind == MetricKind::summary || rule.kind == MetricKind::ratio ||
           rule.kind == MetricKind::progress;
}

/// Means, percentiles and ratios divide one count by another: what is missing is missing in both.
bool isRelative(const MetricRule& rule) {
    return rule.kind == MetricKind::ratio ||
           (signalInfo(rule.signal).kind == SignalKind::distribution &&
            (rule.kind == MetricKind::histogram || rule.kind == MetricKind::summary));
}

/// GPUs and devices of a host are scraped together.
SignalScope scopeOf(const MetricRule& rule) {
    const SignalScope scope = signalInfo(rule.signal).scope;
    return scope == SignalScope::gpu || scope == SignalScope::device ? SignalScope::node : scope;
}

/// A rule that reads the same series as a gauge, one row a host, engine or job.
MetricRule presenceOf(const MetricRule& rule) {
    MetricRule out = rule;
    switch (scopeOf(rule)) {
    case SignalScope::engine:
        out.signal = Signal::requestsRunning;
        break;
    case SignalScope::job:
        out.signal = Signal::loss;
        break;
    default:
        out.signal = Signal::hostMemoryAvailable;
    }
    out.metric = metricNames(rule).back();
    out.kind = MetricKind::gauge;
    out.combine = Combine::largest;
    out.scale = 1;
    out.largest = 0;
    out.part.clear();
    out.copies.clear();
    out.figures.clear();
    return out;
}

} // namespace

double Coverage::Slots::expectedAt(double time) const {
    constexpr double rounding = 1e-6;
    return std::floor(time / slot + rounding) - std::ceil((time - window) / slot - rounding) + 1;
}

void Coverage::ask(const std::vector<const MetricRule*>& rules, std::stop_token stop) {
    std::vector<RangeQuery> queries;
    std::vector<MetricRule> asked;
    slots_.clear();
    for (const MetricRule* rule : rules) {
        if (!looksOverWindow(*rule))
            continue;
        const QueryWindows windows = intervals_.windows(*rule, grid_.step);
        const double window = windowOf(*rule, windows);
        const SignalScope scope = scopeOf(*rule);
        const bool known = std::ranges::any_of(slots_, [&](const Slots& each) {
            return each.source == rule->source && each.scope == scope && each.window == window;
        });
        if (known)
            continue;
        const double scrape = windows.gauge / 2.5;
        const double slot = std::ceil(std::max(scrape, window / mostSlots));
        const double reach = lateness * slot;
        const QueryWindows presence{reach, reach, reach, std::min(grid_.step, reach)};
        const MetricRule plain = presenceOf(*rule);
        queries.push_back({"count_over_time((" + expressionOf(plain, labels_, presence, hosts_.selection) +
                               ")[" + promDuration(window) + ':' + promDuration(slot) + "])",
                           grid_});
        asked.push_back(plain);
        slots_.push_back({rule->source, scope, window, {}, slot, 0});
    }
    const std::vector<Result<Matrix>> answers = api_.ranges(queries, stop);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (!answers[i])
            continue;
        Slots& slots = slots_[i];
        slots.counts = signalRows(*answers[i], {asked[i], labels_, map_.aliases, {}, nullptr}).table;
        const std::string key = slots.source + ' ' + std::to_string(static_cast<int>(slots.scope)) + ' ' +
                                promDuration(slots.window);
        double& beyond = filled_.try_emplace(key, -slots.window).first->second;
        const std::size_t points = grid_.points;
        for (std::size_t k = 0; k < slots.counts.values.size(); ++k) {
            const double count = slots.counts.values[k];
            if (std::isfinite(count))
                beyond = std::max(beyond, count - slots.expectedAt(grid_.at(k % points)));
        }
        slots.beyond = beyond;
    }
}

const Coverage::Slots* Coverage::slotsOf(const MetricRule& rule) const {
    const double window = windowOf(rule, intervals_.windows(rule, grid_.step));
    const auto found = std::ranges::find_if(slots_, [&](const Slots& each) {
        return each.source == rule.source && each.scope == scopeOf(rule) && each.window == window;
    });
    return found == slots_.end() || found->counts.rows.empty() ? nullptr : &*found;
}

void Coverage::clean(const MetricRule& rule, SignalTable& table) const {
    const Slots* slots = looksOverWindow(rule) ? slotsOf(rule) : nullptr;
    if (slots == nullptr)
        return;
    const double share = isRelative(rule) ? 0.5 : 1;
    const std::size_t points = grid_.points;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const Entity& where = table.rows[row];
        const auto same = std::ranges::find_if(slots->counts.rows, [&](const Entity& each) {
            return each.host == where.host &&
                   (slots->scope != SignalScope::engine || each.part == where.part);
        });
        if (same == slots->counts.rows.end())
            continue;
        const auto counts =
            slots->counts.row(static_cast<std::size_t>(same - slots->counts.rows.begin()), points);
        for (std::size_t i = 0; i < points; ++i)
            if (!(counts[i] >= share * (slots->expectedAt(grid_.at(i)) + slots->beyond)))
                table.values[row * points + i] = notMeasured;
    }
}

} // namespace alidade::data
