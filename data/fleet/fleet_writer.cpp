// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/fleet/fleet_file.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <filesystem>

namespace alidade::data {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// A rewritten name keeps its sense: it is relative to the folder of the new document, or absolute.
class Names {
public:
    Names(const std::string& from, const std::string& to)
        : from_(fs::path(from).parent_path())
        , to_(fs::path(to).parent_path()) {}

    bool isNeeded() const { return from_.lexically_normal() != to_.lexically_normal(); }
    void rewrite(Json& object, const char* key, bool onlyIfThere) const {
        const auto found = object.is_object() ? object.find(key) : object.end();
        if (found == object.end() || !found->is_string())
            return;
        const fs::path name(found->get<std::string>());
        std::error_code fault;
        if (name.is_absolute() || (onlyIfThere && !fs::exists(from_ / name, fault)))
            return;
        const fs::path whole = fs::absolute(from_ / name, fault).lexically_normal();
        const fs::path folder = fs::absolute(to_.empty() ? fs::path(".") : to_, fault).lexically_normal();
        const fs::path relative = whole.lexically_proximate(folder);
        *found = (relative.empty() ? whole : relative).generic_string();
    }

private:
    fs::path from_, to_;
};

void put(Json& object, const char* key, const std::optional<double>& value) {
    if (value)
        object[key] = *value;
    else
        object[key] = nullptr; // over what the scenario says
}

/// A member of the document that may be absent; "{}" puts one there.
Json& member(Json& object, const char* key) {
    if (!object.contains(key) || !object[key].is_object())
        object[key] = Json::object();
    return object[key];
}

void editTargets(Json& out, const FleetService& read, const FleetService& edited) {
    const WorkloadSpec &before = read.spec.workload, &after = edited.spec.workload;
    if (before.ttftSloS != after.ttftSloS)
        put(member(out, "targets"), "ttft_slo_s", after.ttftSloS);
    if (before.itlSloS != after.itlSloS)
        put(member(out, "targets"), "itl_slo_s", after.itlSloS);
}

void editTraffic(Json& out, const ServiceTraffic& read, const ServiceTraffic& edited) {
    Json& traffic = member(out, "traffic");
    if (read.trace != edited.trace) {
        Json traced{{"trace", edited.file}};
        const bool tellsPrefixes = edited.trace && !edited.trace->trace.blocks.empty();
        for (const char* key : {"prefix_cache_tokens", "prefix_cache_hit"})
            if (traffic.contains(key) && !(tellsPrefixes && key == std::string_view("prefix_cache_hit")))
                traced[key] = traffic[key];
        traffic = std::move(traced);
        if (edited.scale != 1)
            traffic["scale"] = edited.scale;
    } else if (read.scale != edited.scale) {
        traffic["scale"] = edited.scale;
    }
}

/// All services start alike once that was edited.
void editStarts(Json& fleet, const Fleet& read, const Fleet& edited) {
    const auto edit = [&](const char* key, double ScalingPolicy::* field) {
        bool differs = false;
        for (std::size_t i = 0; i < read.services.size(); ++i)
            differs = differs || read.services[i].scaling.*field != edited.services[i].scaling.*field;
        if (!differs)
            return;
        member(fleet, "autoscaling")[key] = edited.services.front().scaling.*field;
        for (Json& each : fleet["services"])
            if (each.contains("autoscaling"))
                each["autoscaling"].erase(key);
    };
    edit("instance_start_s", &ScalingPolicy::instanceStart);
    edit("engine_start_s", &ScalingPolicy::engineStart);
}

void editPool(Json& out, const FleetPool& read, const FleetPool& edited) {
    if (read.maxInstances != edited.maxInstances)
        out["instances"] = edited.maxInstances;
    if (read.spares != edited.spares)
        out["spare_instances"] = edited.spares;
    if (!edited.base) {
        out.erase("base");
    } else if (!read.base || read.base->purchase != edited.base->purchase) {
        out["base"] = Json{{"purchase", edited.base->purchase}};
        if (edited.base->dollarsPerInstanceHour)
            out["base"]["dollars_per_instance_hour"] = *edited.base->dollarsPerInstanceHour;
    }
    if (edited.base && edited.baseInstances)
        out["base"]["instances"] = *edited.baseInstances;
    else if (edited.base)
        out["base"].erase("instances");
    if (read.burst.empty() && !edited.burst.empty())
        out["burst"] = Json::array({Json{{"purchase", edited.burst.front().purchase}}});
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which parseJson() has bounded
void write(JsonWriter& out, const std::string& key, const Json& value) {
    if (value.is_object()) {
        out.beginObject(key);
        for (const auto& [name, each] : value.items())
            write(out, name, each);
        out.endObject();
    } else if (value.is_array()) {
        out.beginArray(key);
        for (const Json& each : value)
            write(out, {}, each);
        out.endArray();
    } else if (value.is_string()) {
        out.text(key, value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
        out.flag(key, value.get<bool>());
    } else if (value.is_number_integer()) {
        out.integer(key, value.get<std::int64_t>());
    } else if (value.is_number()) {
        out.number(key, value.get<double>());
    } else {
        out.null(key);
    }
}

} // namespace

std::string writeFleet(const FleetFile& read, const FleetFile& edited, const std::string& path) {
    Json document = Json::parse(read.document);
    Json& fleet = document["fleet"];
    for (std::size_t i = 0; i < edited.fleet.services.size(); ++i) {
        Json& service = fleet["services"][i];
        editTargets(service, read.fleet.services[i], edited.fleet.services[i]);
        editTraffic(service, read.traffic[i], edited.traffic[i]);
    }
    for (std::size_t i = 0; i < edited.fleet.pools.size(); ++i)
        editPool(fleet["pools"][i], read.fleet.pools[i], edited.fleet.pools[i]);
    editStarts(fleet, read.fleet, edited.fleet);
    if (const Names names(read.path, path); names.isNeeded()) {
        for (Json& service : fleet["services"]) {
            names.rewrite(service, "scenario", true); // else the id of a shipped one
            names.rewrite(service["traffic"], "trace", false);
            names.rewrite(service["traffic"], "profile", false);
        }
    }
    JsonWriter out;
    write(out, {}, document);
    return out.take();
}

} // namespace alidade::data
