// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/catalog/left_out_errors.h"

#include "data/catalog/profile_json.h"
#include "data/catalog/shipped.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <algorithm>

namespace alidade::data {

namespace {

bool isSame(const Profile& a, const Profile& b) {
    return a.name == b.name && a.date == b.date &&
           std::ranges::equal(a.parameters, b.parameters, [](const Parameter& x, const Parameter& y) {
               return x.name == y.name && x.gpu == y.gpu && x.precision == y.precision &&
                      x.stack == y.stack && x.value == y.value;
           });
}

} // namespace

std::optional<ErrorFigures> leftOutErrors(const Profile& profile) {
    const Result<nlohmann::json> document = parseJson(shippedDocument("calibration.json"));
    if (!document)
        return std::nullopt;
    std::vector<JsonFault> faults;
    const std::optional<Profile> shipped = readProfile(*document, "", faults);
    if (!shipped || !isSame(*shipped, profile))
        return std::nullopt;
    ObjectReader in(*document, "", faults);
    std::optional<ObjectReader> error = in.object("error");
    std::optional<ObjectReader> leftOut = error ? error->object("leave_one_out") : std::nullopt;
    if (!leftOut)
        return std::nullopt;
    const std::optional<double> median = leftOut->number("median_abs_error");
    const std::optional<double> mean = leftOut->number("mean_abs_error");
    if (!median || !mean)
        return std::nullopt;
    return ErrorFigures{*median, *mean};
}

} // namespace alidade::data
