// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/calibration/live_profile.h"

#include "data/calibration/profile_writer.h"
#include "data/json/json.h"
#include "data/json/writer.h"

#include <cmath>

namespace alidade::data {

namespace {

using Json = nlohmann::ordered_json;

Json numberOrNull(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string line(const Json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Json errorJson(const ErrorFigures& error) {
    return {{"median_abs_error", numberOrNull(error.median)}, {"mean_abs_error", numberOrNull(error.mean)}};
}

Json errorsJson(const LiveCalibration& c) {
    Json out = {{"of", c.quantity}, {"before", errorJson(c.before)}, {"after", errorJson(c.after)}};
    out["leave_one_out"] = c.leftOut ? errorJson(*c.leftOut) : Json(nullptr);
    return out;
}

Json excludedJson(const LiveCalibration& c) {
    Json out = Json::array();
    for (const ExcludedWindow& window : c.excluded)
        out.push_back({{"start_s", window.start}, {"end_s", window.end}, {"why", window.why}});
    return out;
}

Json parameterJson(const CalibratedParameter& p) {
    Json out = {{"name", p.name},
                {"label", p.label},
                {"unit", p.unit},
                {"before", numberOrNull(p.before)},
                {"after", numberOrNull(p.after)},
                {"low", numberOrNull(p.low)},
                {"high", numberOrNull(p.high)},
                {"interval", p.interval}};
    if (p.applied) {
        out["log_sd"] = p.logSd;
        out["data_share"] = p.dataShare;
        out["changed"] = p.changed;
    }
    out["how"] = p.how;
    return out;
}

Json sourceJson(const LiveCalibration& c) {
    Json out = {{"title", c.source},
                {"evidence", evidenceWord(c.evidence)},
                {"rows", c.samples},
                {"spread", c.spread}};
    if (c.end > 0) {
        out["start_s"] = c.start;
        out["end_s"] = c.end;
    }
    return out;
}

} // namespace

std::string_view evidenceWord(CalibrationEvidence evidence) {
    switch (evidence) {
    case CalibrationEvidence::serving:
        return "serving_metrics";
    case CalibrationEvidence::training:
        return "training_metrics";
    case CalibrationEvidence::collectives:
        return "nccl_tests";
    case CalibrationEvidence::stepTimes:
        return "step_times";
    case CalibrationEvidence::benchmark:
        return "benchmark";
    }
    return {};
}

std::string writeLiveProfile(const LiveCalibration& c, const std::string& name, const std::string& date) {
    Profile profile = c.profile;
    profile.name = name;
    profile.date = date;
    ProfileOrigin origin;
    Json source = sourceJson(c);
    source["excluded"] = excludedJson(c);
    origin.fittedTo.push_back(line(source));
    origin.error = line(errorsJson(c));
    std::string measured = "[";
    for (const CalibratedParameter& p : c.parameters)
        if (!p.applied)
            measured += (measured.size() > 1 ? ",\n    " : "\n    ") + line(parameterJson(p));
    origin.lists.emplace_back("measured", measured + (measured.size() > 1 ? "\n  ]" : "]"));
    origin.lists.emplace_back("notes", line(c.notes));
    return writeProfile(profile, origin);
}

std::string writeLiveCalibration(const LiveCalibration& c, const std::string& name, const std::string& file) {
    Json out = {{"alidade", 1}, {"name", name}};
    out["file"] = file.empty() ? Json(nullptr) : Json(file);
    out["source"] = sourceJson(c);
    Json measured = Json::array(), parameters = Json::array(), confounded = Json::array();
    for (const CalibratedParameter& p : c.parameters)
        (p.applied ? parameters : measured).push_back(parameterJson(p));
    for (const ConfoundedPair& pair : c.confounded) {
        confounded.push_back({{"first", c.parameters[pair.first].name},
                              {"second", c.parameters[pair.second].name},
                              {"correlation", pair.correlation}});
    }
    out["measured"] = std::move(measured);
    out["parameters"] = std::move(parameters);
    out["confounded"] = std::move(confounded);
    out["excluded"] = excludedJson(c);
    out["error"] = errorsJson(c);
    out["notes"] = c.notes;
    return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace alidade::data
