// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/mapping_json.h"

#include "data/catalog/rule_json.h"
#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <set>

namespace alidade::data {
namespace {

using LabelMember = std::string LabelNames::*;

struct LabelField {
    const char* key;
    LabelMember member;
};

constexpr LabelField labelFields[] = {
    {"host", &LabelNames::host},          {"gpu", &LabelNames::gpu}, {"device", &LabelNames::device},
    {"engine", &LabelNames::engine},      {"job", &LabelNames::job}, {"model", &LabelNames::model},
    {"batch_job", &LabelNames::batchJob},
};

LabelNames readLabels(ObjectReader& in) {
    LabelNames out;
    std::optional<ObjectReader> labels = in.object("labels");
    if (!labels)
        return out;
    for (const LabelField& field : labelFields) {
        if (const std::optional<std::string> text = labels->text(field.key)) {
            out.*field.member = *text;
            if (!isLabelList(*text))
                labels->fault(field.key,
                              "'" + *text + "' is not a label; use \"Hostname\" or \"Hostname|hostname\"");
        }
    }
    labels->finish();
    return out;
}

/// Reads the hints for signals that are missing.
std::vector<MissingSignal> readHints(ObjectReader& in) {
    std::vector<MissingSignal> out;
    std::optional<ObjectReader> hints = in.object("absent");
    if (!hints)
        return out;
    for (const SignalInfo& info : allSignals())
        if (const std::optional<std::string> text = hints->text(info.id))
            out.push_back({info.signal, *text});
    hints->finish();
    return out;
}

/// Reads what a mapping and a preset have in common.
MetricMapping readBody(ObjectReader& in) {
    MetricMapping out;
    in.require({"id", "name", "rules"});
    out.id = in.text("id").value_or("");
    out.name = in.text("name").value_or("");
    out.probe = in.text("probe").value_or("");
    out.labels = readLabels(in);
    out.absent = readHints(in);
    const std::vector<std::string> copies = in.texts("copies");
    for (ObjectReader& rule : in.objects("rules")) {
        for (MetricRule& each : readRules(rule)) {
            if (each.copies.empty())
                each.copies = copies;
            out.rules.push_back(std::move(each));
        }
    }
    return out;
}

MetricMapping readPreset(ObjectReader& in, const std::set<std::string>& sources) {
    MetricMapping out = readBody(in);
    in.require({"sources"});
    for (const std::string& source : in.texts("sources"))
        if (!sources.contains(source))
            in.fault("sources", "'" + source + "' is not a source of this document");
    in.finish();
    return out;
}

} // namespace

std::optional<std::vector<MetricMapping>>
readMetricPresets(const nlohmann::json& value, const std::string& pointer, std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(value, pointer, faults);
    in.require({"alidade", "kind", "version", "sources", "presets"});
    in.integer("alidade", 1, 1);
    in.choice("kind", {std::string(metricsKind)});
    in.text("version");
    in.texts("notes");
    std::set<std::string> sources;
    if (std::optional<ObjectReader> all = in.object("sources")) {
        for (const std::string& key : all->keys()) {
            sources.insert(key);
            if (std::optional<ObjectReader> source = all->object(key)) {
                source->require({"title"});
                for (const char* text : {"title", "url", "path", "date", "authority"})
                    source->text(text);
                source->finish();
            }
        }
    }
    std::vector<MetricMapping> out;
    std::set<std::string> ids;
    for (ObjectReader& preset : in.objects("presets")) {
        out.push_back(readPreset(preset, sources));
        if (!ids.insert(out.back().id).second)
            preset.fault("id", "duplicate id '" + out.back().id + "'");
    }
    in.finish();
    return faultCount(faults) == before ? std::optional(std::move(out)) : std::nullopt;
}

const std::vector<MetricMapping>& metricPresets() {
    static const std::vector<MetricMapping> presets = [] {
        std::vector<JsonFault> faults;
        const Result<nlohmann::json> document = parseJson(shippedDocument("metrics.json"));
        auto read = document ? readMetricPresets(*document, {}, faults) : std::nullopt;
        return read ? std::move(*read) : std::vector<MetricMapping>();
    }();
    return presets;
}

Result<MetricMapping> readMapping(std::string_view text, const std::string& file) {
    const Result<nlohmann::json> document = parseJson(text);
    if (!document)
        return Error{file + ": " + document.error()};
    std::vector<JsonFault> faults;
    ObjectReader in(*document, {}, faults);
    in.require({"alidade", "kind"});
    in.integer("alidade", 1, 1);
    in.choice("kind", {std::string(mappingKind)});
    MetricMapping out = readBody(in);
    in.finish();
    if (faults.empty())
        return out;
    std::string message;
    for (const JsonFault& fault : faults)
        message += (message.empty() ? "" : "\n") + data::text(file, fault);
    return Error{message};
}

std::string writeMapping(const MetricMapping& mapping) {
    JsonWriter out;
    out.beginObject({});
    out.integer("alidade", 1);
    out.text("kind", mappingKind);
    out.text("id", mapping.id);
    out.text("name", mapping.name);
    if (!mapping.probe.empty())
        out.text("probe", mapping.probe);
    out.beginObject("labels");
    for (const LabelField& field : labelFields)
        out.text(field.key, mapping.labels.*field.member);
    out.endObject();
    out.beginArray("rules");
    for (const MetricRule& rule : mapping.rules)
        writeRule(rule, out);
    out.endArray();
    out.endObject();
    return out.take();
}

} // namespace alidade::data
