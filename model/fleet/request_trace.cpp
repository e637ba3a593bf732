// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/fleet/request_trace.h"

#include "model/fleet/prefix_cache.h"
#include "model/units/constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace alidade {

namespace {

constexpr double hour = secondsPerHour, day = 24 * hour;

template <class Member>
LengthStatistics lengthsOf(const RequestTrace& trace, Member member) {
    LengthStatistics out;
    std::vector<int> lengths;
    lengths.reserve(trace.requests.size());
    for (const TraceRequest& each : trace.requests) {
        lengths.push_back(each.*member);
        out.mean += each.*member;
    }
    const auto count = static_cast<double>(lengths.size());
    out.mean /= count;
    double squares = 0;
    for (const int each : lengths)
        squares += (each - out.mean) * (each - out.mean);
    out.cv = out.mean > 0 ? std::sqrt(squares / count) / out.mean : 0;
    std::sort(lengths.begin(), lengths.end());
    const auto at = [&](double q) {
        return static_cast<double>(lengths[static_cast<std::size_t>(q * (count - 1) + 0.5)]);
    };
    out.p50 = at(0.5);
    out.p90 = at(0.9);
    out.p99 = at(0.99);
    out.most = lengths.back();
    return out;
}

/// Of the times between requests, in units of their mean in the same hour.
double arrivalVariation(const RequestTrace& trace) {
    constexpr std::size_t fewest = 10; // in an hour, for a variance that says something
    double squares = 0;
    std::size_t gaps = 0;
    for (std::size_t first = 0; first < trace.requests.size();) {
        const double end = (std::floor(trace.requests[first].time / hour) + 1) * hour;
        std::size_t last = first;
        while (last < trace.requests.size() && trace.requests[last].time < end)
            ++last;
        const std::size_t count = last - first - 1;
        const double mean = count > 0 ? (trace.requests[last - 1].time - trace.requests[first].time) /
                                            static_cast<double>(count)
                                      : 0;
        for (std::size_t i = first + 1; count >= fewest && mean > 0 && i < last; ++i) {
            const double gap = (trace.requests[i].time - trace.requests[i - 1].time) / mean;
            squares += (gap - 1) * (gap - 1);
            ++gaps;
        }
        first = last;
    }
    return gaps > 0 ? std::sqrt(squares / static_cast<double>(gaps)) : 1;
}

/// Requests in each hour from the first one on.
std::vector<double> hourlyCounts(const RequestTrace& trace) {
    std::vector<double> out(static_cast<std::size_t>(trace.seconds() / hour) + 1, 0);
    for (const TraceRequest& each : trace.requests)
        out[static_cast<std::size_t>(each.time / hour)] += 1;
    return out;
}

/// s of the trace in its hour of this index: the last one is not a whole hour.
double covered(const RequestTrace& trace, std::size_t index) {
    const double end = trace.seconds(), start = static_cast<double>(index) * hour;
    return std::clamp(end - start, std::min(hour, std::max(end, 1.0)) * 0.01, hour);
}

} // namespace

std::vector<double> usualCacheSizes() {
    return {1e5, 3e5, 1e6, 3e6, 1e7, 3e7, std::numeric_limits<double>::infinity()};
}

double prefixHitShare(const RequestTrace& trace, double cacheTokens) {
    const double blocks = cacheTokens / trace.blockTokens;
    PrefixCache cache(blocks < static_cast<double>(trace.blocks.size()) ? static_cast<std::size_t>(blocks)
                                                                        : trace.blocks.size());
    double hit = 0, all = 0;
    for (const TraceRequest& each : trace.requests) {
        hit += cachedTokens(cache.use(trace.blocksOf(each)), trace.blockTokens, each.input);
        all += each.input;
    }
    return all > 0 ? hit / all : 0;
}

TraceStatistics statisticsOf(const RequestTrace& trace, const std::vector<double>& cacheTokens,
                             const std::stop_token& stop) {
    TraceStatistics out;
    out.requests = trace.requests.size();
    out.failed = trace.failed;
    out.seconds = trace.seconds();
    if (trace.requests.empty())
        return out;
    out.input = lengthsOf(trace, &TraceRequest::input);
    out.output = lengthsOf(trace, &TraceRequest::output);
    out.arrivalCv = arrivalVariation(trace);
    const std::vector<double> counts = hourlyCounts(trace);
    for (std::size_t i = 0; i < counts.size(); ++i)
        out.rates.rates.push_back(counts[i] / (i + 1 < counts.size() ? hour : covered(trace, i)));
    for (const double size : trace.blocks.empty() ? std::vector<double>{} : cacheTokens)
        if (!stop.stop_requested())
            out.prefix.push_back({size, prefixHitShare(trace, size)});
    return out;
}

namespace {

double periodOf(const RequestTrace& trace) { return trace.seconds() > 1.5 * day ? 7 * day : day; }

} // namespace

double offsetInProfile(const RequestTrace& trace) {
    constexpr double mondayOfEpoch = 4 * day; // 1970-01-01 was a Thursday
    if (!trace.start)
        return 0;
    const double period = periodOf(trace), offset = std::fmod(*trace.start - mondayOfEpoch, period);
    return offset < 0 ? offset + period : offset; // a start before 1970
}

TrafficProfile profileOf(const RequestTrace& trace) {
    TrafficProfile out;
    const double period = periodOf(trace), offset = offsetInProfile(trace);
    const auto buckets = static_cast<std::size_t>(period / hour);
    std::vector<double> requests(buckets, 0), seconds(buckets, 0);
    for (const TraceRequest& each : trace.requests)
        requests[static_cast<std::size_t>(std::fmod(each.time + offset, period) / hour) % buckets] += 1;
    for (double at = offset; at < offset + trace.seconds();) {
        const double next = std::min((std::floor(at / hour) + 1) * hour, offset + trace.seconds());
        seconds[static_cast<std::size_t>(std::fmod(at, period) / hour) % buckets] += next - at;
        at = next;
    }
    const double mean =
        static_cast<double>(trace.requests.size()) / std::max(trace.seconds(), 1.0); // of the whole trace
    constexpr double enough = 60; // s of an hour, for its rate to mean something
    for (std::size_t i = 0; i < buckets; ++i) {
        out.rates.push_back(seconds[i] >= std::min(enough, trace.seconds()) && seconds[i] > 0
                                ? requests[i] / seconds[i]
                                : mean);
    }
    return out;
}

} // namespace alidade
