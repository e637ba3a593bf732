// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/fleet/fleet_file.h"

#include "data/catalog/shipped.h"
#include "data/fleet/traffic_json.h"
#include "data/json/file.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/scenario/scenario_json.h"
#include "model/units/constants.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

namespace alidade::data {

namespace {

constexpr int mostReplicas = 100'000, mostInstances = 100'000;

class FleetReader {
public:
    FleetReader(const std::string& file, const std::stop_token& stop)
        : file_(file)
        , stop_(stop) {}

    FleetReading read(std::string_view text) {
        FleetReading out;
        const Result<nlohmann::json> json = parseJson(text);
        if (!json) {
            out.faults.push_back(file_ + ": " + json.error());
            return out;
        }
        ObjectReader root(*json, {}, faults_);
        root.require({"alidade", "fleet"});
        root.integer("alidade", 1, 1);
        if (std::optional<ObjectReader> fleet = root.object("fleet"))
            readFleet(*fleet);
        root.finish();
        addFaults(out.faults, file_, faults_);
        for (const std::string& line : others_)
            addFault(out.faults, line);
        if (out.faults.empty()) {
            alignPeriods(out_.fleet);
            out_.document = text;
            out_.path = file_;
            out.file = std::move(out_);
        }
        return out;
    }

private:
    void readFleet(ObjectReader& in) {
        in.require({"services", "pools"});
        out_.fleet.name = in.text("name").value_or("");
        if (std::optional<ObjectReader> scaling = in.object("autoscaling"))
            readScaling(*scaling, scaling_);
        std::set<std::string> pools;
        for (ObjectReader& each : in.objects("pools")) {
            FleetPool pool = readPool(each);
            if (!pool.name.empty() && !pools.insert(pool.name).second)
                each.fault("name", "'" + pool.name + "' is the name of another pool too; use names once");
            out_.fleet.pools.push_back(std::move(pool));
        }
        std::set<std::string> services;
        for (ObjectReader& each : in.objects("services")) {
            readService(each, pools);
            const std::string& name = out_.fleet.services.back().name;
            if (!name.empty() && !services.insert(name).second)
                each.fault("name", "'" + name + "' is the name of another service too; use names once");
        }
        const auto filled = [&](const char* key, bool empty) {
            if (in.has(key) && empty)
                in.fault(key, "is empty; a fleet has at least one");
        };
        filled("services", out_.fleet.services.empty());
        filled("pools", out_.fleet.pools.empty());
        in.finish();
    }

    static void readScaling(ObjectReader& in, ScalingPolicy& out) {
        if (const auto kind = in.choice("kind", {"fixed", "reactive", "scheduled"}))
            out.kind = static_cast<ScalingKind>(*kind);
        out.interval = in.number("interval_s", {10, secondsPerHour, "s"}).value_or(out.interval);
        out.headroom = in.number("headroom", {0, 10}).value_or(out.headroom);
        out.scaleDownDelay =
            in.number("scale_down_delay_s", {0, secondsPerDay, "s"}).value_or(out.scaleDownDelay);
        out.minReplicas = in.integer("min_replicas", 1, mostReplicas).value_or(out.minReplicas);
        out.instanceStart =
            in.number("instance_start_s", {0, secondsPerDay, "s"}).value_or(out.instanceStart);
        out.engineStart = in.number("engine_start_s", {0, secondsPerDay, "s"}).value_or(out.engineStart);
        in.finish();
    }

    static PurchaseTerms readTerms(ObjectReader& in, std::span<const Purchase> options) {
        PurchaseTerms out;
        std::vector<std::string> words;
        for (const Purchase option : options)
            words.emplace_back(purchaseWord(option));
        in.require({"purchase"});
        if (const auto purchase = in.choice("purchase", words))
            out.purchase = words[*purchase];
        out.dollarsPerInstanceHour = in.number("dollars_per_instance_hour", {0, 1e6, "$/h"});
        out.discount = in.number("discount", {0, 1});
        out.commitment = in.text("commitment");
        if (out.purchase == "custom" && !out.dollarsPerInstanceHour)
            in.fault("dollars_per_instance_hour", "is missing; a custom purchase needs its price");
        return out;
    }

    static FleetPool readPool(ObjectReader& in) {
        FleetPool out;
        in.require({"name", "instance", "instances"});
        out.name = in.text("name").value_or("");
        out.machine = in.text("instance").value_or("");
        out.maxInstances = in.integer("instances", 1, mostInstances, "instances").value_or(0);
        out.region = in.text("region");
        out.spares = in.integer("spare_instances", 0, mostInstances, "instances").value_or(0);
        out.storage = in.text("storage").value_or(out.storage);
        if (std::optional<ObjectReader> base = in.object("base")) {
            out.base = readTerms(*base, basePurchases);
            out.baseInstances = base->integer("instances", 0, mostInstances, "instances");
            base->finish();
        }
        for (ObjectReader& each : in.objects("burst")) {
            out.burst.push_back(readTerms(each, burstPurchases));
            each.finish();
        }
        if (!out.base && out.burst.empty() && !in.has("burst"))
            out.burst.emplace_back(); // on demand
        in.finish();
        return out;
    }

    std::string beside(const std::string& name) const {
        const std::filesystem::path path(name);
        return path.is_absolute() ? name : (std::filesystem::path(file_).parent_path() / path).string();
    }

    void readScenario(ObjectReader& in, ScenarioSpec& out) {
        const nlohmann::json* value = in.value("scenario");
        if (!value)
            return;
        const std::string place = below(in.pointer(), "scenario");
        if (value->is_object()) {
            nlohmann::json document = *value;
            document["alidade"] = 1;
            takeScenario(data::readScenario(document.dump()), place, out);
        } else if (value->is_string()) {
            const auto name = value->get<std::string>();
            const std::string path = beside(name);
            if (std::filesystem::exists(path)) {
                const Result<std::string> text = readFile(path);
                if (!text)
                    addFault(faults_, {place, path + ": " + text.error()});
                else if (const auto reading = data::readScenario(*text, path))
                    out = *reading;
                else
                    addFault(others_, reading.error());
            } else if (const Result<std::string> text = shippedScenario(name)) {
                takeScenario(data::readScenario(*text), place, out);
            } else {
                addFault(faults_, {place, "there is no file '" + name + "' and " + text.error()});
            }
        } else {
            in.fault("scenario",
                     "is " + describe(*value) + "; use the id of a shipped scenario, a file, or a scenario");
        }
    }

    void takeScenario(const ScenarioReading& reading, const std::string& place, ScenarioSpec& out) {
        for (const JsonFault& fault : reading.faults)
            addFault(faults_, {place + fault.pointer, fault.message});
        out = reading.spec.value_or(out);
    }

    static void readTargets(ObjectReader& in, FleetService& out) {
        WorkloadSpec& w = out.spec.workload;
        const auto put = [&](std::optional<double>& field, const char* key, double low, double high) {
            if (in.isNull(key))
                field.reset(); // no target, whatever the scenario says
            if (const auto value = in.number(key, {low, high}))
                field = value;
        };
        put(w.ttftSloS, "ttft_slo_s", 1e-6, 1e6);
        put(w.itlSloS, "itl_slo_s", 1e-6, 1e6);
        put(w.sloPercentile, "slo_percentile", 50, 99);
        out.onTime = in.number("on_time", {0, 1}).value_or(out.onTime);
        in.finish();
    }

    void readService(ObjectReader& in, const std::set<std::string>& pools) {
        FleetService service;
        ServiceTraffic traffic;
        in.require({"name", "scenario", "traffic"});
        service.name = in.text("name").value_or("");
        readScenario(in, service.spec);
        if (std::optional<ObjectReader> targets = in.object("targets"))
            readTargets(*targets, service);
        service.scaling = scaling_;
        if (std::optional<ObjectReader> scaling = in.object("autoscaling"))
            readScaling(*scaling, service.scaling);
        if (std::optional<ObjectReader> asked = in.object("traffic"))
            TrafficReader(file_, stop_).read(*asked, service, traffic, others_);
        service.searchLayouts = in.choice("layouts", {"given", "search"}).value_or(0) == 1;
        service.pools = in.texts("pools");
        for (const std::string& each : service.pools) {
            if (!pools.contains(each)) {
                in.fault("pools", "there is no pool '" + each + "'" +
                                      suggestion(each, std::vector<std::string>(pools.begin(), pools.end())));
            }
        }
        in.finish();
        if (service.scaling.interval != scaling_.interval)
            in.fault("autoscaling", "has its own interval; all services of a fleet share one");
        out_.fleet.services.push_back(std::move(service));
        out_.traffic.push_back(std::move(traffic));
    }

    const std::string& file_;
    const std::stop_token& stop_;
    std::vector<JsonFault> faults_;
    std::vector<std::string> others_; // faults of other files, with their names
    ScalingPolicy scaling_;
    FleetFile out_;
};

} // namespace

void alignPeriods(Fleet& fleet) {
    double period = 0;
    for (const FleetService& each : fleet.services)
        period = std::max(period, each.traffic.period());
    for (FleetService& each : fleet.services)
        each.traffic = repeated(each.traffic, period);
}

FleetReading readFleet(std::string_view text, const std::string& file, const std::stop_token& stop) {
    return FleetReader(file, stop).read(text);
}

bool isFleet(std::string_view text) {
    const Result<nlohmann::json> json = parseJson(text);
    return json && json->is_object() && json->contains("fleet");
}

} // namespace alidade::data
