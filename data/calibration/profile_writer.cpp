// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/calibration/profile_writer.h"

#include "data/json/json.h"
#include "data/json/writer.h"

#include <array>
#include <charconv>
#include <limits>

namespace alidade::data {

namespace {

std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Returns the shortest text of the value with the given number of significant digits.
std::string number(double value, int digits = std::numeric_limits<double>::max_digits10) {
    std::array<char, 40> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::scientific, digits - 1);
    double rounded = value;
    std::from_chars(text.data(), end.ptr, rounded);
    return jsonNumber(rounded);
}

using Members = std::vector<std::pair<const char*, std::string>>;

/// Returns a JSON object on one line.
std::string object(const Members& members) {
    std::string out = "{";
    for (const auto& [key, value] : members)
        out += (out.size() > 1 ? ", \"" : "\"") + std::string(key) + "\": " + value;
    return out + "}";
}

constexpr int digits = 6, roughly = 3;

std::string parameterText(const Parameter& p) {
    const bool fitted = p.prior.has_value();
    Members out = {{"name", quoted(p.name)},
                   {"gpu", quoted(p.gpu)},
                   {"precision", quoted(p.precision)},
                   {"stack", quoted(p.stack)},
                   {"value", fitted ? number(p.value, digits) : number(p.value)},
                   {"unit", quoted(p.unit)},
                   {"log_sd", fitted ? number(p.logSd, roughly) : number(p.logSd)},
                   {"source", quoted(p.source.str())},
                   {"kind", p.kind == SourceKind::fitted ? "\"fitted\"" : "\"assumed\""}};
    if (fitted) {
        out.emplace_back("data_share", number(p.dataShare, roughly));
        out.emplace_back("prior",
                         object({{"value", number(p.prior->value)}, {"log_sd", number(p.prior->logSd)}}));
    }
    return object(out);
}

std::string figures(const ErrorFigures& error) {
    return object({{"median_abs_error", number(error.median, roughly)},
                   {"mean_abs_error", number(error.mean, roughly)}});
}

/// Returns `"key": [...]` with one element per line.
template <class Range, class ToText>
std::string lines(const char* key, const Range& range, ToText toText) {
    std::string out = "  \"" + std::string(key) + "\": [";
    const char* separator = "\n";
    for (const auto& each : range) {
        out += separator + ("    " + toText(each));
        separator = ",\n";
    }
    return out + (range.empty() ? "]" : "\n  ]");
}

} // namespace

std::string writeProfile(const Profile& profile, const FitRecord& record) {
    const auto errors = [](const auto& of) {
        return Members{{"before", figures(of.before)},
                       {"after", figures(of.after)},
                       {"leave_one_out", figures(of.leftOutModel)}};
    };
    auto all = errors(record);
    if (record.serving)
        all.emplace_back("serving", object(errors(*record.serving)));
    ProfileOrigin origin;
    origin.error = object(all);
    for (const FitRecord::Publication& p : record.fittedTo)
        origin.fittedTo.push_back(object({{"title", quoted(p.title)}, {"rows", number(p.rows)}}));
    return writeProfile(profile, origin);
}

std::string writeProfile(const Profile& profile, const ProfileOrigin& origin) {
    std::string out = "{\n  \"alidade\": 1,\n  \"name\": " + quoted(profile.name) +
                      ",\n  \"date\": " + quoted(profile.date) + ",\n" +
                      lines("parameters", profile.parameters, parameterText) + ",\n" +
                      lines("fitted_to", origin.fittedTo, [](const std::string& text) { return text; }) +
                      ",\n  \"error\": " + origin.error;
    for (const auto& [key, value] : origin.lists)
        out += ",\n  " + quoted(key) + ": " + value;
    return out + "\n}\n";
}

} // namespace alidade::data
