// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/calibration/profile_writer.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace alidade::data {

namespace {

using Json = nlohmann::ordered_json;

double rounded(double value, int digits) {
    if (value == 0 || !std::isfinite(value)) {
        return value;
    }
    const double scale = std::pow(10, digits - 1 - std::floor(std::log10(std::abs(value))));
    // A power of ten that is no whole number cannot be divided by without an error in the last place.
    return scale >= 1 ? std::round(value * scale) / scale : std::round(value * scale) * std::round(1 / scale);
}

Json parameterJson(const Parameter& p) {
    const bool fitted = p.prior.has_value();
    Json out = {{"name", p.name},
                {"gpu", p.gpu},
                {"precision", p.precision},
                {"stack", p.stack},
                {"value", fitted ? rounded(p.value, 6) : p.value},
                {"unit", p.unit},
                {"log_sd", fitted ? rounded(p.logSd, 3) : p.logSd},
                {"source", p.source},
                {"kind", p.kind == SourceKind::fitted ? "fitted" : "assumed"}};
    if (fitted) {
        out["data_share"] = rounded(p.dataShare, 3);
        out["prior"] = {{"value", p.prior->value}, {"log_sd", p.prior->logSd}};
    }
    return out;
}

Json figures(const ErrorFigures& error) {
    return {{"median_abs_error", rounded(error.median, 3)}, {"mean_abs_error", rounded(error.mean, 3)}};
}

/// `"key": [` and one element a line.
template <class Range, class ToJson>
std::string lines(const char* key, const Range& range, ToJson toJson) {
    std::string out = "  \"" + std::string(key) + "\": [";
    const char* separator = "\n";
    for (const auto& each : range) {
        out += separator + ("    " + toJson(each).dump());
        separator = ",\n";
    }
    return out + (range.empty() ? "]" : "\n  ]");
}

} // namespace

std::string writeProfile(const Profile& profile, const FitRecord& record) {
    const Json error = {{"before", figures(record.before)},
                        {"after", figures(record.after)},
                        {"leave_one_out", figures(record.leftOutModel)}};
    return "{\n  \"alidade\": 1,\n  \"name\": " + Json(profile.name).dump() +
           ",\n  \"date\": " + Json(profile.date).dump() + ",\n" +
           lines("parameters", profile.parameters, parameterJson) + ",\n" +
           lines("fitted_to", record.fittedTo,
                 [](const FitRecord::Publication& p) { return Json{{"title", p.title}, {"rows", p.rows}}; }) +
           ",\n  \"error\": " + error.dump() + "\n}\n";
}

} // namespace alidade::data
