// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/fleet/traffic_json.h"

#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <algorithm>
#include <filesystem>

namespace alidade::data {

namespace {

constexpr double mostRate = 1e9; // requests/s

std::vector<double> readHours(ObjectReader& in, const nlohmann::json& list) {
    std::vector<double> out;
    if (!list.is_array() || (list.size() != 24 && list.size() != 168)) {
        in.fault("hourly_requests_per_s",
                 "is " + (list.is_array() ? std::to_string(list.size()) + " values" : describe(list)) +
                     "; use 24 values for a day or 168 for a week from Monday on");
        return out;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        const nlohmann::json& each = list[i];
        const double value = each.is_number() ? each.get<double>() : -1;
        if (!(value >= 0 && value <= mostRate)) {
            addFault(in.faults(), {below(below(in.pointer(), "hourly_requests_per_s"), i),
                                   "is " + describe(each) + "; use requests/s, at least 0"});
            return {};
        }
        out.push_back(value);
    }
    if (*std::ranges::max_element(out) <= 0) {
        in.fault("hourly_requests_per_s", "has no requests; use a rate above 0 for some hour");
        return {};
    }
    return out;
}

TrafficProfile readShape(ObjectReader& in) {
    TrafficShape shape;
    const NumberRange rate{0, mostRate, "requests/s"};
    shape.peak = in.number("peak_requests_per_s", {1e-6, mostRate, "requests/s"}).value_or(1);
    shape.trough = in.number("trough_requests_per_s", rate).value_or(shape.peak);
    shape.mean = in.number("mean_requests_per_s", rate).value_or(0);
    shape.peakHour = in.number("peak_hour", {0, 24, "h"}).value_or(shape.peakHour);
    shape.weekend = in.number("weekend", {0.001, 1000}).value_or(1);
    if (shape.trough > shape.peak) {
        in.fault("trough_requests_per_s", "is above the peak; use at most " + numberText(shape.peak));
        shape.trough = shape.peak;
    }
    if (shape.mean != 0 && (shape.mean < shape.trough || shape.mean > shape.peak)) {
        in.fault("mean_requests_per_s", "is not between trough and peak; use " + numberText(shape.trough) +
                                            " to " + numberText(shape.peak));
        shape.mean = 0;
    }
    return trafficOf(shape);
}

} // namespace

std::string takeTrace(const std::string& name, const std::string& path, FleetService& service,
                      ServiceTraffic& traffic, const std::stop_token& stop) {
    Result<TraceReading> reading = readTraceFile(path, stop);
    if (!reading)
        return reading.error();
    traffic.file = name;
    const RequestTrace& trace = reading->trace;
    const TraceStatistics statistics = statisticsOf(trace, {traffic.prefixCacheTokens}, stop);
    WorkloadSpec& workload = service.spec.workload;
    workload.inputTokens = statistics.input.mean;
    workload.inputTokensCv = statistics.input.cv;
    workload.outputTokens = statistics.output.mean;
    workload.outputTokensCv = statistics.output.cv;
    workload.arrivalCv = std::clamp(statistics.arrivalCv, 0.0, 10.0);
    if (!statistics.prefix.empty())
        workload.prefixCacheHit = statistics.prefix.front().share;
    service.traffic = profileOf(trace);
    traffic.scale = 1;
    traffic.trace = std::make_shared<const TraceReading>(*std::move(reading));
    return {};
}

std::string TrafficReader::beside(const std::string& name) const {
    const std::filesystem::path path(name);
    return path.is_absolute() ? name : (std::filesystem::path(file_).parent_path() / path).string();
}

void TrafficReader::readProfile(const std::string& name, FleetService& service, ServiceTraffic& traffic,
                                std::vector<std::string>& faults) const {
    const std::string place = beside(name);
    const Result<std::string> text = readFile(place);
    const Result<nlohmann::json> json = text ? parseJson(*text) : Result<nlohmann::json>(Error{text.error()});
    if (!json) {
        addFault(faults, place + ": " + json.error());
        return;
    }
    std::vector<JsonFault> found;
    ObjectReader in(*json, {}, found);
    readRates(in, service, traffic, faults, true);
    addFaults(faults, place, found);
    traffic.file = name;
}

void TrafficReader::readRates(ObjectReader& in, FleetService& service, ServiceTraffic& traffic,
                              std::vector<std::string>& faults, bool nested) const {
    constexpr const char* sources[] = {"hourly_requests_per_s", "peak_requests_per_s", "trace", "profile"};
    const auto given = std::ranges::count_if(sources, [&](const char* key) { return in.has(key); });
    if (given != 1) {
        in.fault("", std::string(given == 0 ? "has no rates" : "has rates from several sources") +
                         "; give one of hourly_requests_per_s (24 or 168 values), peak_requests_per_s (with "
                         "trough_requests_per_s, mean_requests_per_s, peak_hour, weekend), trace (a file) "
                         "and profile (a file of typed traffic)");
        std::ranges::for_each(sources, [&](const char* key) { in.allow(key); });
    } else if (in.has("hourly_requests_per_s")) {
        const nlohmann::json* list = in.value("hourly_requests_per_s");
        if (std::vector<double> rates = list ? readHours(in, *list) : std::vector<double>(); !rates.empty())
            service.traffic.rates = std::move(rates);
    } else if (in.has("peak_requests_per_s")) {
        service.traffic = readShape(in);
    } else if (nested) {
        in.fault(in.has("trace") ? "trace" : "profile",
                 "belongs in the fleet, not in a profile; use hourly_requests_per_s");
    } else if (const auto name = in.text("trace")) {
        if (const std::string wrong = takeTrace(*name, beside(*name), service, traffic, stop_);
            !wrong.empty()) {
            addFault(faults, wrong);
        }
    } else if (const auto profile = in.text("profile")) {
        readProfile(*profile, service, traffic, faults);
    }
    WorkloadSpec& workload = service.spec.workload;
    const auto put = [&](std::optional<double>& field, const char* key, double low, double high) {
        if (const auto value = in.number(key, {low, high}))
            field = value;
    };
    put(workload.inputTokens, "input_tokens", 1, 1e8);
    put(workload.outputTokens, "output_tokens", 1, 1e8);
    put(workload.inputTokensCv, "input_tokens_cv", 0, 10);
    put(workload.outputTokensCv, "output_tokens_cv", 0, 10);
    put(workload.prefixCacheHit, "prefix_cache_hit", 0, 1);
    put(workload.arrivalCv, "arrival_cv", 0, 10);
    if (nested)
        in.finish();
}

void TrafficReader::read(ObjectReader& in, FleetService& service, ServiceTraffic& traffic,
                         std::vector<std::string>& faults) const {
    service.traffic.rates = {1};
    traffic.prefixCacheTokens =
        in.number("prefix_cache_tokens", {0, 1e12, "tokens"}).value_or(traffic.prefixCacheTokens);
    readRates(in, service, traffic, faults, false);
    traffic.scale = in.number("scale", {1e-9, 1e9}).value_or(1);
    for (double& rate : service.traffic.rates)
        rate *= traffic.scale;
    in.finish();
}

std::string writeTraffic(const TypedTraffic& traffic) {
    JsonWriter out;
    out.beginObject("");
    out.beginArray("hourly_requests_per_s");
    for (const double rate : traffic.rates.rates)
        out.number("", rate);
    out.endArray();
    const auto put = [&](const char* key, const std::optional<double>& value) {
        if (value)
            out.number(key, *value);
    };
    put("input_tokens", traffic.inputTokens);
    put("input_tokens_cv", traffic.inputTokensCv);
    put("output_tokens", traffic.outputTokens);
    put("output_tokens_cv", traffic.outputTokensCv);
    put("prefix_cache_hit", traffic.prefixCacheHit);
    put("arrival_cv", traffic.arrivalCv);
    out.endObject();
    return out.take();
}

} // namespace alidade::data
