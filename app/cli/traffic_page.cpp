// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/traffic_page.h"

#include "app/cli/cells.h"
#include "app/cli/json_parts.h"
#include "app/cli/page.h"
#include "model/base/text.h"
#include "model/units/format.h"

#include <algorithm>
#include <cmath>

namespace alidade::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string tokens(double value) {
    return std::isfinite(value) ? formatQuantity(value, Dimension::tokens) : "without end";
}

/// Hours as bars; of more than two days, the mean of each hour of the day.
std::string hoursText(const TrafficProfile& rates, const Terminal& terminal) {
    constexpr std::size_t perDay = 24, most = 48;
    constexpr int columns = 30;
    const bool folded = rates.rates.size() > most;
    std::vector<double> hours(folded ? perDay : rates.rates.size(), 0), count(hours.size(), 0);
    for (std::size_t i = 0; i < rates.rates.size(); ++i) {
        hours[i % hours.size()] += rates.rates[i];
        count[i % hours.size()] += 1;
    }
    double largest = 0;
    for (std::size_t i = 0; i < hours.size(); ++i) {
        hours[i] /= count[i];
        largest = std::max(largest, hours[i]);
    }
    data::Table table = cells::table({folded ? "Hour of the day" : "Hour", "Requests/s", ""});
    for (std::size_t i = 0; i < hours.size(); ++i) {
        table.rows.push_back({words(std::to_string(i)), words(cells::number(hours[i])),
                              words(bar(largest > 0 ? hours[i] / largest : 0, columns))});
    }
    return tableText(std::move(table), terminal);
}

Json lengthsJson(const LengthStatistics& lengths) {
    return {{"mean", lengths.mean}, {"cv", lengths.cv},   {"p50", lengths.p50},
            {"p90", lengths.p90},   {"p99", lengths.p99}, {"max", lengths.most}};
}

std::size_t busiestHour(const TrafficProfile& rates) {
    return static_cast<std::size_t>(std::ranges::max_element(rates.rates) - rates.rates.begin());
}

std::string hourText(const TrafficProfile& rates) {
    static constexpr const char* days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    constexpr std::size_t perDay = 24;
    const std::size_t hour = busiestHour(rates);
    const std::string clock = (hour % perDay < 10 ? "0" : "") + std::to_string(hour % perDay) + ":00";
    return rates.rates.size() > perDay ? std::string(days[hour / perDay % 7]) + " " + clock : clock;
}

} // namespace

std::string traceText(const data::TraceReading& reading, const TraceStatistics& found,
                      const Terminal& terminal) {
    const auto requests = static_cast<std::int64_t>(found.requests);
    std::string out =
        paragraphText(std::string(data::traceFormatName(reading.format)) + ": " + formatCount(requests) +
                          " requests in " + cells::seconds(found.seconds),
                      terminal, Style::strong);
    const double rate = found.seconds > 0 ? static_cast<double>(found.requests) / found.seconds : 0;
    out +=
        paragraphText(cells::number(rate) + " requests/s in the mean, " + cells::number(found.rates.peak()) +
                          " in the busiest hour; the times between them vary by " +
                          cells::number(found.arrivalCv) + " x their mean within an hour (1: Poisson).",
                      terminal);
    if (found.failed > 0) {
        out += paragraphText(formatCount(static_cast<std::int64_t>(found.failed)) +
                                 " requests without an answer are left out.",
                             terminal, Style::quiet);
    }
    data::Table lengths = cells::table({"Tokens", "Mean", "CV", "Median", "p90", "p99", "Most"});
    const auto add = [&](const char* name, const LengthStatistics& l) {
        lengths.rows.push_back({words(name), words(cells::number(l.mean)), words(cells::number(l.cv)),
                                words(cells::number(l.p50)), words(cells::number(l.p90)),
                                words(cells::number(l.p99)), words(cells::number(l.most))});
    };
    add("Prompt", found.input);
    add("Answer", found.output);
    out += headingText("Lengths", terminal) + tableText(std::move(lengths), terminal);
    if (!found.prefix.empty()) {
        data::Table prefix = cells::table({"Prefix cache", "Prompt tokens that it holds"});
        for (const PrefixHit& each : found.prefix)
            prefix.rows.push_back({words(tokens(each.cacheTokens)), words(cells::share(each.share))});
        out += headingText("Shared prefixes", terminal) + tableText(std::move(prefix), terminal);
    }
    return out + headingText("Rate", terminal) + hoursText(found.rates, terminal);
}

std::string traceJson(const data::TraceReading& reading, const TraceStatistics& found) {
    Json out{{"alidade", 1},
             {"format", data::traceFormatName(reading.format)},
             {"requests", found.requests},
             {"failed_requests", found.failed},
             {"seconds", found.seconds},
             {"start_s", numberOrNull(reading.trace.start)},
             {"requests_per_s", found.seconds > 0 ? static_cast<double>(found.requests) / found.seconds : 0},
             {"arrival_cv", found.arrivalCv},
             {"input_tokens", lengthsJson(found.input)},
             {"output_tokens", lengthsJson(found.output)},
             {"hourly_requests_per_s", found.rates.rates}};
    Json prefix = Json::array();
    for (const PrefixHit& each : found.prefix) {
        prefix.push_back(
            {{"cache_tokens", std::isfinite(each.cacheTokens) ? Json(each.cacheTokens) : Json(nullptr)},
             {"hit", each.share}});
    }
    out["prefix_cache"] = std::move(prefix);
    return dumped(out);
}

std::string fleetTrafficText(const data::FleetFile& file, const Terminal& terminal) {
    data::Table table = cells::table(
        {"Service", "Source", "Mean", "Peak", "Trough", "Busiest hour", "Prompt", "Answer", "Prefix hit"});
    for (std::size_t s = 0; s < file.fleet.services.size(); ++s) {
        const FleetService& each = file.fleet.services[s];
        const WorkloadSpec& w = each.spec.workload;
        const std::string& source = file.traffic[s].file;
        table.rows.push_back({words(each.name), words(source.empty() ? "typed" : source),
                              words(cells::number(each.traffic.mean()) + " req/s"),
                              words(cells::number(each.traffic.peak())),
                              words(cells::number(each.traffic.trough())), words(hourText(each.traffic)),
                              words(cells::number(w.inputTokens.value_or(0))),
                              words(cells::number(w.outputTokens.value_or(0))),
                              words(cells::share(w.prefixCacheHit.value_or(0)))});
    }
    return tableText(std::move(table), terminal);
}

std::string fleetTrafficJson(const data::FleetFile& file) {
    Json services = Json::array();
    for (const FleetService& each : file.fleet.services) {
        const WorkloadSpec& w = each.spec.workload;
        services.push_back({{"name", each.name},
                            {"mean_requests_per_s", each.traffic.mean()},
                            {"peak_requests_per_s", each.traffic.peak()},
                            {"trough_requests_per_s", each.traffic.trough()},
                            {"input_tokens", numberOrNull(w.inputTokens)},
                            {"output_tokens", numberOrNull(w.outputTokens)},
                            {"prefix_cache_hit", numberOrNull(w.prefixCacheHit)},
                            {"hourly_requests_per_s", each.traffic.rates}});
    }
    return dumped({{"alidade", 1}, {"services", std::move(services)}});
}

std::string observedText(const ObservedTraffic& traffic, const Observation& observation,
                         const Terminal& terminal) {
    const TrafficProfile& rates = traffic.rates;
    std::string out =
        paragraphText(observation.server + ": " + cells::number(rates.mean()) + " requests/s in the mean, " +
                          cells::number(rates.peak()) + " in the busiest hour (" + hourText(rates) + " UTC)",
                      terminal, Style::strong);
    const auto measured = static_cast<std::int64_t>(traffic.measuredHours),
               all = static_cast<std::int64_t>(rates.rates.size());
    if (measured < all) {
        out += paragraphText("Measured in " + formatCount(measured) + " of " + formatCount(all) +
                                 " hours; the others have the mean of these.",
                             terminal, Style::warning);
    }
    data::Table lengths = cells::table({"Tokens", "Mean", "CV"});
    const auto text = [](const std::optional<double>& value) {
        return value ? cells::number(*value) : "not measured";
    };
    lengths.rows.push_back(
        {words("Prompt"), words(text(traffic.inputTokens)), words(text(traffic.inputTokensCv))});
    lengths.rows.push_back(
        {words("Answer"), words(text(traffic.outputTokens)), words(text(traffic.outputTokensCv))});
    out += tableText(std::move(lengths), terminal);
    if (traffic.prefixCacheHit) {
        out += paragraphText(
            "The prefix cache held " + cells::share(*traffic.prefixCacheHit) + " of the prompts.", terminal);
    }
    return out + headingText("Rate", terminal) + hoursText(rates, terminal);
}

} // namespace alidade::cli
