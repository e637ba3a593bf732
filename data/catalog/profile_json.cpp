// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/profile_json.h"

#include "data/catalog/provenance_json.h"
#include "data/json/gate.h"
#include "data/json/json.h"

#include <set>

namespace alidade::data {
namespace {

Parameter readParameter(ObjectReader& in) {
    Parameter out;
    in.require({"name", "value", "unit", "source"});
    out.name = in.text("name").value_or("");
    out.gpu = in.text("gpu").value_or("*");
    out.precision = in.text("precision").value_or("*");
    out.stack = in.text("stack").value_or("*");
    out.unit = in.text("unit").value_or("");
    const double high = out.unit == "ratio" ? 1 : std::numeric_limits<double>::max();
    out.value = in.number("value", {0, high, out.unit}).value_or(0);
    out.logSd = in.number("log_sd", {0, 10}).value_or(0);
    out.source = in.text("source").value_or("");
    out.dataShare = in.number("data_share", {0, 1}).value_or(0);
    if (std::optional<ObjectReader> prior = in.object("prior")) {
        prior->require({"value", "log_sd"});
        const double value = prior->number("value", {0, high, out.unit}).value_or(0);
        out.prior = {value, prior->number("log_sd", {0, 10}).value_or(0)};
        prior->finish();
    }
    const std::optional<std::size_t> kind = in.choice("kind", {"fitted", "assumed"});
    out.kind = kind && *kind == 0 ? SourceKind::fitted : SourceKind::assumed;
    in.finish();
    return out;
}

} // namespace

std::optional<Profile> readProfile(const nlohmann::json& value, const std::string& pointer,
                                   std::vector<JsonFault>& faults) {
    const std::size_t before = faultCount(faults);
    ObjectReader in(value, pointer, faults);
    in.require({"alidade", "name", "date", "parameters"});
    in.integer("alidade", 1, 1);
    Profile out;
    out.name = in.text("name").value_or("");
    out.date = in.text("date").value_or("");
    if (!out.date.empty() && !isDate(out.date))
        in.fault("date", "'" + out.date + "' is not a date; use the form \"2026-11-20\"");
    std::set<std::string> seen;
    for (ObjectReader& parameter : in.objects("parameters")) {
        Parameter& p = out.parameters.emplace_back(readParameter(parameter));
        if (!seen.insert(p.name + '\n' + p.gpu + '\n' + p.precision + '\n' + p.stack).second)
            parameter.fault("name",
                            "duplicate '" + p.name + "' for the same gpu, precision and stack; remove one");
    }
    in.allow("fitted_to");
    in.allow("error");
    in.allow("measured");
    in.allow("notes");
    in.finish();
    if (faultCount(faults) != before)
        return std::nullopt;
    return out;
}

std::optional<Profile> readProfileText(const std::string& text) {
    const Result<nlohmann::json> document = parseJson(text);
    std::vector<JsonFault> faults;
    return document ? readProfile(*document, {}, faults) : std::nullopt;
}

} // namespace alidade::data
