// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/observation/finding_marks_json.h"

#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/json/reader.h"

#include <cmath>

namespace alidade::data {

std::string writeFindingMarks(const FindingMarks& marks) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [key, mark] : marks) {
        if (mark.isEmpty())
            continue;
        nlohmann::ordered_json each = {{"finding", key}, {"acknowledged", mark.acknowledged}};
        if (mark.mutedUntil) // null: for good
            each["muted_until"] = std::isfinite(*mark.mutedUntil) ? nlohmann::ordered_json(*mark.mutedUntil)
                                                                  : nlohmann::ordered_json(nullptr);
        if (!mark.note.empty())
            each["note"] = mark.note;
        each["at"] = mark.at;
        list.push_back(std::move(each));
    }
    const nlohmann::ordered_json out = {{"alidade", 1}, {"findings", std::move(list)}};
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<FindingMarks> readFindingMarks(std::string_view json) {
    const Result<nlohmann::json> document = parseJson(json);
    if (!document)
        return Error{document.error()};
    std::vector<JsonFault> faults;
    ObjectReader root(*document, "", faults);
    root.require({"alidade", "findings"});
    root.integer("alidade", 1, 1);
    FindingMarks out;
    for (ObjectReader& each : root.objects("findings")) {
        each.require({"finding"});
        const std::string key = each.text("finding").value_or(std::string());
        FindingMark mark;
        mark.acknowledged = each.boolean("acknowledged").value_or(false);
        if (each.isNull("muted_until"))
            mark.mutedUntil = std::numeric_limits<double>::infinity();
        else if (const auto until = each.number("muted_until"))
            mark.mutedUntil = *until;
        each.allow("muted_until");
        mark.note = each.text("note").value_or(std::string());
        mark.at = each.number("at").value_or(0);
        each.finish();
        if (!key.empty() && !mark.isEmpty())
            out[key] = std::move(mark);
    }
    root.finish();
    if (!faults.empty())
        return Error{text("marks of findings", faults.front())};
    return out;
}

} // namespace alidade::data
