// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/policy_json.h"

#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <algorithm>
#include <array>
#include <set>

namespace alidade::data {
namespace {

/// A limit with its key and range; a unit that is not in the key is given with the range.
struct LimitField {
    const char* key;
    double HealthLimits::* member;
    NumberRange range;
};

const std::array limitFields{
    LimitField{"straggler_time", &HealthLimits::stragglerTime, {1, 10, "x the median"}},
    LimitField{"straggler_clock", &HealthLimits::stragglerClock, {0.1, 1, "x the median"}},
    LimitField{"retransmit_share", &HealthLimits::retransmitShare, {1e-9, 1, "of the bytes sent"}},
    LimitField{"single_bit_errors", &HealthLimits::singleBitErrors, {0, 1e9, "errors"}},
    LimitField{"single_bit_growth", &HealthLimits::singleBitGrowth, {1, 1000, "x the previous window"}},
    LimitField{"stall_steps", &HealthLimits::stallSteps, {1, 1000, "step times"}},
};

template <class Range, class ToName>
std::vector<std::string> namesOf(const Range& range, ToName toName) {
    std::vector<std::string> out;
    for (const auto each : range)
        out.emplace_back(toName(each));
    return out;
}

/// Reads a code: row remapping uses keywords in the file, XID uses numbers.
int readCode(ObjectReader& in, FaultKind kind) {
    if (kind == FaultKind::xid)
        return in.integer("code", 0, 9999).value_or(0);
    if (kind == FaultKind::rowRemap) {
        const std::optional<std::size_t> word = in.choice("code", {"failure", "pending"});
        return !word ? 0 : *word == 0 ? remapFailed : remapPending;
    }
    if (in.has("code")) {
        in.fault("code", "only xid and row_remap have codes; remove it");
        in.allow("code");
    }
    return 0;
}

HealthRule readRule(ObjectReader& in) {
    static const std::vector<std::string> faults = namesOf(allFaultKinds(), faultName);
    static const std::vector<std::string> actions = namesOf(allHealthActions(), actionName);
    HealthRule rule;
    in.require({"fault", "action", "meaning"});
    if (const std::optional<std::size_t> fault = in.choice("fault", faults)) {
        rule.kind = allFaultKinds()[*fault];
        rule.code = readCode(in, rule.kind);
    } else {
        in.allow("code");
    }
    if (const std::optional<std::size_t> action = in.choice("action", actions))
        rule.action = allHealthActions()[*action];
    rule.meaning = in.text("meaning").value_or("");
    rule.advice = in.text("advice").value_or("");
    rule.source = in.text("source").value_or("");
    in.finish();
    return rule;
}

HealthLimits readLimits(ObjectReader& in) {
    HealthLimits limits;
    for (const LimitField& field : limitFields)
        limits.*field.member = in.number(field.key, field.range).value_or(limits.*field.member);
    limits.gpusPerNode = in.integer("gpus_per_node", 0, 1024, "GPUs").value_or(limits.gpusPerNode);
    in.finish();
    return limits;
}

HealthPolicy readPolicy(ObjectReader& in) {
    HealthPolicy policy;
    in.require({"id", "name", "rules"});
    policy.id = in.text("id").value_or("");
    policy.name = in.text("name").value_or("");
    policy.source = in.text("source").value_or("");
    if (std::optional<ObjectReader> limits = in.object("limits"))
        policy.limits = readLimits(*limits);
    std::set<std::pair<FaultKind, int>> seen;
    for (ObjectReader& each : in.objects("rules")) {
        const std::size_t before = faultCount(each.faults());
        HealthRule rule = readRule(each);
        if (faultCount(each.faults()) == before && !seen.insert({rule.kind, rule.code}).second) {
            each.fault("code", "this policy already has a rule for " + std::string(faultName(rule.kind)) +
                                   (rule.code != 0 ? " " + std::to_string(rule.code) : std::string()) +
                                   "; remove one");
        }
        policy.rules.push_back(std::move(rule));
    }
    in.finish();
    return policy;
}

void writeRule(JsonWriter& out, const HealthRule& rule) {
    out.beginObject("");
    out.text("fault", faultName(rule.kind));
    if (rule.kind == FaultKind::rowRemap && rule.code != 0)
        out.text("code", rule.code == remapFailed ? "failure" : "pending");
    else if (rule.code != 0)
        out.integer("code", rule.code);
    out.text("action", actionName(rule.action));
    out.text("meaning", rule.meaning);
    out.text("advice", rule.advice);
    out.text("source", rule.source);
    out.endObject();
}

} // namespace

std::vector<HealthPolicy> readHealthPolicies(const nlohmann::json& document, std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(document, {}, faults);
    in.require({"alidade", "kind", "policies"});
    in.integer("alidade", 1, 1);
    in.choice("kind", {std::string(healthPoliciesKind)});
    in.text("version");
    in.texts("notes");
    in.allow("sources");
    std::vector<HealthPolicy> out;
    std::set<std::string> ids;
    for (ObjectReader& each : in.objects("policies")) {
        out.push_back(readPolicy(each));
        if (!out.back().id.empty() && !ids.insert(out.back().id).second)
            each.fault("id", "duplicate id '" + out.back().id + "'; give each policy a unique id");
    }
    in.finish();
    if (faultCount(faults) != before)
        out.clear();
    return out;
}

Result<std::vector<HealthPolicy>> readHealthPolicies(const std::string& file, std::string_view text) {
    const Result<nlohmann::json> document = parseJson(text);
    if (!document)
        return Error{file + ": " + document.error()};
    std::vector<JsonFault> faults;
    std::vector<HealthPolicy> out = readHealthPolicies(*document, faults);
    if (!faults.empty())
        return Error{alidade::data::text(file, faults.front())};
    if (out.empty())
        return Error{file + ":/policies: no policies; add at least one"};
    return out;
}

std::string writeHealthPolicies(const std::vector<HealthPolicy>& policies) {
    JsonWriter out;
    out.beginObject("");
    out.integer("alidade", 1);
    out.text("kind", healthPoliciesKind);
    out.beginArray("policies");
    for (const HealthPolicy& policy : policies) {
        out.beginObject("");
        out.text("id", policy.id);
        out.text("name", policy.name);
        out.text("source", policy.source);
        out.beginObject("limits");
        for (const LimitField& field : limitFields)
            out.number(field.key, policy.limits.*field.member);
        out.integer("gpus_per_node", policy.limits.gpusPerNode);
        out.endObject();
        out.beginArray("rules");
        for (const HealthRule& rule : policy.rules)
            writeRule(out, rule);
        out.endArray();
        out.endObject();
    }
    out.endArray();
    out.endObject();
    return out.take();
}

const std::vector<HealthPolicy>& shippedHealthPolicies() {
    static const std::vector<HealthPolicy> policies = [] {
        const std::string file = "health_policies.json";
        Result<std::vector<HealthPolicy>> read = readHealthPolicies(file, shippedDocument(file));
        return read ? *std::move(read) : std::vector<HealthPolicy>();
    }();
    return policies;
}

} // namespace alidade::data
