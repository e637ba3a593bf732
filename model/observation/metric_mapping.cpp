// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/observation/metric_mapping.h"

#include <algorithm>
#include <array>

namespace alidade {

namespace {

constexpr std::array<std::string_view, 8> kindWords = {"gauge", "counter", "histogram", "summary",
                                                       "ratio", "info",    "quotient",  "progress"};
constexpr std::array<std::string_view, 5> combineWords = {"automatic", "sum", "mean", "largest", "smallest"};

template <class Enum, std::size_t n>
std::optional<Enum> wordIn(const std::array<std::string_view, n>& words, std::string_view word) {
    const auto found = std::ranges::find(words, word);
    return found == words.end() ? std::nullopt
                                : std::optional(static_cast<Enum>(std::distance(words.begin(), found)));
}

} // namespace

const MetricRule* MetricMapping::rule(Signal signal) const {
    const auto found = std::ranges::find(rules, signal, &MetricRule::signal);
    return found == rules.end() ? nullptr : &*found;
}

std::vector<std::string> metricNames(const MetricRule& rule) {
    switch (rule.kind) {
    case MetricKind::histogram:
        return {rule.metric + "_bucket", rule.metric + "_sum", rule.metric + "_count"};
    case MetricKind::summary:
        return {rule.metric + "_sum", rule.metric + "_count"};
    case MetricKind::ratio:
    case MetricKind::quotient:
        return {rule.metric, rule.divisor};
    default:
        return {rule.metric};
    }
}

std::vector<std::string> alternatives(std::string_view labels) {
    std::vector<std::string> out;
    while (!labels.empty()) {
        const std::size_t end = labels.find('|');
        if (end != 0)
            out.emplace_back(labels.substr(0, end));
        labels = end == std::string_view::npos ? std::string_view() : labels.substr(end + 1);
    }
    return out;
}

Combine combination(const MetricRule& rule) {
    if (rule.combine != Combine::automatic)
        return rule.combine;
    using enum Signal;
    switch (rule.signal) {
    case xid:
    case rowsRemappedUncorrectable:
    case rowsRemappedCorrectable:
    case rowRemapFailure:
    case rowRemapPending:
    case bootTime:
    case lastStep:
        return Combine::largest;
    case targetUp:
        return Combine::smallest;
    case requestsRunning:
    case requestsWaiting:
    case kvCacheBlocks:
        return Combine::sum;
    default:
        break;
    }
    const SignalInfo& info = signalInfo(rule.signal);
    const bool adds = info.kind == SignalKind::rate || info.kind == SignalKind::events;
    // What the whole job has reached is the same on each rank; gauges of engines are each engine's own.
    const bool ofJob = info.scope == SignalScope::job &&
                       (rule.kind == MetricKind::gauge || rule.kind == MetricKind::progress);
    return adds && !ofJob ? Combine::sum : Combine::mean;
}

std::string_view name(MetricKind kind) { return kindWords[static_cast<std::size_t>(kind)]; }
std::string_view name(Combine combine) { return combineWords[static_cast<std::size_t>(combine)]; }
std::optional<MetricKind> metricKindOf(std::string_view word) { return wordIn<MetricKind>(kindWords, word); }

} // namespace alidade
