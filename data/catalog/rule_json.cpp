// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/rule_json.h"

#include "data/json/json.h"

#include <algorithm>
#include <cctype>

namespace alidade::data {
namespace {

bool isLabelName(std::string_view text) {
    const auto word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
           std::ranges::all_of(text, word);
}

const std::vector<std::string>& signalIds() {
    static const std::vector<std::string> ids = [] {
        std::vector<std::string> out;
        for (const SignalInfo& info : allSignals())
            out.emplace_back(info.id);
        return out;
    }();
    return ids;
}

template <class Enum>
std::vector<std::string> words(Enum last) {
    std::vector<std::string> out;
    for (int i = 0; i <= static_cast<int>(last); ++i)
        out.emplace_back(name(static_cast<Enum>(i)));
    return out;
}

const std::vector<std::string>& kindNames() {
    static const std::vector<std::string> out = words(MetricKind::progress);
    return out;
}

const std::vector<std::string>& combineNames() {
    static const std::vector<std::string> out = words(Combine::smallest);
    return out;
}

/// Reads one name or several.
std::vector<std::string> readMetrics(ObjectReader& in) {
    const nlohmann::json* value = in.value("metric");
    std::vector<std::string> out;
    if (value != nullptr && value->is_array())
        out = in.texts("metric");
    else if (const std::optional<std::string> one = in.text("metric"))
        out.push_back(*one);
    if (out.empty() || std::ranges::any_of(out, &std::string::empty)) {
        in.fault("metric", "not a metric name; use \"DCGM_FI_DEV_SM_CLOCK\" or a list of names");
        return {};
    }
    return out;
}

/// Checks that the parts of a rule are consistent.
void checkTogether(const MetricRule& rule, ObjectReader& in) {
    const SignalInfo& info = signalInfo(rule.signal);
    const bool fraction = rule.kind == MetricKind::ratio || rule.kind == MetricKind::quotient;
    if (fraction && rule.divisor.empty())
        in.fault("divisor", "missing; a " + std::string(name(rule.kind)) + " requires a metric to divide by");
    if (!fraction && !rule.divisor.empty())
        in.fault("divisor", "only a ratio or a quotient has one; use \"kind\": \"ratio\" for counters");
    if (rule.kind == MetricKind::info && rule.figures.empty())
        in.fault("figures", "missing; list the labels whose product is the value");
    if (rule.kind != MetricKind::info && !rule.figures.empty())
        in.fault("figures", "only \"kind\": \"info\" reads values from labels");
    if (info.kind == SignalKind::events && rule.kind != MetricKind::counter)
        in.fault("kind", "an event count requires a counter");
    if (info.kind == SignalKind::code && rule.kind != MetricKind::gauge)
        in.fault("kind", "a code requires a gauge");
    if (info.kind == SignalKind::gauge && rule.kind == MetricKind::counter)
        in.fault("kind", "'" + std::string(info.id) + "' is not a rate; use \"gauge\"");
    if (rule.perGpu && info.scope != SignalScope::job)
        in.fault("per_gpu", "only a metric of a job can be per GPU");
    if (!rule.part.empty() && info.kind != SignalKind::code && info.scope != SignalScope::node)
        in.fault("part", "only metrics of a node and codes can have another label");
}

} // namespace

bool isLabelList(std::string_view text) {
    const std::vector<std::string> each = alternatives(text);
    return !each.empty() && std::ranges::all_of(each, isLabelName) && text.back() != '|' &&
           text.front() != '|' && text.find("||") == std::string_view::npos;
}

std::optional<std::string> selectorFault(std::string_view text) {
    std::size_t at = 0;
    const auto wrong = [&](std::string what) {
        return std::optional(what + " at '" + std::string(text.substr(std::min(at, text.size()), 20)) +
                             "'; use matchers such as device=\"rdmap0s6\",port=~\"1|2\"");
    };
    while (at < text.size()) {
        std::size_t end = at;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
            ++end;
        if (!isLabelName(text.substr(at, end - at)))
            return wrong("no label");
        at = end;
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("!=") || rest.starts_with("=~") || rest.starts_with("!~"))
            at += 2;
        else if (rest.starts_with('='))
            at += 1;
        else
            return wrong("no =, !=, =~ or !~");
        if (at >= text.size() || text[at] != '"')
            return wrong("no quoted value");
        ++at;
        while (at < text.size() && text[at] != '"')
            at += text[at] == '\\' ? 2 : 1;
        if (at >= text.size())
            return wrong("no closing quote");
        ++at;
        if (at < text.size() && (text[at] != ',' || at + 1 == text.size()))
            return wrong("no comma and another matcher");
        ++at;
    }
    return std::nullopt;
}

std::vector<MetricRule> readRules(ObjectReader& in) {
    MetricRule rule;
    in.require({"signal", "metric"});
    const std::optional<std::size_t> signal = in.choice("signal", signalIds());
    const std::vector<std::string> metrics = readMetrics(in);
    rule.divisor = in.text("divisor").value_or("");
    rule.selector = in.text("selector").value_or("");
    if (const std::optional<std::string> wrong = selectorFault(rule.selector))
        in.fault("selector", *wrong);
    rule.kind = static_cast<MetricKind>(in.choice("kind", kindNames()).value_or(0));
    rule.scale = in.number("scale", {1e-30, 1e30}).value_or(1);
    rule.unit = in.text("unit").value_or("");
    rule.largest = in.number("largest", {0, 1e30}).value_or(0);
    rule.note = in.text("note").value_or("");
    rule.instead = in.text("instead").value_or("");
    rule.source = in.text("source").value_or("");
    for (const auto& [key, member] : {std::pair{"host", &MetricRule::host}, {"part", &MetricRule::part}}) {
        rule.*member = in.text(key).value_or("");
        if (!(rule.*member).empty() && !isLabelList(rule.*member))
            in.fault(key, "'" + rule.*member + "' is not a label; use \"instance\"");
    }
    rule.copies = in.texts("copies");
    rule.figures = in.texts("figures");
    for (const auto& [key, names] : {std::pair{"copies", &rule.copies}, {"figures", &rule.figures}})
        if (!std::ranges::all_of(*names, isLabelName))
            in.fault(key, "not a list of labels; use [\"tp_rank\"]");
    rule.combine = static_cast<Combine>(in.choice("combine", combineNames()).value_or(0));
    rule.perGpu = in.boolean("per_gpu").value_or(false);
    rule.signOnly = in.boolean("sign_only").value_or(false);
    in.finish();
    if (!signal)
        return {};
    rule.signal = allSignals()[*signal].signal;
    checkTogether(rule, in);
    std::vector<MetricRule> out;
    for (const std::string& metric : metrics) {
        out.push_back(rule);
        out.back().metric = metric;
    }
    return out;
}

void writeRule(const MetricRule& rule, JsonWriter& out) {
    const auto text = [&out](std::string_view key, const std::string& value) {
        if (!value.empty())
            out.text(key, value);
    };
    const auto texts = [&out](std::string_view key, const std::vector<std::string>& values) {
        if (values.empty())
            return;
        out.beginArray(key);
        for (const std::string& value : values)
            out.text({}, value);
        out.endArray();
    };
    out.beginObject({});
    out.text("signal", signalInfo(rule.signal).id);
    out.text("metric", rule.metric);
    text("divisor", rule.divisor);
    text("selector", rule.selector);
    out.text("kind", name(rule.kind));
    out.number("scale", rule.scale);
    text("unit", rule.unit);
    if (rule.largest > 0)
        out.number("largest", rule.largest);
    text("note", rule.note);
    text("instead", rule.instead);
    text("source", rule.source);
    text("host", rule.host);
    text("part", rule.part);
    texts("copies", rule.copies);
    texts("figures", rule.figures);
    if (rule.combine != Combine::automatic)
        out.text("combine", name(rule.combine));
    if (rule.perGpu)
        out.flag("per_gpu", true);
    if (rule.signOnly)
        out.flag("sign_only", true);
    out.endObject();
}

} // namespace alidade::data
