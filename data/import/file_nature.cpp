// SPDX-License-Identifier: GPL-3.0-or-later
#include "data/import/file_nature.h"

#include "data/catalog/mapping_json.h"
#include "data/catalog/policy_json.h"
#include "data/catalog/user_catalog_reader.h"
#include "data/json/gate.h"
#include "data/json/json.h"
#include "data/topology/import.h"
#include "model/units/text.h"

namespace alidade::data {

namespace {

using Kind = FileNature::Kind;

/// Recognizes the table header that only nccl-tests prints.
bool isNcclLog(std::string_view content) {
    return content.find("algbw") != std::string_view::npos && content.find("busbw") != std::string_view::npos;
}

FileNature natureOfOwn(const nlohmann::json& document, const std::string& file) {
    if (document.contains("fleet"))
        return {Kind::other, "a fleet",
                "plan it with 'alidade fleet " + file + "' or open it on the Fleet page"};
    if (document.contains("parameters"))
        return {Kind::other, "a calibration profile", "use it with --calibration " + file};
    const auto kind = document.find("kind");
    const std::string word =
        kind != document.end() && kind->is_string() ? kind->get<std::string>() : std::string();
    if (word == changesKind)
        return {Kind::other, "a list of catalog changes", "use it with --catalog " + file};
    if (word == healthPoliciesKind)
        return {Kind::other, "a list of health policies", "import it on the Live page"};
    if (word == metricsKind || document.contains("signals"))
        return {Kind::other, "a mapping of metrics", "use it with alidade metrics --mapping " + file};
    if (!word.empty() || document.contains("entries"))
        return {Kind::other, word.empty() ? "a catalog" : "a catalog of " + printable(elided(word, 20)),
                "use it with --catalog " + file};
    if (document.contains("connections"))
        return {Kind::other, "a list of connections", "use it on the Live page"};
    for (const char* answer : {"runs", "rows", "ranks"})
        if (document.contains(answer))
            return {Kind::other, "an output of this program", "open the scenario that it was made from"};
    return {Kind::scenario, {}, {}};
}

} // namespace

FileNature natureOf(std::string_view content, const std::string& file) {
    if (looksLikeTopology(content))
        return {Kind::importable, "a topology",
                "convert it for cluster.topology with 'alidade import topology " + file + " -o OUT'"};
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    const bool isJson = first != std::string_view::npos && (content[first] == '{' || content[first] == '[');
    if (!isJson && isNcclLog(content))
        return {Kind::importable, "an nccl-tests log",
                "import its tables with 'alidade import nccl-log " + file + " -o OUT'"};
    const Result<nlohmann::json> document = isJson ? parseJson(content) : Error{"is not JSON"};
    if (!document)
        return {};
    if (document->is_array())
        return {Kind::other, "a list", "use measurements with alidade validate " + file};
    if (document->contains("alidade"))
        return natureOfOwn(*document, file);
    if (document->contains("model_type"))
        return {Kind::importable, "a Hugging Face model configuration",
                "convert it to a catalog with 'alidade import model " + file + " -o OUT'"};
    return {Kind::scenario, {}, {}}; // its reader reports what is missing
}

std::string notScenario(std::string_view content, const std::string& file) {
    const FileNature nature = natureOf(content, file);
    return nature.what.empty() ? std::string()
                               : file + ": is " + nature.what + ", not a scenario; " + nature.use;
}

} // namespace alidade::data
